import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.dotenv import parse_dotenv, read_dotenv


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=1", "1"),
        ("A = 1 ", "1"),
        ("export A=1", "1"),
        ("  export\tA=1\r\n", "1"),
        ("A='1 # 2'", "1 # 2"),
        ('A="1 # 2" # three', "1 # 2"),
        ("A=1 # 2", "1"),
        ("A=1#2", "1#2"),
        ("A=", ""),
        ("A=   # nothing", ""),
        ('A="a\\"b\\n\\\\c"', 'a"b\n\\c'),
        ("A='a\\nb'", "a\\nb"),
        ('A="two\nlines"', "two\nlines"),
        ("A=$HOME", "$HOME"),
        ("A=1\nA=2", "2"),
        ("# A=2\nA=1", "1"),
        ('A="open', '"open'),
        ("A=it's", "it's"),
    ],
)
def test_a_value_is_read_as_shells_write_it(text, value):
    assert parse_dotenv(text) == {"A": value}


def test_other_lines_are_passed_over():
    assert parse_dotenv("nonsense\n=x\n1A=2\n\nB=3\n") == {"B": "3"}


@given(st.text(st.characters(exclude_characters="'\x00", exclude_categories=["Cs"])))
def test_single_quotes_keep_anything(text):
    assert parse_dotenv(f"A='{text}'\n") == {"A": text}


@given(st.text(max_size=60))
def test_no_text_breaks_it(text):
    assert all(isinstance(value, str) for value in parse_dotenv(text).values())


def test_a_file_is_read_and_the_environment_left_alone(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfBENCHMAKER_TEST_DOTENV=1\n")
    assert read_dotenv(tmp_path / ".env") == {"BENCHMAKER_TEST_DOTENV": "1"}
    assert "BENCHMAKER_TEST_DOTENV" not in os.environ


def test_no_file_is_no_variables(tmp_path):
    assert read_dotenv(None) == read_dotenv(tmp_path / ".env") == {}


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(SpecError, match="a folder"):
        read_dotenv(tmp_path)
