"""OpenAI's chat completions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmaker.arenas.agentic.running.scripted.script import ScriptedReply, Tokens
from benchmaker.arenas.agentic.running.scripted.wire import (
    Body,
    Offered,
    as_text,
    halves,
    properties,
)


class Chat:
    """Chat completions; cached tokens lie inside the prompt's, reasoning inside the output."""

    def takes(self, path: str) -> bool:
        """True for its path."""
        return path.endswith("/chat/completions")

    def find_tools(self, body: Body) -> Offered:
        """Each tool under ``function``, its schema under ``parameters``."""
        tools = [tool.get("function", tool) for tool in body.get("tools") or ()]
        return {it.get("name", ""): properties(it.get("parameters")) for it in tools}

    def results(self, body: Body) -> list[str]:
        """The outputs of calls, from the whole conversation."""
        messages = body.get("messages", ())
        return [as_text(it.get("content")) for it in messages if it.get("role") == "tool"]

    def count(self, tokens: Tokens) -> Tokens:
        """Kinds without a field are 0."""
        return replace(tokens, written=0)

    def is_streamed(self, _path: str, body: Body) -> bool:
        """True for a stream."""
        return bool(body.get("stream"))

    def whole(self, reply: ScriptedReply) -> Body:
        """The reply as one document."""
        message: Body = {"role": "assistant", "content": reply.turn.text}
        if reply.turn.thought:
            message["reasoning_content"] = reply.turn.thought
        if reply.call:
            message["tool_calls"] = [_call(reply)]
        choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
        head = _head(reply, "chat.completion")
        return head | {"choices": [choice], "usage": _usage(reply.turn.tokens)}

    def pieces(self, reply: ScriptedReply) -> Iterator[Body]:
        """The reply as the events of a stream."""
        head = _head(reply, "chat.completion.chunk")
        for delta in _deltas(reply):
            yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end = {"index": 0, "delta": {}, "finish_reason": _reason(reply)}
        yield head | {"choices": [end]}
        yield head | {"choices": [], "usage": _usage(reply.turn.tokens)}


def _head(reply: ScriptedReply, kind: str) -> Body:
    return {
        "id": f"chatcmpl-script-{reply.number}",
        "object": kind,
        "created": 1_790_000_000 + reply.number,
        "model": reply.model,
    }


def _deltas(reply: ScriptedReply) -> Iterator[Body]:
    yield {"role": "assistant", "content": ""}
    if reply.turn.thought:
        yield {"reasoning_content": reply.turn.thought}
    for half in halves(reply.turn.text):
        yield {"content": half}
    if reply.call:
        yield {"tool_calls": [_call(reply) | {"index": 0}]}


def _call(reply: ScriptedReply) -> dict[str, Any]:
    assert reply.call  # noqa: S101  asked before
    arguments = json.dumps(reply.call.arguments)
    function = {"name": reply.call.name, "arguments": arguments}
    return {"id": reply.call.id, "type": "function", "function": function}


def _reason(reply: ScriptedReply) -> str:
    return "tool_calls" if reply.call else "stop"


def _usage(tokens: Tokens) -> Body:
    prompt = tokens.uncached + tokens.cached
    return {
        "prompt_tokens": prompt,
        "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }
