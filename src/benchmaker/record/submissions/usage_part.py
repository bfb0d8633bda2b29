"""The usage of a session in parts: per model and quarter-hour."""

import msgspec

from benchmaker.record.submissions.submission import TokenUsage

QUARTER_S = 900
"""The length of a part in seconds. In every time zone, days begin on a quarter-hour."""


class UsagePart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model's usage for a session within a quarter-hour.

    ``first_at`` and ``last_at`` are the times of its first and last answer in seconds since 1970,
    None if the log has no times. ``reported_usd`` and ``computed_usd`` are as in
    :class:`~.submission.Cost`; with ``is_divided`` the tool reports one cost for the whole session,
    and this is the part's share of it. ``active_s`` is the session's active time within the
    quarter-hour; if several models worked in it, only one of the parts has it.
    """

    first_at: float | None = None
    last_at: float | None = None
    model: str | None = None
    usage: TokenUsage = TokenUsage()
    tokens: int | None = None
    llm_calls: int | None = None
    reported_usd: float | None = None
    computed_usd: float | None = None
    is_divided: bool = False
    active_s: float | None = None
