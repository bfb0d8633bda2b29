"""What the server answers: a function of the prompt, with known tokens."""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.live.server.question import Question

Finish = Literal["stop", "length", "filter", "refusal", "tool", "unknown", "none"]
Shape = Literal["whole", "missing", "empty", "no_message", "two"]

_SUM = re.compile(r"(\d+) \+ (\d+)")


@dataclass(frozen=True, slots=True)
class Counts:
    """Reported tokens; ``Any``, since faults report what is no number. None is not reported.

    ``total`` is None where it follows from the others. ``inconsistent`` adds parts that do not
    add up, in whatever way the protocol has.
    """

    given: Any
    made: Any
    total: Any = None
    inconsistent: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer before it is put into a protocol's words.

    ``parts`` stands for ``text`` where the content comes in pieces. ``shape`` says what of the
    envelope is missing or there twice.
    """

    text: str | None
    counts: Counts | None
    model: str
    id: str
    finish: Finish = "stop"
    parts: tuple[str, ...] = ()
    reasoning: str | None = None
    tool: str | None = None
    refusal: str | None = None
    shape: Shape = "whole"
    other: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text as a stream sends it: at least two pieces when it has two characters."""
        text = self.text or ""
        size = max(1, min(4, len(text) // 2))
        return tuple(text[at : at + size] for at in range(0, len(text), size))


def answer_to(prompt: str) -> str:
    """The sum of the last ``a + b`` in the prompt, else a word made from the prompt.

    >>> answer_to("[c1] 40 + 2?")
    '42'
    """
    sums = _SUM.findall(prompt)
    if sums:
        return str(int(sums[-1][0]) + int(sums[-1][1]))
    return "word-" + hashlib.sha256(prompt.encode()).hexdigest()[:8]


def tokens_of(prompt: str, answer: str) -> tuple[int, int]:
    """Tokens in and out: the words of the prompt and 3 more, the characters of the answer."""
    return len(prompt.split()) + 3, max(1, len(answer))


def reply_to(question: Question, number: int) -> Reply:
    """The good answer to a question; ``number`` makes its id."""
    answer = answer_to(question.prompt)
    given, made = tokens_of(question.prompt, answer)
    prefix = "msg_" if question.protocol == "anthropic" else "chatcmpl-"
    return Reply(
        text=answer, counts=Counts(given, made), model=question.model, id=f"{prefix}{number:08}"
    )
