"""The tokens of a row: its own total, the kinds beside it, and names that are no kind."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
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
_SIMILAR: Final = 0.75
_OUR_WORDS: Final = {
    "cached": "cache read",
    "creation": "write",
    "prompt": "input",
    "completion": "output",
    "thinking": "reasoning",
    "thoughts": "reasoning",
    "tokens": "",
    "token": "",
}
"""Words of providers for kinds of tokens."""


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


@lru_cache(maxsize=1024)
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
        return name[:_LONGEST] if name.lower().startswith(_PREFIX) else None
    return f"{name[:_LONGEST]} (did you mean {near!r}?)"


def _nearest(kind: str) -> str | None:
    """The field with most words in common, else the most similar one; None if none is similar."""
    words = _words(kind)
    known = {it: _words(it) for it in (*KINDS.values(), "total")}
    best = max(known, key=lambda it: len(words & known[it]) / len(words | known[it]))
    if not words & known[best]:
        close = get_close_matches(kind[:_LONGEST].lower(), known, n=1, cutoff=_SIMILAR)
        best = close[0] if close else ""
    return TOTAL if best == "total" else f"{_PREFIX}{best}" if best else None


def _words(name: str) -> frozenset[str]:
    """The words of a kind's name, those of providers replaced by ours."""
    words = re.split(r"[\s._-]+", name[:_LONGEST].lower())
    return frozenset(" ".join(_OUR_WORDS.get(it, it) for it in words).split())


def _count(value: Any) -> int | None:  # noqa: ANN401  any JSON
    """The count in a cell; None if there is none."""
    figure = number_in(value) if isinstance(value, str) else value
    return QUIET.count(figure, "", path=Path())
