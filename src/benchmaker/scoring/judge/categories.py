"""Judgements as one of several named categories, each with its score."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_MARKS = " \t\r\n*_`\"'“”‘’[](){}#>"  # noqa: RUF001  quotation marks as judges write them
_SHOWN = 60
_GAP = re.compile(r"[\s_-]+")


class NoCategory(ValueError):
    """The value names no category; the message explains it in plain words."""


@dataclass(frozen=True, slots=True)
class JudgeCategory:
    """One category: its id, its meaning for the judge, and its score from 0 to 1.

    The judge is not shown the score.

    Raises:
        ValueError: no id, or a score outside 0 to 1.
    """

    id: str
    meaning: str
    unit: float

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise ValueError("a category needs an id")
        if not (math.isfinite(self.unit) and 0 <= self.unit <= 1):
            raise ValueError(f"category {self.id!r}: a score is from 0 to 1, not {self.unit}")


def read_category(value: object, categories: Sequence[JudgeCategory]) -> JudgeCategory:
    """Return the category that a judge's text names, ignoring case and marks around it.

    Raises:
        NoCategory: any other value.

    >>> read_category("**Equal**.", [JudgeCategory("equal", "the same", 1.0)]).unit
    1.0
    """
    plain = _plain(value) if isinstance(value, str) else None
    for category in categories:
        if plain == _plain(category.id):
            return category
    names = ", ".join(category.id for category in categories)
    raise NoCategory(f"the verdict must be one of {names}, not {repr(value)[:_SHOWN]}")


def _plain(text: str) -> str:
    return _GAP.sub("_", text.strip(_MARKS).rstrip(" .!").strip(_MARKS)).casefold()
