"""The script of the model: words, calls and token counts, each of them distinct."""

from dataclasses import dataclass
from typing import Any

PROMPT = "Write the word kestrel into one.txt, read a file that is missing, then say so."


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
    tokens: Tokens
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
class Reply:
    """A turn on its way to a tool: the number of the answer, the model asked for, the call."""

    number: int
    model: str
    turn: Turn
    call: Call | None = None


WORK = Turn(
    text="First I write the file, marlin.",
    thought="The folder may be empty, osprey.",
    command="printf kestrel > one.txt && cat one.txt",
    output="kestrel",
    tokens=Tokens(uncached=1103, cached=2207, written=409, output=151, reasoning=67),
)
FAIL = Turn(
    text="Now I read what is missing, turbot.",
    command="cat no-such-file.txt",
    output="No such file",
    tokens=Tokens(uncached=307, cached=3719, written=211, output=97, reasoning=29),
)
SAY = Turn(
    text="One is written and the other is missing, bittern.",
    thought="Both are done, dunlin.",
    tokens=Tokens(uncached=503, cached=4337, written=113, output=59, reasoning=23),
)
TURNS = (WORK, FAIL, SAY)

ASIDE = Turn(text="Birds", tokens=Tokens(uncached=19, output=5))
"""The answer to a request beside the conversation, such as one for a title."""
