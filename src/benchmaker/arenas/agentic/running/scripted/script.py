"""The script of a model: its answers with their calls and token counts."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one answer in disjoint kinds; ``reasoning`` lies inside ``output``."""

    uncached: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    reasoning: int = 0

    def __add__(self, more: "Tokens") -> "Tokens":
        return Tokens(
            self.uncached + more.uncached,
            self.cached + more.cached,
            self.written + more.written,
            self.output + more.output,
            self.reasoning + more.reasoning,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer: its reasoning, its text, and the shell command that it calls, if any.

    ``output`` is a part of what the command prints, on a terminal in English.
    """

    text: str
    tokens: Tokens = field(default_factory=Tokens)
    thought: str = ""
    command: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool as it goes over the wire."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """A turn on its way to an agent: the number of the answer, the requested model, the call."""

    number: int
    model: str
    turn: Turn
    call: Call | None = None


ASIDE = Turn(text="Birds", tokens=Tokens(uncached=19, output=5))
"""The answer to a request beside the conversation, such as one for a title."""
