import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import BadResponse
from benchmaker.providers.protocols.sse import Event, SseParser
from tests.providers.local import every_split

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
LINES = st.one_of(
    st.sampled_from(
        [b"", b"", b": a comment", b"data", b"data:", b"data: [DONE]", b"event: error", b"id: 7"]
    ),
    st.text(max_size=12).map(lambda text: b"data: " + text.encode().translate(None, b"\r\n")),
    st.binary(max_size=8).map(lambda data: data.translate(None, b"\r\n")),
)
CUTS = st.lists(st.integers(0, 10_000), max_size=12)


@st.composite
def streams(draw) -> bytes:
    lines = draw(st.lists(st.tuples(LINES, ENDS), max_size=12))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + b"".join(line + end for line, end in lines)


USUAL = st.lists(st.one_of(st.just(b"data: x\n\n"), LINES.map(lambda line: line + b"\n"))).map(
    b"".join
)


def parsed(pieces) -> list[Event]:
    parser = SseParser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    return events + parser.finish()


def slowly(data: bytes) -> list[Event]:
    """The standard's algorithm, line by line over the whole stream."""
    events, name, gathered = [], b"", []
    for line in [*re.split(rb"\r\n|\n|\r", data.removeprefix(b"\xef\xbb\xbf")), b""]:
        if not line:
            if gathered:
                events.append(Event(name, b"\n".join(gathered)))
            name, gathered = b"", []
        elif line.startswith(b":"):
            continue
        else:
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"data":
                gathered.append(value)
            elif field == b"event":
                name = value
    return events


@given(streams(), CUTS)
def test_any_split_of_the_bytes_gives_the_same_events(data, cuts):
    assert parsed(every_split(data, cuts)) == parsed([data])


@given(streams())
def test_byte_by_byte_gives_the_same_events(data):
    assert parsed([bytes([byte]) for byte in data]) == parsed([data])


@given(streams())
def test_the_events_are_those_of_the_standard(data):
    assert parsed([data]) == slowly(data)


@given(USUAL, CUTS)
def test_usual_streams_give_the_events_of_the_standard_however_they_are_cut(data, cuts):
    assert parsed(every_split(data, cuts)) == slowly(data)


def test_several_data_lines_are_one_event():
    assert parsed([b"event: e\ndata: one\ndata:two\n\n"]) == [Event(b"e", b"one\ntwo")]


def test_a_comment_is_no_event():
    assert parsed([b": OPENROUTER PROCESSING\n\n: again\r\n\r\n"]) == []


def test_a_byte_order_mark_is_passed_over():
    assert parsed([b"\xef\xbb", b"\xbfdata: x\n\n"]) == [Event(b"", b"x")]


def test_an_event_without_its_blank_line_comes_at_the_end():
    parser = SseParser()
    assert parser.feed(b"data: [DONE]") == []
    assert parser.finish() == [Event(b"", b"[DONE]")]


@pytest.mark.parametrize("size", [1, 7, 101, 5000])
def test_a_line_beyond_the_limit_is_refused_however_it_comes(size):
    parser = SseParser(line_bytes=100)
    data = b"data: " + b"x" * 5000 + b"\n\n"
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    with pytest.raises(BadResponse, match="longer than 100 bytes") as caught:
        list(map(parser.feed, pieces))
    assert not caught.value.is_retryable


def test_a_line_at_the_limit_passes():
    parser = SseParser(line_bytes=100)
    assert parser.feed(b"data: " + b"x" * 94 + b"\n\n") == [Event(b"", b"x" * 94)]
