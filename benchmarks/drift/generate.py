"""Gemini's generateContent."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from drift.script import Reply, Tokens
from drift.wire import Body, as_text, halves


class Generate:
    """generateContent; cached tokens lie inside the prompt's, thoughts beside the candidates'."""

    def takes(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def offered(self, body: Body) -> list[str]:
        return [
            function.get("name", "")
            for tool in body.get("tools") or ()
            for function in tool.get("functionDeclarations") or ()
        ]

    def results(self, body: Body) -> list[str]:
        parts = [part for it in body.get("contents", ()) for part in it.get("parts") or ()]
        given = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [as_text(it.get("response")) for it in given]

    def counted(self, tokens: Tokens) -> Tokens:
        return replace(tokens, written=0)

    def is_streamed(self, path: str, _body: Body) -> bool:
        return path.endswith(":streamGenerateContent")

    def whole(self, reply: Reply) -> Body:
        return _chunk(reply, list(_parts(reply)), is_last=True)

    def pieces(self, reply: Reply) -> Iterator[Body]:
        *before, last = _parts(reply)
        for part in before:
            yield _chunk(reply, [part])
        yield _chunk(reply, [last], is_last=True)


def _chunk(reply: Reply, parts: list[dict[str, Any]], *, is_last: bool = False) -> Body:
    candidate: Body = {"index": 0, "content": {"role": "model", "parts": parts}}
    if is_last:
        candidate["finishReason"] = "STOP"
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(reply.turn.tokens),
        "modelVersion": reply.model,
        "responseId": f"drift-{reply.number}",
    }


def _parts(reply: Reply) -> Iterator[Body]:
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
