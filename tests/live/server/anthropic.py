"""Replies in the words of Anthropic's messages."""

from typing import Any

from tests.live.server.event import Event, dumped
from tests.live.server.reply import Counts, Reply

_STOP = {
    "stop": "end_turn",
    "length": "max_tokens",
    "filter": "refusal",
    "refusal": "refusal",
    "tool": "tool_use",
    "unknown": "eos_reached",
    "none": None,
}


def error(message: str, *, kind: str = "invalid_request_error") -> dict[str, Any]:
    """The body of an error."""
    inner = {"type": kind, "message": message}
    return {"type": "error", "error": inner, "request_id": "req_0001"}


def usage(counts: Counts) -> dict[str, Any]:
    """The report of tokens; there is no total in this protocol, but parts of the cache's."""
    report = {"input_tokens": counts.given, "output_tokens": counts.made}
    if counts.inconsistent:
        parts = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 3}
        report |= {"cache_creation_input_tokens": 10, "cache_creation": parts}
    return report


def document(reply: Reply) -> dict[str, Any]:
    """The whole reply."""
    made = _message(reply) | {"content": _blocks(reply), "stop_reason": _STOP[reply.finish]}
    if reply.shape == "missing":
        del made["content"]
    if reply.counts:
        made["usage"] = usage(reply.counts)
    return made


def _message(reply: Reply) -> dict[str, Any]:
    base = {"id": reply.id, "type": "message", "role": "assistant", "model": reply.model}
    return base | {"content": [], "stop_reason": None, "stop_sequence": None} | reply.extra


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    if reply.shape == "empty":
        return []
    if reply.shape == "no_message":
        return [{"type": "text"}]
    blocks: list[dict[str, Any]] = []
    if reply.reasoning is not None:
        blocks.append({"type": "thinking", "thinking": reply.reasoning, "signature": "c2ln"})
    if reply.tool is not None:
        tool = {"type": "tool_use", "id": "toolu_1", "name": reply.tool}
        blocks.append(tool | {"input": {"city": "Bonn"}})
    if reply.parts:
        return blocks + [{"type": "text", "text": part} for part in reply.parts]
    if reply.text is None and (blocks or reply.refusal is not None):
        return blocks
    return [*blocks, {"type": "text", "text": reply.text}]


def events(reply: Reply, *, wants_usage: bool = True) -> list[Event]:
    """The reply as a stream: start, blocks, why it stopped, stop."""
    report = usage(reply.counts) if wants_usage and reply.counts else None
    made = [_start(reply, report)]
    if reply.shape != "missing":
        for index, block in enumerate(_blocks(reply)):
            made += _block(reply, index, block)
    if reply.finish != "none":
        made.append(stop_reason(_STOP[reply.finish], report))
    return [*made, named("message_stop", is_last=True)]


def named(kind: str, *, is_last: bool = False, **fields: object) -> Event:
    """An event whose name is the type in its data."""
    return Event(dumped({"type": kind} | fields), kind, is_last=is_last)


def _start(reply: Reply, report: dict[str, Any] | None) -> Event:
    message = _message(reply)
    if report:
        message["usage"] = report | {"output_tokens": 1}
    if reply.shape == "missing":
        del message["content"]
    return named("message_start", message=message)


def _block(reply: Reply, index: int, block: dict[str, Any]) -> list[Event]:
    deltas, empty = _opened(reply, block)
    pieces = [
        Event(
            dumped({"type": "content_block_delta", "index": index, "delta": delta}),
            "content_block_delta",
            is_text=delta["type"] == "text_delta",
        )
        for delta in deltas
    ]
    start = named("content_block_start", index=index, content_block=empty)
    return [start, named("ping"), *pieces, named("content_block_stop", index=index)]


def _opened(reply: Reply, block: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The deltas that make up a block, and the block as it is opened."""
    match block["type"]:
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
            return deltas, block | {"thinking": "", "signature": ""}
        case "tool_use":
            deltas = [{"type": "input_json_delta", "partial_json": '{"city": "Bonn"}'}]
            return deltas, block | {"input": {}}
        case _ if "text" not in block:
            return [{"type": "text_delta"}], block
        case _:
            pieces = reply.pieces if block["text"] == reply.text else (block["text"],)
            return [{"type": "text_delta", "text": piece} for piece in pieces], block | {"text": ""}


def stop_reason(reason: str | None, report: dict[str, Any] | None) -> Event:
    """The event that says why the model stopped, with the final usage."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    body: dict[str, Any] = {"type": "message_delta", "delta": delta}
    if report:
        body["usage"] = report
    return Event(dumped(body), "message_delta", is_finish=True)


def error_event(message: str, *, kind: str) -> Event:
    """An error in the middle of a stream."""
    return Event(dumped(error(message, kind=kind)), "error")
