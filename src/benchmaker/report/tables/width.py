"""The width of text: that of ``COLUMNS``, else the terminal's, else 80 columns; folded names."""

import os
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple, TextIO

WIDTH = 80
"""Columns of text where no width is known."""

LEAST = 40
"""No text is laid out for fewer columns."""

KEPT_SPACE = "\ue000"
"""A space at which no line ends."""

_NUMBER = r"[-−+]?[$]?[\d,]*\.?\d+%?"
_WHOLE = re.compile(
    rf"[\d.]+% CI \[{_NUMBER}, {_NUMBER}\]|[\d.]+% CI {_NUMBER} to {_NUMBER}|[\d.]+% CI\b"
    rf"|\[{_NUMBER}, {_NUMBER}\]|\bp [=<>] {_NUMBER}(?:e[-+]?\d+)?"
)
"""Intervals and p-values, which are never broken over lines."""

_PARTS = re.compile(r"[^\s/:-]*[\s/:-]+|[^\s/:-]+")
"""Parts of a name, each with the signs behind which it may be broken."""

_PARTS_END = re.compile(r"[\s/:-]$")

_LEAST_LAST = 3
"""Columns of the last line of a name that is broken well."""


def width_of(stream: TextIO) -> int:
    """The columns for text on a stream: those of its window, else 80."""
    return window_of(stream) or WIDTH


def window_of(stream: TextIO) -> int | None:
    """The columns of a stream's window, ``COLUMNS`` before its terminal's; None without one."""
    columns = _set_columns() or _terminal_columns(stream)
    return max(LEAST, columns) if columns else None


def _set_columns() -> int:
    """The value of ``COLUMNS``; 0 where it is unset or no number."""
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isascii() and said.isdigit() else 0


def _terminal_columns(stream: TextIO) -> int:
    """The columns of the stream's terminal; 0 without one, or where it does not know its size."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


def wrap_whole(
    text: str, width: int, *, subsequent_indent: str = "", initial_indent: str = ""
) -> list[str]:
    """The lines of a paragraph, wrapped at spaces; no interval and no p-value is broken.

    >>> wrap_whole("It leads by 20.0 points (95% CI 4.3 to 10.4).", 30)
    ['It leads by 20.0 points', '(95% CI 4.3 to 10.4).']
    """
    kept = _WHOLE.sub(lambda found: _keep(found[0], width), text)
    lines = wrap(
        kept,
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(KEPT_SPACE, " ") for line in lines]


def _keep(text: str, width: int) -> str:
    """A text that no wrapping breaks, if it fits into the width."""
    return text.replace(" ", KEPT_SPACE) if len(text) < width else text


def wrap_lines(text: str, width: int | None) -> list[str]:
    r"""The lines of a text, those over the width wrapped at spaces; all kept for None.

    >>> wrap_lines("What is 7 + 4?\nx", 8)
    ['What is', '7 + 4?', 'x']
    """
    lines = text.split("\n")
    if width is None:
        return lines
    return [
        part
        for line in lines
        for part in (wrap_whole(line, width) if cell_width(line) > width else [line])
    ]


def cell_width(text: str) -> int:
    """The columns of a terminal that a text takes."""
    from rich.cells import cell_len  # noqa: PLC0415  a heavy import

    return cell_len(text)


def fold_name(text: str, width: int) -> str:
    r"""A name on as few lines of a width as possible.

    It is broken at spaces where that is enough, else near the middle behind hyphens, slashes and
    colons; within a word only where the word alone is too wide. The last line has three columns or
    more where the name can be broken so.

    >>> fold_name("openrouter/mistral-large", 23)
    'openrouter/\nmistral-large'
    >>> fold_name("claude-haiku-4-5", 15)
    'claude-\nhaiku-4-5'
    """
    return "\n".join(line for one in text.split("\n") for line in _name_lines(one, width))


class _Fold(NamedTuple):
    """A way to fold the rest of a name, whose first line ends before part ``end``.

    ``breaks`` are those that are not at a space, ``cuts`` those within a word; ``squares`` is the
    sum of the squared widths, the smaller the more even.
    """

    is_short: bool = False
    lines: int = 0
    cuts: int = 0
    breaks: int = 0
    squares: int = 0
    end: int = 0

    @property
    def rank(self) -> tuple[int, ...]:
        """The smallest is the best; lines of words are filled, others are even."""
        uneven = self.squares if self.breaks else 0
        return self.is_short, self.lines, self.cuts, self.breaks, uneven, -self.end


def _name_lines(text: str, width: int) -> Iterator[str]:
    if cell_width(text.rstrip()) <= width:
        yield text.rstrip()
        return
    parts = list(_parts(text, width))
    best = [_Fold()] * (len(parts) + 1)
    for first in reversed(range(len(parts))):
        best[first] = min(_folds(parts, first, width, best), key=lambda fold: fold.rank)
    first = 0
    while first < len(parts):
        yield "".join(parts[first : best[first].end]).rstrip()
        first = best[first].end


def _parts(text: str, width: int) -> Iterator[str]:
    """The parts behind which a name may be broken: the signs of one that is too wide alone."""
    for part in _PARTS.findall(text):
        yield from part if cell_width(part.rstrip()) > width else (part,)


def _folds(parts: Sequence[str], first: int, width: int, best: Sequence[_Fold]) -> Iterator[_Fold]:
    """The ways to end the line that begins with a part; the best ones of later parts are known."""
    line = ""
    for end, part in enumerate(parts[first:], first + 1):
        line += part
        used, rest = cell_width(line.rstrip()), best[end]
        if used > width and end > first + 1:
            return
        is_last = end == len(parts)
        yield _Fold(
            used < _LEAST_LAST if is_last else rest.is_short,
            rest.lines + 1,
            rest.cuts + (not is_last and not _PARTS_END.search(part)),
            rest.breaks + (not is_last and not part[-1].isspace()),
            rest.squares + used**2,
            end,
        )
