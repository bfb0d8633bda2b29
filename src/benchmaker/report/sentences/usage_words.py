"""Notes on sums of usage: the source of costs, and exclusions."""

from collections.abc import Callable

from benchmaker.analysis.usage.session_usage import ExcludedUsage, UsageRow, UsageTable
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import UNKNOWN_MODEL

Money = Callable[[float], str]

_CENT = 0.005
"""A smaller rest of a sum is due to rounding."""


def cost_sums(total: UsageRow, money: Money) -> str:
    """Return the parts of the table's cost, where tools report some of it; else empty.

    Args:
        total: the sums of all rows.
        money: formats dollars.
    """
    reported, cost = total.reported_usd, total.cost_usd
    if reported is None or cost is None or total.computed_usd is None:
        return ""
    rest = cost - reported
    if rest < _CENT:
        return ""
    return (
        f"Of the {money(cost)}, {money(reported)} is reported by the tools; {money(rest)} is "
        "computed from tokens and prices, where a tool reports no cost."
    )


def unpriced_words(model: str) -> str:
    """Return the name of a model without a price, or words for requests without a model."""
    return "requests without a model" if model == UNKNOWN_MODEL else model


def active_time_note(made: UsageTable) -> str:
    """Return what active times with a plus exclude; empty if no time has one."""
    partial = [one for one in (*made.rows, made.total) if one.is_active_partial]
    excluded = []
    if any(one.active_s is not None for one in partial):
        excluded.append("sessions without an active time")
    if any(one.active_s is None for one in partial):
        excluded.append(f"sessions over several {made.by}s, whose times are unknown")
    return f"Active time with a plus excludes {' and '.join(excluded)}." if excluded else ""


def without_time(left_out: ExcludedUsage, money: Money) -> str:
    """Return the number of sessions with usage without a time, and its amount; empty if none.

    Args:
        left_out: the excluded usage.
        money: formats dollars.
    """
    n = left_out.sessions_without_time
    if not n:
        return ""
    tokens, usd = left_out.tokens_without_time, left_out.usd_without_time
    used = ("tokens unknown" if tokens is None else f"{tokens:,} tokens",)
    cost = ("cost unknown" if usd is None else money(usd),)
    return f"{count(n, 'session')} without a time ({', '.join((*used, *cost))})"


def outside_window(left_out: ExcludedUsage, money: Money) -> str:
    """Return the sentence on usage outside any range of days; empty if there is none."""
    found = without_time(left_out, money)
    return f"Not in these sums of selected days: {found}." if found else ""
