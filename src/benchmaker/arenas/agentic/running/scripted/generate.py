"""Gemini's generateContent."""

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


class Generate:
    """generateContent; cached tokens lie inside the prompt's, thoughts beside the candidates'."""

    def takes(self, path: str) -> bool:
        """True for its path."""
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def find_tools(self, body: Body) -> Offered:
        """Each function declaration, with a schema of one of two forms."""
        return {
            one.get("name", ""): properties(
                one.get("parametersJsonSchema") or one.get("parameters")
            )
            for tool in body.get("tools") or ()
            for one in tool.get("functionDeclarations") or ()
        }

    def results(self, body: Body) -> list[str]:
        """The outputs of calls, from the whole conversation."""
        parts = [part for it in body.get("contents", ()) for part in it.get("parts") or ()]
        given = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [as_text(it.get("response")) for it in given]

    def count(self, tokens: Tokens) -> Tokens:
        """Kinds without a field are 0."""
        return replace(tokens, written=0)

    def is_streamed(self, path: str, _body: Body) -> bool:
        """True for a stream."""
        return path.endswith(":streamGenerateContent")

    def whole(self, reply: ScriptedReply) -> Body:
        """The reply as one document."""
        return _chunk(reply, list(_parts(reply)), is_last=True)

    def pieces(self, reply: ScriptedReply) -> Iterator[Body]:
        """The reply as the events of a stream."""
        *before, last = _parts(reply)
        for part in before:
            yield _chunk(reply, [part])
        yield _chunk(reply, [last], is_last=True)


def _chunk(reply: ScriptedReply, parts: list[dict[str, Any]], *, is_last: bool = False) -> Body:
    candidate: Body = {"index": 0, "content": {"role": "model", "parts": parts}}
    if is_last:
        candidate["finishReason"] = "STOP"
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(reply.turn.tokens),
        "modelVersion": reply.model,
        "responseId": f"script-{reply.number}",
    }


def _parts(reply: ScriptedReply) -> Iterator[Body]:
    if reply.turn.thought:
        yield {"text": reply.turn.thought, "thought": True}
    for half in halves(reply.turn.text):
        yield {"text": half}
    if call := reply.call:
        yield {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}


def _usage(tokens: Tokens) -> Body:
    given = tokens.uncached + tokens.cached
    return {
        "promptTokenCount": given,
        "cachedContentTokenCount": tokens.cached,
        "candidatesTokenCount": tokens.output - tokens.reasoning,
        "thoughtsTokenCount": tokens.reasoning,
        "totalTokenCount": given + tokens.output,
    }
