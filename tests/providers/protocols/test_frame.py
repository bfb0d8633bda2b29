import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import BadResponse, ProviderError
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.openai import ChatCompletions, ChatStreamReader, Frame
from benchmaker.providers.protocols.sse import Event

DIALECT = ChatCompletions(Endpoint(name="lab", base_url="https://lab/v1"), "gpt-x")
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": ")])
TEXTS = st.one_of(st.sampled_from(["a", "content", '"content":"a"', "\\", "é", "\n"]), st.text())
DELTAS = st.one_of(
    TEXTS.map(lambda text: {"content": text}),
    st.just({}),
    st.fixed_dictionaries({"content": TEXTS, "role": st.just("assistant")}),
    st.fixed_dictionaries({"content": TEXTS, "refusal": TEXTS}),
    st.fixed_dictionaries({"reasoning": TEXTS, "content": st.just("")}),
)
ENDS = st.sampled_from([{}, {"finish_reason": None}, {"finish_reason": "stop"}])
EXTRAS = st.sampled_from([{}, {"usage": None}, {"usage": {"total_tokens": 3}}, {"content": "a"}])
FIRST = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'


class Unframed(ChatStreamReader):
    """Reads each event whole: the obvious way."""

    def take(self, event: Event) -> None:
        if event.data.startswith(b"[DONE]"):
            self.is_done = True
        elif event.data:
            self._frames_left = 0
            self._take_whole(event.name, event.data)


@st.composite
def chunks(draw) -> bytes:
    choice = {"index": draw(st.sampled_from([0, 0, 0, 1])), "delta": draw(DELTAS), **draw(ENDS)}
    chunk = {"id": "one", "choices": [choice], **draw(EXTRAS)}
    spelt = json.dumps(chunk, separators=draw(SEPARATORS), ensure_ascii=draw(st.booleans()))
    return spelt.encode("utf-8", "surrogatepass")


def taken(reading, events) -> tuple:
    return taken_of(reading, [[Event(b"", data)] for data in events])


def taken_of(reading, pieces) -> tuple:
    try:
        for events in pieces:
            reading.take_all(events)
    except ProviderError as exc:
        return (type(exc), exc.message)
    draft = reading.draft
    return ("".join(draft.parts), draft.finish, draft.usage, draft.model, draft.reply_id,
            draft.is_refusal, draft.has_reasoning, draft.tools, reading.is_done)  # fmt: skip


def taken_together(events) -> tuple:
    """The same for events that came in one piece."""
    return taken_of(DIALECT.stream_reader(), [[Event(b"", data) for data in events]])


def taken_one_by_one(events) -> tuple:
    """The same, each read whole, up to the end of the stream."""
    return taken_of(Unframed(DIALECT), [[Event(b"", data)] for data in events])


@given(st.lists(chunks(), max_size=8))
def test_a_stream_reads_as_it_does_without_frames(events):
    assert taken(DIALECT.stream_reader(), events) == taken(Unframed(DIALECT), events)
    assert taken_together(events) == taken_one_by_one(events)


@given(st.lists(TEXTS, max_size=5), st.binary(max_size=12))
def test_whatever_stands_in_a_frame_reads_as_without_one(texts, odd):
    frame = FIRST.replace(b'"a"', b"%b")
    said = [json.dumps(text).encode() for text in texts]
    events = [FIRST, *(frame % one for one in (*said, odd, b'"' + odd + b'"'))]
    assert taken(DIALECT.stream_reader(), events) == taken(Unframed(DIALECT), events)
    assert taken_together(events) == taken_one_by_one(events)


@pytest.mark.parametrize(
    "pieces",
    [
        [b'"a"', b'"b"', b'""', b'"c"'],
        [b'"a","b"', b"", b'"c"'],
        [b'"a","b"', b" ", b'"c"'],
        [b'"a', b'b"', b'"c","d"'],
        [b'"a\\"', b'"b"', b'"c","d"'],
        [b'"a\n', b'b"', b'"c"'],
        [b'"a"', b"1", b'"c"'],
        [b'"a"', b"\xff", b'"c"'],
    ],
)
def test_texts_that_are_read_together_are_those_of_their_events(pieces):
    frame = FIRST.replace(b'"a"', b"%b")
    events = [FIRST, *(frame % one for one in pieces), FIRST, b"[DONE]", FIRST]
    assert taken_together(events) == taken_one_by_one(events)


def test_the_end_of_a_stream_ends_a_piece():
    reading = DIALECT.stream_reader()
    reading.take_all([Event(b"", data) for data in (FIRST, FIRST, FIRST, b"[DONE]", FIRST)])
    assert (reading.is_done, reading.draft.text) == (True, "aaa")


@given(st.lists(TEXTS, max_size=5), st.binary(max_size=12))
def test_whatever_stands_in_a_frame_reads_as_without_one_in_any_pieces(texts, odd):
    frame = FIRST.replace(b'"a"', b"%b")
    said = [json.dumps(text).encode() for text in texts]
    events = [FIRST, *(frame % one for one in (odd, *said, odd))]
    assert taken_together(events) == taken_one_by_one(events)


@pytest.mark.parametrize(
    "data",
    [
        b'{"choices":[{"delta":{"content":"b","content":"c"}}]}',
        b'{"choices":[{"delta":{"content":"a"},"delta":{"content":"b"}}]}',
    ],
)
def test_a_doubled_key_is_refused_within_a_frame_too(data):
    reading = DIALECT.stream_reader()
    reading.take(Event(b"", b'{"choices":[{"delta":{"content":"a"}}]}'))
    with pytest.raises(BadResponse, match="duplicate key"):
        reading.take(Event(b"", data))


def test_there_is_no_frame_where_the_text_stands_elsewhere():
    data = b'{"x":{"content":"a"},"text":"a"}'
    assert Frame.from_event("a", data, lambda data: json.loads(data)["text"]) is None
    assert Frame.from_event("b", data, lambda data: json.loads(data)["text"]) is None
    assert Frame.from_event("é", data, lambda data: json.loads(data)["text"]) is None
