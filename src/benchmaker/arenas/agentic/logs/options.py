"""Options for reading logs: limits, content to keep, and the reporting of problems."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from benchmaker.arenas.agentic.logs.numerals import number_in, rewritten

MAX_COUNT = 10**12
"""Maximum count; larger ones are refused as absurd."""

_NEGATIVE: Final = "is negative"
_NOT_FINITE: Final = "is not finite"
_WHAT_TO_DO: Final = "; correct the figure, or omit it if unknown"
_ROW: Final = "the row is refused: "
_MOST = 40


class Skipped(NamedTuple):
    """An unreadable line, figure, or whole file (line 0).

    With ``is_note`` nothing was lost: it is informational.
    """

    path: Path
    line: int
    reason: str
    is_note: bool = False

    @property
    def is_impossible(self) -> bool:
        """True if it is a negative or non-finite figure of a session, which then is not scored."""
        words = (_NEGATIVE + _WHAT_TO_DO, _NOT_FINITE + _WHAT_TO_DO)
        return not self.is_row and any(it in self.reason for it in words)

    @property
    def is_row(self) -> bool:
        """True if a whole row was refused."""
        return self.reason.startswith(_ROW)


def is_impossible(value: object) -> bool:
    """True if a figure is negative or not finite; texts count if they parse as a number.

    >>> is_impossible(-5), is_impossible("NaN"), is_impossible("1e999"), is_impossible("many")
    (True, True, True, False)
    """
    figure = number_in(value) if isinstance(value, str) else value
    return isinstance(figure, int | float) and not 0 <= figure < math.inf


def why_not_true(name: str, value: object) -> str:
    """Return the complaint about a figure, with the remedy.

    >>> why_not_true("tokens", -5)
    "tokens: '-5' is negative; correct the figure, or omit it if unknown"
    >>> why_not_true("tokens", "12k")
    "tokens: '12k' is not a number; correct the figure, or omit it if unknown"
    >>> why_not_true("tokens", "26,000")
    "tokens: '26,000' is not a number; write 26000 without separators"
    """
    figure = rewritten(value) if isinstance(value, str) else ""
    advice = f"; write {figure}" if figure else _WHAT_TO_DO
    return f"{name}: {str(value)[:_MOST]!r} {fault(value)}{advice}"


def _is_number(value: object) -> bool:
    """True if it is a number, or a text with one."""
    if isinstance(value, str):
        return number_in(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def fault(value: object) -> str:
    """Return the fault of a figure; whole numbers may be too large for a float.

    >>> fault("12k"), fault(-5), fault(1.5)
    ('is not a number', 'is negative', "can't be true")
    """
    if not _is_number(value):
        return "is not a number"
    if not is_impossible(value):
        return "can't be true"
    figure = number_in(value) if isinstance(value, str) else value
    is_negative = isinstance(figure, int | float) and -math.inf < figure < 0
    return _NEGATIVE if is_negative else _NOT_FINITE


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of reading logs.

    ``skip`` is called with every unreadable line and figure. ``drop_content`` omits texts,
    arguments and outputs. ``model`` is the default model. Sizes are in bytes; ``max_depth`` limits
    the nesting of objects and lists.
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
        """Return the text for storage: None if content is dropped, truncated if too long."""
        if text is None or self.drop_content:
            return None
        return text if len(text) <= self.max_text_bytes // 4 else _cut(text, self.max_text_bytes)

    def count(self, value: object, name: str, *, path: Path, line: int = 0) -> int | None:
        """The value if it is a valid count; others (NaN, -5, "many") are reported and None."""
        if value is None:
            return None
        if type(value) is int and 0 <= value <= MAX_COUNT:
            return value
        if isinstance(value, float) and value.is_integer() and 0 <= value <= MAX_COUNT:
            return int(value)
        self._refuse(value, name, path, line)
        return None

    def amount(self, value: object, name: str, *, path: Path, line: int = 0) -> float | None:
        """The value if it is a valid amount of dollars or seconds; else as :meth:`count`."""
        if value is None:
            return None
        if isinstance(value, int | float) and type(value) is not bool and 0 <= value <= MAX_COUNT:
            return float(value)
        self._refuse(value, name, path, line)
        return None

    def refuse_impossible(
        self, figures: Iterable[tuple[str, object]], *, path: Path, line: int = 0
    ) -> None:
        """Report each figure that is negative or not finite; with one, a session is not scored."""
        for name, value in figures:
            if is_impossible(value):
                self._refuse(value, name, path, line)

    def pass_on(self, left_out: Iterable[str], *, path: Path, line: int = 0) -> None:
        """Report figures dropped from a row because they are impossible."""
        for complaint in left_out:
            skipped = Skipped(path, line, f"skipped {complaint}")
            if skipped.is_impossible:
                self.skip(skipped)

    def refuse_row(self, why: str, *, path: Path, line: int = 0) -> None:
        """Report that a whole row is refused, such as for a negative figure."""
        self.skip(Skipped(path, line, _ROW + why))

    def _refuse(self, value: object, name: str, path: Path, line: int) -> None:
        self.skip(Skipped(path, line, why_not_true(name, value)))


def _ignore(_: Skipped) -> None:
    """Report nothing."""


QUIET: Final = Options(skip=_ignore)
"""Options for a preview of a file, whose problems are reported when it is parsed."""


def _cut(text: str, size: int) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= size:
        return text
    return raw[:size].decode("utf-8", "ignore") + f"… [{len(raw) - size:,} bytes left out]"
