"""What the four forms of wire have in common."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from drift.script import Reply, Tokens

Body = dict[str, Any]


class Wire(Protocol):
    """A form in which tools ask models, as far as a scripted one has to know it."""

    def takes(self, path: str) -> bool:
        """Whether a request to that path is of this form."""
        ...

    def offered(self, body: Body) -> list[str]:
        """The names of the tools that the model may call."""
        ...

    def results(self, body: Body) -> list[str]:
        """What the calls so far gave back, as it was sent to the model."""
        ...

    def counted(self, tokens: Tokens) -> Tokens:
        """The tokens as this form counts them; what it has no field for is 0."""
        ...

    def is_streamed(self, path: str, body: Body) -> bool:
        """Whether the answer is asked for piece by piece."""
        ...

    def whole(self, reply: Reply) -> Body:
        """The answer in one piece."""
        ...

    def pieces(self, reply: Reply) -> Iterator[Body]:
        """The same as events of a stream."""
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
