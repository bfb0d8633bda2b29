"""OpenAI's responses."""

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

_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


class Responses:
    """Responses; cached tokens lie inside the input's, reasoning inside the output."""

    def takes(self, path: str) -> bool:
        """True for its path."""
        return path.endswith("/responses")

    def find_tools(self, body: Body) -> Offered:
        """Each tool with its schema under ``parameters``."""
        tools = body.get("tools") or ()
        return {it.get("name", ""): properties(it.get("parameters")) for it in tools}

    def results(self, body: Body) -> list[str]:
        """The outputs of calls, from the whole conversation."""
        items = body.get("input", ())
        given = [it for it in items if isinstance(it, dict) and it.get("type") in _OUTPUTS]
        return [as_text(it.get("output")) for it in given]

    def count(self, tokens: Tokens) -> Tokens:
        """Kinds without a field are 0."""
        return replace(tokens, written=0)

    def is_streamed(self, _path: str, body: Body) -> bool:
        """True for a stream."""
        return bool(body.get("stream"))

    def whole(self, reply: ScriptedReply) -> Body:
        """The reply as one document."""
        end = {"output": list(_items(reply)), "usage": _usage(reply.turn.tokens)}
        return _head(reply, "completed") | end

    def pieces(self, reply: ScriptedReply) -> Iterator[Body]:
        """The reply as the events of a stream."""
        yield {"type": "response.created", "response": _head(reply, "in_progress")}
        for at, item in enumerate(_items(reply)):
            place = {"item_id": item["id"], "output_index": at}
            begun = {name: value for name, value in item.items() if name not in _FILLED}
            empty = {name: type(item[name])() for name in _FILLED if name in item}
            added = {"output_index": at, "item": begun | empty | {"status": "in_progress"}}
            yield {"type": "response.output_item.added"} | added
            yield from _item_events(item, place)
            yield {"type": "response.output_item.done", "output_index": at, "item": item}
        yield {"type": "response.completed", "response": self.whole(reply)}


_FILLED = ("content", "summary", "arguments")


def _head(reply: ScriptedReply, status: str) -> Body:
    return {
        "id": f"resp_script_{reply.number}",
        "object": "response",
        "created_at": 1_790_000_000 + reply.number,
        "model": reply.model,
        "status": status,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }


def _items(reply: ScriptedReply) -> Iterator[Body]:
    number, turn = reply.number, reply.turn
    if turn.thought:
        summary = [{"type": "summary_text", "text": turn.thought}]
        yield {"type": "reasoning", "id": f"rs_{number}", "summary": summary}
    text = {"type": "output_text", "text": turn.text, "annotations": []}
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
    yield message | {"status": "completed", "content": [text]}
    if call := reply.call:
        yield {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(call.arguments),
            "status": "completed",
        }


def _item_events(item: Body, place: Body) -> Iterator[Body]:
    """What streams into an item between its beginning and its end."""
    match item["type"]:
        case "message":
            yield from _text_events(item["content"][0], place | {"content_index": 0})
        case "reasoning":
            yield from _summary_events(item["summary"][0], place | {"summary_index": 0})
        case _:
            given = item["arguments"]
            yield {"type": "response.function_call_arguments.delta", "delta": given} | place
            yield {"type": "response.function_call_arguments.done", "arguments": given} | place


def _text_events(part: Body, place: Body) -> Iterator[Body]:
    yield {"type": "response.content_part.added", "part": part | {"text": ""}} | place
    for half in halves(part["text"]):
        yield {"type": "response.output_text.delta", "delta": half} | place
    yield {"type": "response.output_text.done", "text": part["text"]} | place
    yield {"type": "response.content_part.done", "part": part} | place


def _summary_events(part: Body, place: Body) -> Iterator[Body]:
    yield {"type": "response.reasoning_summary_part.added", "part": part | {"text": ""}} | place
    yield {"type": "response.reasoning_summary_text.delta", "delta": part["text"]} | place
    yield {"type": "response.reasoning_summary_text.done", "text": part["text"]} | place
    yield {"type": "response.reasoning_summary_part.done", "part": part} | place


def _usage(tokens: Tokens) -> Body:
    given = tokens.uncached + tokens.cached
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": given + tokens.output,
    }
