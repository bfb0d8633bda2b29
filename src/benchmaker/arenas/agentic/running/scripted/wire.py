"""The protocol of the four wires, and their common helpers."""

import json
from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

from benchmaker.arenas.agentic.running.scripted.script import ScriptedReply, Tokens

Body: TypeAlias = dict[str, Any]
Offered: TypeAlias = dict[str, frozenset[str]]
"""The offered tools by name, each with its declared parameters; none if they are unknown."""


class Wire(Protocol):
    """A protocol between agents and models, as far as a scripted model needs it."""

    def takes(self, path: str) -> bool:
        """Return True if a request to that path is of this wire."""
        ...

    def find_tools(self, body: Body) -> Offered:
        """The tools that the model may call."""
        ...

    def results(self, body: Body) -> list[str]:
        """The outputs of the calls so far, as they were sent to the model."""
        ...

    def count(self, tokens: Tokens) -> Tokens:
        """The tokens as this wire counts them; a kind without a field is 0."""
        ...

    def is_streamed(self, path: str, body: Body) -> bool:
        """Return True if the request is for a stream."""
        ...

    def whole(self, reply: ScriptedReply) -> Body:
        """The reply as one document."""
        ...

    def pieces(self, reply: ScriptedReply) -> Iterator[Body]:
        """The same reply as events of a stream."""
        ...


def as_text(content: object) -> str:
    """A text, or parts with texts, as one line."""
    return content if isinstance(content, str) else json.dumps(content)


def halves(text: str) -> tuple[str, str]:
    """A text in two pieces, as a stream has them.

    >>> halves("abc")
    ('a', 'bc')
    """
    middle = len(text) // 2
    return text[:middle], text[middle:]


def properties(schema: object) -> frozenset[str]:
    """The names of the properties in the JSON Schema of an object.

    >>> sorted(properties({"type": "object", "properties": {"a": {}, "b": {}}}))
    ['a', 'b']
    """
    found = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(found) if isinstance(found, dict) else frozenset()
