"""The width of text: that of ``COLUMNS``, else the terminal's, else 80 columns; folded names."""

import os
import re
from collections.abc import Iterator
from textwrap import wrap
from typing import TextIO

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

_PARTS = re.compile(r"[^\s/-]*[\s/-]+|[^\s/-]+")
"""Parts of a name, each with the signs behind which it may be broken."""


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
    r"""A name on lines of a width, broken behind spaces, hyphens and slashes where there are some.

    >>> fold_name("openrouter/mistral-large", 16)
    'openrouter/\nmistral-large'
    """
    return "\n".join(line for one in text.split("\n") for line in _name_lines(one, width))


def _name_lines(text: str, width: int) -> Iterator[str]:
    line = ""
    for part in _PARTS.findall(text):
        if line and cell_width(line + part.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
        while cell_width(line.rstrip()) > width:
            head, line = _cut(line, width)
            yield head
    yield line.rstrip()


def _cut(text: str, width: int) -> tuple[str, str]:
    """The longest beginning that fits, of one character at least, and the rest."""
    at = next(at for at in range(len(text), 0, -1) if at == 1 or cell_width(text[:at]) <= width)
    return text[:at], text[at:]
