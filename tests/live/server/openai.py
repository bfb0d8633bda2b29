"""Replies in the words of OpenAI's chat completions."""

from typing import Any

from tests.live.server.event import Event, dumped
from tests.live.server.reply import Counts, Reply

_FINISH = {
    "stop": "stop",
    "length": "length",
    "filter": "content_filter",
    "refusal": "stop",
    "tool": "tool_calls",
    "unknown": "eos_reached",
    "none": None,
}
_CREATED = 1_790_000_000


def error(
    message: str, *, kind: str = "invalid_request_error", code: object = None
) -> dict[str, Any]:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def usage(counts: Counts) -> dict[str, Any]:
    """The report of tokens."""
    total = counts.total
    if total is None:
        total = counts.given + counts.made
    if counts.inconsistent:
        total = counts.made
    return {"prompt_tokens": counts.given, "completion_tokens": counts.made, "total_tokens": total}


def document(reply: Reply) -> dict[str, Any]:
    """The whole reply."""
    made = _envelope(reply, "chat.completion") | {"choices": _choices(reply)}
    if reply.shape == "missing":
        del made["choices"]
    if reply.counts:
        made["usage"] = usage(reply.counts)
    return made


def _envelope(reply: Reply, kind: str) -> dict[str, Any]:
    base = {"id": reply.id, "object": kind, "created": _CREATED, "model": reply.model}
    return base | reply.extra


def _choices(reply: Reply) -> list[dict[str, Any]]:
    finish = _FINISH[reply.finish]
    first = {"index": 0, "message": _message(reply), "finish_reason": finish}
    if reply.shape == "empty":
        return []
    if reply.shape == "no_message":
        del first["message"]
    if reply.shape == "two":
        message = {"role": "assistant", "content": reply.other}
        return [{"index": 1, "message": message, "finish_reason": "stop"}, first]
    return [first]


def _message(reply: Reply) -> dict[str, Any]:
    parts = [{"type": "text", "text": part} for part in reply.parts]
    message: dict[str, Any] = {"role": "assistant", "content": parts or reply.text}
    return message | _beside(reply)


def _beside(reply: Reply) -> dict[str, Any]:
    """What a message or a delta has beside its content."""
    beside: dict[str, Any] = {}
    if reply.reasoning is not None:
        beside["reasoning_content"] = reply.reasoning
    if reply.refusal is not None:
        beside["refusal"] = reply.refusal
    if reply.tool is not None:
        function = {"name": reply.tool, "arguments": '{"city": "Bonn"}'}
        beside["tool_calls"] = [
            {"index": 0, "id": "call_1", "type": "function", "function": function}
        ]
    return beside


def events(reply: Reply, *, wants_usage: bool = True) -> list[Event]:
    """The reply as a stream; usage comes in a chunk of its own, when it is asked for."""
    made = [_chunk(reply, {"role": "assistant", "content": ""})]
    made += [_text(reply, piece) for piece in _pieces(reply)]
    if beside := _beside(reply):
        made.append(_chunk(reply, beside))
    if reply.shape == "two":
        made.insert(1, _chunk(reply, {"content": reply.other}, index=1))
    if reply.finish != "none":
        made.append(_finish(reply))
    if wants_usage and reply.counts:
        made.append(usage_event(reply, reply.counts))
    return [*made, Event(b"[DONE]", is_last=True)]


def _pieces(reply: Reply) -> list[Any]:
    if reply.parts:
        return [[{"type": "text", "text": part}] for part in reply.parts]
    return [reply.text] if reply.text is None else list(reply.pieces)


def _text(reply: Reply, piece: object) -> Event:
    return _chunk(reply, {"content": piece}, is_text=True)


def _finish(reply: Reply) -> Event:
    return _chunk(reply, {}, finish=_FINISH[reply.finish], is_finish=True)


def usage_event(reply: Reply, counts: Counts) -> Event:
    """A chunk that holds usage alone."""
    body = _envelope(reply, "chat.completion.chunk") | {"choices": [], "usage": usage(counts)}
    return Event(dumped(body), is_usage=True)


def _chunk(
    reply: Reply,
    delta: dict[str, Any],
    *,
    index: int = 0,
    finish: str | None = None,
    is_text: bool = False,
    is_finish: bool = False,
) -> Event:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    if reply.shape == "no_message":
        del choice["delta"]
    body = _envelope(reply, "chat.completion.chunk") | {"choices": [choice], "usage": None}
    if reply.shape == "missing":
        del body["choices"]
    if reply.shape == "empty":
        body["choices"] = []
    return Event(dumped(body), is_text=is_text, is_finish=is_finish)


def filler(reply: Reply) -> Event:
    """A chunk without choices, as some servers send before the first token."""
    body = _envelope(reply, "chat.completion.chunk") | {"choices": [], "usage": None}
    return Event(dumped(body))


def error_event(message: str, *, kind: str, code: object) -> Event:
    """An error in the middle of a stream."""
    return Event(dumped(error(message, kind=kind, code=code)))
