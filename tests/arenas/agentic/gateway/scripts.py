"""Generated sessions of a scripted model in the four wires, with the tokens that they report."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmaker.record import Usage
from benchmaker.record.agent_trial import Wire

PATHS = {
    Wire.CHAT: "/v1/chat/completions",
    Wire.RESPONSES: "/v1/responses",
    Wire.MESSAGES: "/v1/messages",
}


@dataclass(frozen=True)
class Answer:
    """One answer: its tokens in disjoint kinds, its words, and how it goes over the wire.

    ``cut_at`` is the share of the stream after which the connection breaks; 1 for never.
    """

    uncached: int = 11
    cached: int = 0
    written_5m: int = 0
    written_1h: int = 0
    output: int = 7
    reasoning: int = 0
    words: tuple[str, ...] = ("fine",)
    calls: int = 0
    is_streamed: bool = True
    cut_at: float = 1.0
    asks_usage: bool = False
    seed: int = 0


def generate(wire: Wire, seed: int, number: int) -> list[Answer]:
    """A session of up to ``number`` answers."""
    random = Random(seed)  # noqa: S311  no secret
    return [an_answer(wire, random) for _ in range(random.randint(1, number))]


def an_answer(wire: Wire, random: Random) -> Answer:
    """A random answer."""
    output = random.randint(1, 3000)
    writes = wire is Wire.MESSAGES
    return Answer(
        uncached=random.randint(1, 50_000),
        cached=random.choice((0, random.randint(1, 90_000))),
        written_5m=random.choice((0, random.randint(1, 9_000))) if writes else 0,
        written_1h=random.choice((0, random.randint(1, 9_000))) if writes else 0,
        output=output,
        reasoning=random.choice((0, random.randint(0, output))),
        words=tuple(random.choice(("é", "kestrel ", "[DONE]", '"', "\n\n")) for _ in range(9)),
        calls=random.choice((0, 0, 1, 3)),
        is_streamed=random.random() < 0.8,
        cut_at=random.choice((1.0, 1.0, 1.0, random.random())),
        asks_usage=random.random() < 0.5,
        seed=random.randrange(10**6),
    )


def request(wire: Wire, answer: Answer, mark: str, model: str = "any") -> tuple[str, dict]:
    """Path and body of an agent's request; ``mark`` says which answer it is for."""
    body: dict[str, Any] = {"model": model}
    if answer.is_streamed and wire is not Wire.GEMINI:
        body["stream"] = True
    match wire:
        case Wire.CHAT:
            body["messages"] = [{"role": "user", "content": mark}]
            if answer.is_streamed and answer.asks_usage:
                body["stream_options"] = {"include_usage": True}
        case Wire.RESPONSES:
            body["input"] = mark
        case Wire.MESSAGES:
            body |= {"max_tokens": 4000, "messages": [{"role": "user", "content": mark}]}
        case Wire.GEMINI:
            verb = "streamGenerateContent?alt=sse" if answer.is_streamed else "generateContent"
            contents = [{"role": "user", "parts": [{"text": mark}]}]
            return f"/v1beta/models/{model}:{verb}", {"contents": contents}
    return PATHS[wire], body


def usage_of(wire: Wire, answer: Answer) -> Usage:
    """The tokens of a whole answer, by kind, as its wire can report them."""
    is_apart = wire is Wire.MESSAGES
    return Usage(
        input_tokens=answer.uncached,
        cache_read_tokens=answer.cached,
        cache_write_5m_tokens=answer.written_5m if is_apart else None,
        cache_write_1h_tokens=answer.written_1h if is_apart else None,
        output_tokens=answer.output,
        reasoning_tokens=answer.reasoning,
    )


def whole(wire: Wire, answer: Answer) -> dict:
    """The answer in one piece."""
    match wire:
        case Wire.CHAT:
            message = {"role": "assistant", "content": "".join(answer.words)}
            message["tool_calls"] = [_call(at) for at in range(answer.calls)]
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return {"id": "c-1", "choices": [choice], "usage": _chat_usage(answer)}
        case Wire.RESPONSES:
            text = {"type": "output_text", "text": "".join(answer.words)}
            output = [{"type": "message", "content": [text]}]
            return {"id": "r-1", "output": output, "usage": _responses_usage(answer)}
        case Wire.MESSAGES:
            content = [{"type": "text", "text": "".join(answer.words)}]
            usage = _messages_usage(answer, answer.output)
            return {"type": "message", "content": content, "usage": usage}
        case Wire.GEMINI:
            return _gemini(answer, "".join(answer.words), answer.output, finish="STOP")


def events(wire: Wire, answer: Answer, *, has_usage: bool = True) -> Iterator[bytes]:
    """The events of the answer's stream, the last of which ends it."""
    yield b": ping\n\n"
    match wire:
        case Wire.CHAT:
            yield from _chat_events(answer, has_usage=has_usage)
        case Wire.RESPONSES:
            yield _event({"type": "response.created", "response": {"id": "r-1", "usage": None}})
            for word in answer.words:
                yield _event({"type": "response.output_text.delta", "delta": word})
            for at in range(answer.calls):
                yield _event({"type": "response.output_item.done", "item": _call(at)})
            yield _event({"type": "response.completed", "response": whole(wire, answer)})
        case Wire.MESSAGES:
            yield from _messages_events(answer)
        case Wire.GEMINI:
            share = max(1, answer.output // 2)
            for word in answer.words:
                yield _data(_gemini(answer, word, share))
            yield _data(_gemini(answer, "", answer.output, finish="STOP"))


def _chat_events(answer: Answer, *, has_usage: bool) -> Iterator[bytes]:
    pad = {"usage": None} if has_usage else {}
    for word in answer.words:
        yield _data({"choices": [{"index": 0, "delta": {"content": word}}], **pad})
    for at in range(answer.calls):
        yield _data({"choices": [{"index": 0, "delta": {"tool_calls": [_call(at)]}}], **pad})
    yield _data({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **pad})
    if has_usage:
        yield _data({"choices": [], "usage": _chat_usage(answer)})
    yield b"data: [DONE]\n\n"


def _messages_events(answer: Answer) -> Iterator[bytes]:
    start = {"id": "m-1", "usage": _messages_usage(answer, 1)}
    yield _event({"type": "message_start", "message": start})
    for word in answer.words:
        delta = {"type": "text_delta", "text": word}
        yield _event({"type": "content_block_delta", "index": 0, "delta": delta})
    for at in range(answer.calls):
        block = {"type": "tool_use", **_call(at)}
        yield _event({"type": "content_block_start", "index": at + 1, "content_block": block})
    details = {"output_tokens_details": {"thinking_tokens": answer.reasoning}}
    usage = {"output_tokens": answer.output, **details}
    yield _event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage})
    yield _event({"type": "message_stop"})


def _call(at: int) -> dict:
    return {"id": f"call-{at}", "name": "shell", "arguments": '{"message_stop": "usage"}'}


def _chat_usage(answer: Answer) -> dict:
    prompt = answer.uncached + answer.cached
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer.output,
        "total_tokens": prompt + answer.output,
        "prompt_tokens_details": {"cached_tokens": answer.cached},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning},
    }


def _responses_usage(answer: Answer) -> dict:
    return {
        "input_tokens": answer.uncached + answer.cached,
        "input_tokens_details": {"cached_tokens": answer.cached},
        "output_tokens": answer.output,
        "output_tokens_details": {"reasoning_tokens": answer.reasoning},
        "total_tokens": answer.uncached + answer.cached + answer.output,
    }


def _messages_usage(answer: Answer, output: int) -> dict:
    return {
        "input_tokens": answer.uncached,
        "cache_read_input_tokens": answer.cached,
        "cache_creation_input_tokens": answer.written_5m + answer.written_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": answer.written_5m,
            "ephemeral_1h_input_tokens": answer.written_1h,
        },
        "output_tokens": output,
        "output_tokens_details": {"thinking_tokens": answer.reasoning if output > 1 else 0},
    }


def _gemini(answer: Answer, text: str, output: int, *, finish: str = "") -> dict:
    thoughts = min(answer.reasoning, output)
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    counts = {
        "promptTokenCount": answer.uncached + answer.cached,
        "cachedContentTokenCount": answer.cached,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": answer.uncached + answer.cached + output,
    }
    if output > thoughts:
        counts["candidatesTokenCount"] = output - thoughts
    return {"candidates": [candidate], "usageMetadata": counts}


def _event(piece: dict) -> bytes:
    return b"event: " + piece["type"].encode() + b"\n" + _data(piece)


def _data(piece: dict) -> bytes:
    return b"data: " + json.dumps(piece).encode() + b"\n\n"
