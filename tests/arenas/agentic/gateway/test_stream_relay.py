"""Streams, however the network cuts them: passed on unchanged, the end held back."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmaker.arenas.agentic.gateway.stream_relay import StreamRelay
from benchmaker.providers.endpoints.endpoints import ENDPOINTS
from benchmaker.providers.wires.paths import FORMS
from benchmaker.record.agent_trial import Wire
from tests.arenas.agentic.gateway.scripts import an_answer, events, usage_of
from tests.arenas.agentic.gateway.test_metering import without_usage
from tests.providers.local import every_split

OPENAI = ENDPOINTS[0]
SEPARATORS = some.sampled_from([b"\n", b"\r\n", b"\r"])


def relay_of(wire: Wire, *, hides_usage: bool = False) -> StreamRelay:
    reader = FORMS[wire].stream_usage(OPENAI)
    return StreamRelay(reader, hides_usage=hides_usage, line_bytes=2**20)


@given(
    some.sampled_from(list(Wire)),
    some.integers(0, 10**6),
    some.lists(some.integers(0, 10**5), max_size=12),
    SEPARATORS,
)
def test_a_stream_is_passed_on_byte_for_byte_and_its_end_last(wire, seed, cuts, separator):
    answer = an_answer(wire, Random(seed))  # noqa: S311  no secret
    pieces = [it.replace(b"\n", separator) for it in events(wire, answer)]
    relay = relay_of(wire)
    ready = b"".join(relay.feed(chunk) for chunk in every_split(b"".join(pieces), cuts))
    assert ready == b"".join(pieces[:-1])
    assert relay.reader.is_ended
    assert ready + relay.finish() == b"".join(pieces)
    assert relay.reader.usage() == usage_of(wire, answer)


@given(some.integers(0, 10**6), some.lists(some.integers(0, 10**5), max_size=12))
def test_usage_that_was_not_asked_for_is_left_out(seed, cuts):
    answer = an_answer(Wire.CHAT, Random(seed))  # noqa: S311  no secret
    data = b"".join(events(Wire.CHAT, answer))
    relay = relay_of(Wire.CHAT, hides_usage=True)
    passed = b"".join(relay.feed(chunk) for chunk in every_split(data, cuts)) + relay.finish()
    assert passed == without_usage(data)
    assert b'"completion_tokens"' not in passed
    assert relay.reader.usage() == usage_of(Wire.CHAT, answer)


@given(some.lists(some.binary(max_size=20), max_size=8), some.sampled_from(list(Wire)))
def test_bytes_that_are_no_events_are_passed_on(pieces, wire):
    relay = relay_of(wire)
    passed = b"".join(map(relay.feed, pieces)) + relay.finish()
    assert passed == b"".join(pieces)


def test_an_event_is_passed_on_when_it_is_whole():
    relay = relay_of(Wire.CHAT)
    assert relay.feed(b'data: {"choices"') == b""
    assert relay.feed(b": []}\n") == b""
    assert relay.feed(b"\nda") == b'data: {"choices": []}\n\n'


def test_an_event_that_is_very_long_is_passed_on_in_parts():
    relay = relay_of(Wire.CHAT)
    line = b"data: " + b"x" * (2**19) + b"\n"
    passed = [relay.feed(line) for _ in range(4)]
    assert any(passed)
    assert b"".join(passed) + relay.finish() == 4 * line


@pytest.mark.parametrize("wire", list(Wire))
def test_nothing_read_is_no_usage(wire):
    assert relay_of(wire).reader.usage() is None
