"""Implausible usage: faulty parts become unknown, with a flag."""

import msgspec

from benchmaker.arenas.agentic.logs.options import MAX_COUNT
from benchmaker.record.submissions.submission import TokenUsage

_KINDS = TokenUsage.__struct_fields__
TOLERANCE = 0.005
"""A total that is stated may differ from the sum of its kinds by this share."""


def drop_implausible(usage: TokenUsage) -> TokenUsage:
    """Return the usage without negative or absurd counts; the same object if all are valid."""
    wrong = {
        kind: None
        for kind in _KINDS
        if (n := getattr(usage, kind)) is not None and not 0 <= n <= MAX_COUNT
    }
    return msgspec.structs.replace(usage, **wrong) if wrong else usage


def drop_excess_reasoning(usage: TokenUsage, flags: set[str]) -> TokenUsage:
    """Return the usage, without reasoning if there is more of it than output."""
    if usage.reasoning is None or usage.reasoning <= (usage.output or 0):
        return usage
    flags.add("reasoning_exceeds_output")
    return msgspec.structs.replace(usage, reasoning=None)


def total_of(usage: TokenUsage, stated: int | None, flags: set[str]) -> int | None:
    """The sum of the kinds, else the total that the log states; a difference is flagged."""
    total = usage.total
    if total is None:
        return stated or None
    if stated and abs(stated - total) > TOLERANCE * max(stated, total):
        flags.add("total_differs")
    return total
