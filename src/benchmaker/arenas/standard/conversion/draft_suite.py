"""A suite in the making: its values, and what of the original is not carried over."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Anchor = tuple[str | int, ...]
"""The place in the suite that an omission belongs to: a key, or a list and an index."""


class Omission(NamedTuple):
    """A piece of the original that is not carried over.

    ``where`` is its file, ``line`` counts from 1, ``what`` says what is missing in the suite, and
    ``text`` is the piece itself.
    """

    where: str
    line: int
    what: str
    text: str


class NotTranslated(ValueError):
    """A value of the original has no counterpart; the message says what is missing."""


@dataclass(slots=True)
class DraftSuite:
    """The values of a suite's file, fill_template by the converter of a tool.

    ``header`` holds all keys but ``cases``. ``omissions`` are listed with the places in the suite
    before which their comments stand.
    """

    tool: str
    source: str
    header: dict[str, Any] = field(default_factory=dict)
    cases: list[dict[str, Any]] = field(default_factory=list)
    omissions: list[tuple[Anchor, Omission]] = field(default_factory=list)

    def omit(self, anchor: Anchor, omission: Omission) -> None:
        """Note an omission once, at its first place."""
        if omission not in self.listed_omissions():
            self.omissions.append((anchor, omission))

    def listed_omissions(self) -> list[Omission]:
        """The omissions in their order."""
        return [one for _, one in self.omissions]


def unique_id(wanted: str, taken: Iterable[str]) -> str:
    """Return an id that is not taken: the wanted one, or with a number after it.

    >>> unique_id("a", {"a", "a-2"})
    'a-3'
    """
    name, number, used = wanted[:200] or "case", 2, set(taken)
    found = name
    while found in used:
        found, number = f"{name}-{number}", number + 1
    return found


def no_verdict(reason: str) -> dict[str, Any]:
    """Return the check in place of one that is not carried over, so that no answer passes."""
    return {"type": "no_verdict", "reason": reason}
