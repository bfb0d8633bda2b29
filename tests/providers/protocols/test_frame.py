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
    try:
        for data in events:
            reading.take(Event(b"", data))
    except ProviderError as exc:
        return (type(exc), exc.message)
    draft = reading.draft
    return ("".join(draft.parts), draft.finish, draft.usage, draft.model, draft.reply_id,
            draft.is_refusal, draft.has_reasoning, draft.tools, reading.is_done)  # fmt: skip


@given(st.lists(chunks(), max_size=8))
def test_a_stream_reads_as_it_does_without_frames(events):
    assert taken(DIALECT.stream_reader(), events) == taken(Unframed(DIALECT), events)


@given(st.lists(TEXTS, max_size=5), st.binary(max_size=12))
def test_whatever_stands_in_a_frame_reads_as_without_one(texts, odd):
    frame = FIRST.replace(b'"a"', b"%b")
    said = [json.dumps(text).encode() for text in texts]
    events = [FIRST, *(frame % one for one in (*said, odd, b'"' + odd + b'"'))]
    assert taken(DIALECT.stream_reader(), events) == taken(Unframed(DIALECT), events)


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
