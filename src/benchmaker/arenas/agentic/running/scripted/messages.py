"""Anthropic's messages."""

import json
from collections.abc import Iterator
from dataclasses import replace

from benchmaker.arenas.agentic.running.scripted.script import ScriptedReply, Tokens
from benchmaker.arenas.agentic.running.scripted.wire import (
    Body,
    Offered,
    as_text,
    halves,
    properties,
)


class Messages:
    """Messages; cache reads and writes stand beside the input, reasoning is not counted."""

    def takes(self, path: str) -> bool:
        """True for its path."""
        return path.endswith("/messages")

    def find_tools(self, body: Body) -> Offered:
        """Each tool with its schema under ``input_schema``."""
        tools = body.get("tools") or ()
        return {it.get("name", ""): properties(it.get("input_schema")) for it in tools}

    def results(self, body: Body) -> list[str]:
        """The outputs of calls, from the whole conversation."""
        blocks = [
            block
            for message in body.get("messages", ())
            if isinstance(message.get("content"), list)
            for block in message["content"]
        ]
        return [as_text(it.get("content")) for it in blocks if it.get("type") == "tool_result"]

    def count(self, tokens: Tokens) -> Tokens:
        """Kinds without a field are 0."""
        return replace(tokens, reasoning=0)

    def is_streamed(self, _path: str, body: Body) -> bool:
        """True for a stream."""
        return bool(body.get("stream"))

    def whole(self, reply: ScriptedReply) -> Body:
        """The reply as one document."""
        blocks = [dict(block) for block in _blocks(reply)]
        usage = _input_usage(reply.turn.tokens) | {"output_tokens": reply.turn.tokens.output}
        return _head(reply) | {"content": blocks, "stop_reason": _reason(reply), "usage": usage}

    def pieces(self, reply: ScriptedReply) -> Iterator[Body]:
        """The reply as the events of a stream."""
        usage = _input_usage(reply.turn.tokens) | {"output_tokens": 1}
        yield {"type": "message_start", "message": _head(reply) | {"content": [], "usage": usage}}
        for at, block in enumerate(_blocks(reply)):
            begun = block | {name: type(block[name])() for name in _FILLED if name in block}
            yield {"type": "content_block_start", "index": at, "content_block": begun}
            for delta in _deltas(block):
                yield {"type": "content_block_delta", "index": at, "delta": delta}
            yield {"type": "content_block_stop", "index": at}
        delta = {"stop_reason": _reason(reply), "stop_sequence": None}
        usage = _input_usage(reply.turn.tokens) | {"output_tokens": reply.turn.tokens.output}
        yield {"type": "message_delta", "delta": delta, "usage": usage}
        yield {"type": "message_stop"}


_FILLED = ("text", "thinking", "signature", "input")


def _head(reply: ScriptedReply) -> Body:
    return {
        "id": f"msg_script_{reply.number:010}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _blocks(reply: ScriptedReply) -> Iterator[Body]:
    if reply.turn.thought:
        yield {"type": "thinking", "thinking": reply.turn.thought, "signature": "c2lnbmVk"}
    yield {"type": "text", "text": reply.turn.text}
    if call := reply.call:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _deltas(block: Body) -> Iterator[Body]:
    match block["type"]:
        case "text":
            for half in halves(block["text"]):
                yield {"type": "text_delta", "text": half}
        case "thinking":
            yield {"type": "thinking_delta", "thinking": block["thinking"]}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case _:
            for half in halves(json.dumps(block["input"])):
                yield {"type": "input_json_delta", "partial_json": half}


def _reason(reply: ScriptedReply) -> str:
    return "tool_use" if reply.call else "end_turn"


def _input_usage(tokens: Tokens) -> Body:
    return {
        "input_tokens": tokens.uncached,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": tokens.written,
    }
