# ruff: noqa: RUF001  the marks themselves
r"""Normalisation: permitted differences between texts of the same answer.

A list of steps, applied in order. The default list is :data:`DEFAULT`. If quotes, backticks or
white space remain at an end after that, ``spaces``, ``outer_quotes`` and ``fences`` are applied
once more if listed, since the removed part may have hidden them: ``"Paris".``
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

from benchmaker.errors import SpecError
from benchmaker.spec.documents.suggestions import did_you_mean

_STRAIGHT = "'\""
_PAIRED = {"“": "”", "‘": "’", "„": "“", "«": "»", "「": "」"}
LANGUAGES = (
    "bash|c|cpp|css|csv|go|html|java|javascript|js|json|jsx|latex|markdown|md|math|plain|plaintext"
    "|py|python|ruby|rust|sh|shell|sql|tex|text|toml|ts|tsx|txt|typescript|xml|yaml|yml"
)
"""Names of languages allowed after an opening fence on the same line."""

_FENCE = re.compile(r"`{3,}|~{3,}")
_INFO = re.compile(rf"[\w+.-]*[ \t]*\n|(?:{LANGUAGES})(?=\s)", re.IGNORECASE)
_INLINE = re.compile(r"\s*`([^`]+)`\s*")
_WRAPPING = ("spaces", "outer_quotes", "fences")
_PLAIN = re.compile(r"(?:[A-Za-z0-9,;:!?()%$/+-]++[ ]?+)++(?<![ ])[.]?")
_IDLE_ON_PLAIN = frozenset({"nfc", "line_ends", "spaces", "outer_quotes", "fences"})
_WRAPS = frozenset(" \t\n\"'`~“”‘’„«»「」")

Step = Callable[[str], str]


def nfc(text: str) -> str:
    """Composed Unicode, so that é is é however it was typed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def line_ends(text: str) -> str:
    """One kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def spaces(text: str) -> str:
    """Runs of white space, line breaks included, become one space; none at the ends."""
    return " ".join(text.split())


def outer_quotes(text: str) -> str:
    """Quotation marks around the whole come off, all of them; no white space is touched.

    Straight ones need no partner, as models drop or mix them: ``"it's'`` is ``it's``. Others come
    off in pairs.
    """
    start, end = 0, len(text)
    while start < end:
        if text[start] in _STRAIGHT:
            start += 1
        elif text[end - 1] in _STRAIGHT:
            end -= 1
        elif end - start > 1 and _PAIRED.get(text[start]) == text[end - 1]:
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]


def fences(text: str) -> str:
    """A Markdown fence around the whole comes off, the name of its language with it.

    So do the single backticks around ``inline code``.
    """
    if "`" not in text and "~~~" not in text:
        return text
    block = text.strip()
    fence = _FENCE.match(block)
    if fence is None:
        inline = _INLINE.fullmatch(text)
        return inline[1] if inline else text
    inside = block[fence.end() : -len(fence[0])]
    if not block.endswith(fence[0]) or len(block) < 2 * len(fence[0]) or fence[0] in inside:
        return text
    info = _INFO.match(inside)
    content = inside[info.end() if info else 0 :]
    return content.removesuffix("\n") if "\n" in inside else content.strip()


def final_stop(text: str) -> str:
    """One final full stop comes off."""
    return text[:-1] if text.endswith((".", "。")) else text


def casefold(text: str) -> str:
    """Case is ignored as Unicode has it: ß equals SS, which lower case would keep apart."""
    return text.casefold()


def escape_line_breaks(text: str) -> str:
    r"""A real line break is written as ``\n``, as literals of programming languages do."""
    return text.replace("\n", "\\n") if "\n" in text else text


NORMALISERS: dict[str, Step] = {
    "nfc": nfc,
    "line_ends": line_ends,
    "spaces": spaces,
    "outer_quotes": outer_quotes,
    "fences": fences,
    "final_stop": final_stop,
    "casefold": casefold,
    "escape_line_breaks": escape_line_breaks,
}
"""Every step by its name."""

DEFAULT = tuple(name for name in NORMALISERS if name != "escape_line_breaks")
"""The steps of a suite that lists none."""


def normalise(text: str, names: Sequence[str] = DEFAULT) -> str:
    """The text after those steps.

    Raises:
        SpecError: a step that does not exist.

    >>> normalise(' "Paris". ')
    'paris'
    """
    steps, on_plain, again = _steps(tuple(names))
    for step in on_plain if _PLAIN.fullmatch(text) else steps:
        text = step(text)
    if text and (text[0] in _WRAPS or text[-1] in _WRAPS):
        for step in again:
            text = step(text)
    return text


def _check_step(name: str) -> str:
    """The step's name; SpecError where there is no such step."""
    _steps((name,))
    return name


StepName = Annotated[str, AfterValidator(_check_step)]
"""The name of a step, as a parameter of a scorer."""


@lru_cache(maxsize=256)
def _steps(names: tuple[str, ...]) -> tuple[tuple[Step, ...], ...]:
    """The steps of a list, those that may change a plain text, those worth a second look."""
    for name in names:
        if name not in NORMALISERS:
            guess = did_you_mean(name, NORMALISERS)
            known = f"Use one of {', '.join(NORMALISERS)}."
            raise SpecError(f"unknown step {name!r} in normalise.", hint=f"{guess} {known}".strip())
    on_plain = (name for name in names if name not in _IDLE_ON_PLAIN)
    again = (name for name in _WRAPPING if name in names)
    return _steps_by_name(names), _steps_by_name(on_plain), _steps_by_name(again)


def _steps_by_name(names: Iterable[str]) -> tuple[Step, ...]:
    return tuple(NORMALISERS[name] for name in names)
