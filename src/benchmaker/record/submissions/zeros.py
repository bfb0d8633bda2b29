"""Figures of 0 in sessions that called a model: they were not measured and count as missing."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from benchmaker.record.submissions.submission import Submission, TokenUsage

ZERO_TOKENS: Final = "zero_tokens"
ZERO_SECONDS: Final = "zero_seconds"
ZERO_COST: Final = "zero_cost"

WORDS: Final = "0 despite model calls, so not measured"
"""The reasons that a figure of 0 is missing."""
FLAGS: Final = {ZERO_TOKENS: "tokens", ZERO_SECONDS: "seconds", ZERO_COST: "cost"}
"""The flags of figures that were 0, with the figure of each."""

_PATHS: Final = {
    ZERO_TOKENS: ("total_tokens",),
    ZERO_SECONDS: ("time.wall_s", "time.active_s"),
    ZERO_COST: ("cost.reported_usd",),
}


def measures_nothing(figure: float | None, *, llm_calls: int | None) -> bool:
    """True if a figure of 0 is implausible because a model was called; unknown calls count as some.

    >>> measures_nothing(0, llm_calls=3), measures_nothing(0, llm_calls=0)
    (True, False)
    """
    return figure == 0 and llm_calls != 0


def without_zeros(submission: Submission, *, is_free: Callable[[], bool]) -> Submission:
    """Remove tokens, seconds and dollars of 0 that were not measured.

    A flag names each kind that was removed. ``is_free`` is true if the model is free by the price
    list, so that a cost of 0 is valid.
    """
    if not _has_zero(submission):
        return submission
    flags: set[str] = set()
    gone: dict[str, Any] = {}
    if any(_is_zero(submission, n) for n in (submission.total_tokens, submission.usage.total)):
        flags.add(ZERO_TOKENS)
        usage = submission.usage if submission.usage.total else TokenUsage()
        gone |= {"total_tokens": submission.total_tokens or None, "usage": usage}
    for part, names, flag in _AMOUNTS:
        held = getattr(submission, part)
        zeros = [name for name in names if _is_zero(submission, getattr(held, name))]
        if zeros and not (flag == ZERO_COST and is_free()):
            flags.add(flag)
            gone[part] = msgspec.structs.replace(held, **dict.fromkeys(zeros))
    if not gone:
        return submission
    made = msgspec.structs.replace(submission, **gone)
    known = {path: it for path, it in made.provenance.items() if is_known(made, path)}
    return msgspec.structs.replace(
        made, provenance=known, flags=tuple(sorted({*made.flags, *flags}))
    )


def zero_reasons(submission: Submission) -> dict[str, str]:
    """Return the reasons why zero figures are missing, by path."""
    flagged = [path for flag in _PATHS if flag in submission.flags for path in _PATHS[flag]]
    return {path: WORDS for path in flagged if not is_known(submission, path)}


_AMOUNTS: Final = (
    ("time", ("wall_s", "active_s"), ZERO_SECONDS),
    ("cost", ("reported_usd", "computed_usd"), ZERO_COST),
)


def _has_zero(submission: Submission) -> bool:
    """True if one of these figures is 0, which is rare."""
    time, cost = submission.time, submission.cost
    figures = (submission.total_tokens, submission.usage.total, time.wall_s, time.active_s)
    return 0 in figures or 0 in (cost.reported_usd, cost.computed_usd)


def _is_zero(submission: Submission, figure: float | None) -> bool:
    return measures_nothing(figure, llm_calls=submission.llm_calls)


def is_known(submission: Submission, path: str) -> bool:
    """True if the figure at that path is known."""
    value: Any = submission
    for name in path.split("."):
        value = getattr(value, name, True)
    return value is not None
