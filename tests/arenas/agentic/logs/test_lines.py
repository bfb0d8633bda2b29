"""JSON lines that somebody else wrote."""

import gzip
import os
import tracemalloc
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.decoding import Decoder, DecodingError
from benchmaker.arenas.agentic.logs.lines import json_lines, text_lines
from tests.arenas.agentic.made import options


class Row(msgspec.Struct):
    n: Any = None
    text: str | None = None


def rows(path, kind=Row, **given):
    told = []
    found = list(json_lines(path, options(told, **given), kind))
    return found, [(it.line, it.reason) for it in told]


def test_lines_come_with_their_numbers_and_empty_ones_are_passed_over(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n\n\0\0\n{"n": 2}')
    assert rows(path) == ([(1, Row(n=1)), (4, Row(n=2))], [])


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert rows(tmp_path / "a") == ([], [])


def test_a_bad_line_is_told_and_reading_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\nnot json\n{"text": 5}\n{"n": }\n[1]\n{"n": 2}\n{"n": 3, "te')
    found, told = rows(path)
    assert [row.n for _, row in found] == [1, 2]
    assert told == [
        (2, "not JSON"),
        (3, "another shape than expected: Expected `str | null`, got `int` - at `$.text`"),
        (4, "damaged JSON"),
        (5, "another shape than expected: Expected `object`, got `array`"),
        (7, "cut off in the middle"),
    ]


def test_a_line_that_is_too_long_is_passed_over(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\n{"text": "' + b"x" * 3_000_000 + b'"}\n{"n": 2}\n')
    found, told = rows(path, max_line_bytes=1000)
    assert [row.n for _, row in found] == [1, 2]
    assert told == [(2, "longer than 1000 bytes")]


def test_a_line_of_just_the_longest_length_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 12}')
    assert rows(path, max_line_bytes=8)[0] == [(1, Row(n=1))]
    assert len(rows(path, max_line_bytes=9)[0]) == 2


def test_an_endless_line_takes_little_memory(tmp_path):
    path = tmp_path / "sparse.jsonl"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    tracemalloc.start()
    assert rows(path, max_line_bytes=2**20)[1] == [(1, "longer than 1 MiB")]
    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()


def test_deep_nesting_is_refused_and_strings_may_hold_any_brackets(tmp_path):
    path = tmp_path / "a.jsonl"
    deep = b'{"n": ' + b"[" * 300 + b"]" * 300 + b"}\n"
    wide = b'{"n": [' + b"[]," * 300 + b"[]]}\n"
    text = b'{"text": "' + b"[{\\\\" * 300 + b'\\""}\n'
    path.write_bytes(deep + wide + text + b'{"n": ' + b"[" * 100_000 + b"\n")
    found, told = rows(path)
    assert [number for number, _ in found] == [2, 3]
    assert told == [(1, "nested more than 200 deep"), (4, "nested more than 200 deep")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"n": NaN}', "NaN"),
        (b'{"n": -Infinity}', "-Infinity"),
        (b'{"n": 1e999}', "1e999"),
        (b'{"n": ' + b"9" * 5000 + b"}", "9" * 5000),
        (b'{"n": "\\ud83d"}', "?"),
        (b'{"n": "\xff"}', "�"),
    ],
)
def test_odd_values_are_mended_so_that_their_line_is_not_lost(text, value):
    assert Decoder(dict[str, Any]).decode(text) == {"n": value}


@given(
    st.recursive(
        st.none() | st.integers(0, 9) | st.text(),
        lambda it: st.lists(it) | st.dictionaries(st.text(), it),
    )
)
def test_whatever_is_json_is_decoded(value):
    text = msgspec.json.encode({"n": value})
    assert Decoder(dict[str, Any]).decode(text)["n"] == msgspec.json.decode(text)["n"]


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_refused(text):
    with suppress(DecodingError):
        Decoder(dict[str, Any]).decode(text)


def test_gzip_is_read_by_its_content(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"n": 1}\n'))
    assert rows(path) == ([(1, Row(n=1))], [])


def test_a_gzip_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    lines = b"".join(b'{"n": "%x"}\n' % (n * 2654435761) for n in range(100_000))
    path.write_bytes(gzip.compress(lines)[:-5000])
    found, told = rows(path)
    assert 1000 < len(found) < 100_000
    assert [why for _, why in told] == ["unexpected end of the gzip file."]


def test_a_gzip_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * (64 * 2**20), 9))
    assert "decompresses to more than 200 times" in rows(path)[1][0][1]


@pytest.mark.parametrize("what", ["missing", "folder", "pipe", "large"])
def test_what_is_no_readable_file_is_told_of(tmp_path, what):
    path = tmp_path / "it"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "large":
        path.write_bytes(b"x" * 101)
    found, told = rows(path, max_file_bytes=100)
    assert found == []
    assert [line for line, _ in told] == [0]


def test_a_log_may_grow_while_it_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": 1}\n')
    told = []
    for _ in text_lines(path, options(told)):
        with path.open("ab") as file:
            file.write(b"\n")
    assert told == []
