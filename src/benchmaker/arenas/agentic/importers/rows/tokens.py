"""The tokens of a row: its own total, the kinds beside it, and names that are no kind."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.arenas.agentic.importers.rows.fields import KINDS, KNOWN
from benchmaker.arenas.agentic.logs.numerals import number_in
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.record.submissions.submission import TokenUsage

TOTAL: Final = "total_tokens"
NEEDED: Final = ("input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output")
"""The kinds that a row without a total has to name, so that their sum is the total."""

_PREFIX: Final = "usage."
_LIKE_A_KIND = re.compile(r"usage[\s._-]*(?=[a-z0-9])", re.IGNORECASE)
_LONGEST: Final = 60


def with_remainder(usage: TokenUsage, total: int) -> TokenUsage:
    """The kinds of a row with its own total, whose remainder is of no known kind.

    >>> with_remainder(TokenUsage(input_uncached=20_000, output=500), 30_000).other
    9500

    A remainder of 0 is kept if input or output is missing, since it says that nothing is left.
    """
    known = usage.total
    if known is None or (known == total and usage.input_uncached and usage.output):
        return usage
    return msgspec.structs.replace(usage, other=(usage.other or 0) + total - known)


def lacks_kinds(usage: TokenUsage) -> bool:
    """True if kinds are named, but not all of those that make up a total.

    >>> lacks_kinds(TokenUsage(output=500)), lacks_kinds(TokenUsage())
    (True, False)
    """
    return usage.total is not None and any(getattr(usage, kind) is None for kind in NEEDED)


def why_total_too_small(flat: Mapping[str, Any]) -> str:
    """Return the fault of a row whose kinds add up to more than its total; empty if none.

    >>> why_total_too_small({"total_tokens": "7", "usage.output": 9})
    'total_tokens: 7 is less than usage.output, 9; correct the figures, or omit the wrong ones'
    """
    total = _count(flat.get(TOTAL))
    named = {name: n for name in KINDS if (n := _count(flat.get(name))) is not None}
    added = TokenUsage(**{KINDS[name]: n for name, n in named.items()}).total
    if not total or added is None or added <= total:
        return ""
    names = " + ".join(name for name in named if name != "usage.reasoning")
    advice = "correct the figures, or omit the wrong ones"
    return f"{TOTAL}: {total} is less than {names}, {added}; {advice}"


def unknown_kind(name: str) -> str | None:
    """Return a note on a field that looks like a kind of tokens and is none; None for others.

    >>> unknown_kind("usage.uncached_input")
    "usage.uncached_input (did you mean 'usage.input_uncached'?)"
    >>> unknown_kind("usage.foo"), unknown_kind("usage.output"), unknown_kind("usage notes")
    ('usage.foo', None, None)
    """
    start = _LIKE_A_KIND.match(name)
    if name in KNOWN or start is None:
        return None
    near = _nearest(name[start.end() :])
    if near is None:
        return name[:_LONGEST] if name.startswith(_PREFIX) else None
    return f"{name[:_LONGEST]} (did you mean {near!r}?)"


def _nearest(kind: str) -> str | None:
    """The field with the most similar words, in whatever order; None where none is similar."""
    words = {_sorted_words(known): f"{_PREFIX}{known}" for known in KINDS.values()}
    words |= {_sorted_words(it): TOTAL for it in ("total", TOTAL, "tokens")}
    close = get_close_matches(_sorted_words(kind[:_LONGEST]), list(words), n=1)
    return words[close[0]] if close else None


def _sorted_words(name: str) -> str:
    return " ".join(sorted(re.split(r"[\s._-]+", name.lower())))


def _count(value: Any) -> int | None:  # noqa: ANN401  any JSON
    """The count in a cell; None if there is none."""
    figure = number_in(value) if isinstance(value, str) else value
    return QUIET.count(figure, "", path=Path())
