import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import BadResponse
from benchmaker.providers.protocols.json_body import Body, decode_plain


class Shape(msgspec.Struct):
    text: str | None = None
    extra: Any = None


BODY = Body(Shape, once=("text",))


@given(st.text())
def test_a_text_comes_through_as_it_was(text):
    assert BODY.decode(json.dumps({"text": text}).encode()).text == text


@pytest.mark.parametrize(
    "data",
    [
        b'{"text":"a","x":NaN}',
        b'{"text":"a","x":[Infinity,-Infinity]}',
        b'{"text":"a","x":1e999}',
        b'\xef\xbb\xbf{"text":"a"}',
        b'{"text":"a","unknown":{"text":"b"}}',
        b' \n{"text":"a"}\n',
    ],
)
def test_what_is_odd_elsewhere_does_no_harm(data):
    assert BODY.decode(data).text == "a"


def test_half_a_surrogate_pair_is_kept():
    assert BODY.decode(b'{"text":"a\\ud83d"}').text == "a\ud83d"


def test_numbers_beyond_64_bits_are_kept():
    assert BODY.decode(b'{"extra":1' + b"0" * 40 + b"}").extra == 10**40


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"text":"a"} trailing', "not JSON"),
        (b'{"text":"a"}{"text":"b"}', "not JSON"),
        (b'{"text":"a","text":"b"}', "duplicate key"),
        (b'{"text":"\xff"}', "not UTF-8"),
        (b'{"text":5}', "unexpected format"),
        (b"[]", "unexpected format"),
        (b"null", "unexpected format"),
        (b'{"extra":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "too deep"),
        (b'{"extra":1' + b"0" * 5000 + b"}", "not JSON"),
        (b"<html>", "not JSON"),
    ],
)
def test_what_is_no_sound_json_is_a_bad_response(data, what):
    with pytest.raises(BadResponse, match=what) as caught:
        BODY.decode(data)
    assert caught.value.is_retryable


def test_a_repeated_word_is_no_doubled_key():
    data = json.dumps({"text": "x", "extra": ["text", '"text"']}).encode()
    assert BODY.decode(data).extra == ["text", '"text"']


@given(st.binary(max_size=60))
def test_no_bytes_break_it(data):
    for read in (BODY.decode, decode_plain):
        with suppress(BadResponse):
            read(data)
