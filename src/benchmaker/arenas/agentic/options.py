"""How logs are read: what is kept of them, what is refused, and who is told."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

MAX_COUNT = 10**12
"""The largest count of anything that is believed."""

_NEGATIVE: Final = "is negative"
_NOT_FINITE: Final = "is not finite"
_WHAT_TO_DO: Final = "; correct the figure, or leave it out where it is not known"
_ROW: Final = "the row is refused: "
_MOST = 40


class Skipped(NamedTuple):
    """A line, a figure, or a whole file (line 0) that could not be read.

    With ``is_note`` nothing is missing: it is only worth saying.
    """

    path: Path
    line: int
    reason: str
    is_note: bool = False

    @property
    def is_impossible(self) -> bool:
        """Whether a session has a figure that is negative or not finite, and is not scored."""
        words = (_NEGATIVE + _WHAT_TO_DO, _NOT_FINITE + _WHAT_TO_DO)
        return not self.is_row and any(it in self.reason for it in words)

    @property
    def is_row(self) -> bool:
        """Whether a whole row was refused."""
        return self.reason.startswith(_ROW)


def is_impossible(value: object) -> bool:
    """Whether a figure is negative or not finite; a text is one as far as it is a number.

    >>> is_impossible(-5), is_impossible("NaN"), is_impossible("1e999"), is_impossible("many")
    (True, True, True, False)
    """
    if isinstance(value, str):
        with suppress(ValueError):
            return is_impossible(float(value))
        return False
    return isinstance(value, int | float) and not 0 <= value < math.inf


def why_not_true(name: str, value: object) -> str:
    """What is wrong with a figure, and what to do about it.

    >>> why_not_true("tokens", -5)
    "tokens: '-5' is negative; correct the figure, or leave it out where it is not known"
    """
    wrong = "can't be true"
    if is_impossible(value):
        wrong = _NEGATIVE if float(value) < 0 and float(value) > -math.inf else _NOT_FINITE  # type: ignore[arg-type]  # a number or its text
    return f"{name}: {str(value)[:_MOST]!r} {wrong}{_WHAT_TO_DO}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read.

    ``skip`` is told of every line and figure that can't be read. ``drop_content`` leaves texts,
    arguments and outputs out. ``model`` is what to call the model where the log doesn't say.
    Sizes are in bytes, ``max_depth`` counts nested objects and lists.
    """

    skip: Callable[[Skipped], None]
    drop_content: bool = False
    max_line_bytes: int = 64 * 2**20
    max_file_bytes: int = 16 * 2**30
    max_document_bytes: int = 256 * 2**20
    max_text_bytes: int = 64 * 2**10
    max_depth: int = 200
    model: str | None = None

    def text(self, text: str | None) -> str | None:
        """The text as it is kept: not at all without content, else cut where it is too long."""
        if text is None or self.drop_content:
            return None
        return text if len(text) <= self.max_text_bytes // 4 else _cut(text, self.max_text_bytes)

    def count(self, value: object, name: str, *, path: Path, line: int = 0) -> int | None:
        """The value if it can be a count; what can't (NaN, -5, "many") is told and is None."""
        if value is None:
            return None
        if type(value) is int and 0 <= value <= MAX_COUNT:
            return value
        if isinstance(value, float) and value.is_integer() and 0 <= value <= MAX_COUNT:
            return int(value)
        self._refuse(value, name, path, line)
        return None

    def amount(self, value: object, name: str, *, path: Path, line: int = 0) -> float | None:
        """The value if it can be an amount of dollars or seconds; else as :meth:`count`."""
        if value is None:
            return None
        if isinstance(value, int | float) and type(value) is not bool and 0 <= value <= MAX_COUNT:
            return float(value)
        self._refuse(value, name, path, line)
        return None

    def refuse_row(self, why: str, *, path: Path, line: int = 0) -> None:
        """Tell that a whole row is refused, as for a figure that can't be true."""
        self.skip(Skipped(path, line, _ROW + why))

    def _refuse(self, value: object, name: str, path: Path, line: int) -> None:
        self.skip(Skipped(path, line, why_not_true(name, value)))


def _cut(text: str, size: int) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= size:
        return text
    return raw[:size].decode("utf-8", "ignore") + f"… [{len(raw) - size:,} bytes left out]"
