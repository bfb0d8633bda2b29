"""The parts into which a session's usage is divided; they add up to the session's figures."""

from collections.abc import Sequence
from datetime import datetime
from math import fsum, isclose

import msgspec

from benchmaker.record.submissions.submission import Submission
from benchmaker.record.submissions.usage_part import UsagePart


def whole_parts(submission: Submission) -> tuple[UsagePart, ...]:
    """A session divided by model alone, at its start; undivided where its models don't add up."""
    at = _seconds(submission.started_at)
    models = submission.usage_by_model
    if len(models) > 1 and sum(it.usage.total or 0 for it in models) == submission.total_tokens:
        parts = [
            UsagePart(
                first_at=at,
                last_at=at,
                model=it.model,
                usage=it.usage,
                tokens=it.usage.total,
                llm_calls=it.llm_calls,
                reported_usd=it.cost_usd,
                computed_usd=it.computed_usd,
            )
            for it in models
        ]
        return balance_costs(parts, submission)
    whole = UsagePart(
        first_at=at,
        last_at=at,
        model=submission.system.model,
        usage=submission.usage,
        tokens=submission.total_tokens,
        llm_calls=submission.llm_calls,
        reported_usd=submission.cost.reported_usd,
        computed_usd=submission.cost.computed_usd,
        active_s=submission.time.active_s,
    )
    return (whole,)


def balance_costs(parts: Sequence[UsagePart], submission: Submission) -> tuple[UsagePart, ...]:
    """The parts with costs that add up to the session's.

    The session's cost is divided where those of the parts differ from it, since prices have changed
    since, or are missing, since the tool reports the cost of the whole session only.
    """
    computed, reported = submission.cost.computed_usd, submission.cost.reported_usd
    priced = tuple(parts)
    if computed is not None and not _adds_up([it.computed_usd for it in parts], computed):
        priced = tuple(
            msgspec.structs.replace(part, computed_usd=usd)
            for part, usd in zip(parts, _apportion(computed, parts), strict=True)
        )
    if reported is None or _adds_up([it.reported_usd or 0.0 for it in parts], reported):
        return priced
    return tuple(
        msgspec.structs.replace(part, reported_usd=usd, is_divided=len(parts) > 1)
        for part, usd in zip(priced, _apportion(reported, priced), strict=True)
    )


def _adds_up(amounts: Sequence[float | None], whole: float) -> bool:
    known = [usd for usd in amounts if usd is not None]
    return len(known) == len(amounts) and isclose(fsum(known), whole, rel_tol=1e-9, abs_tol=1e-12)


def _apportion(whole: float, parts: Sequence[UsagePart]) -> list[float]:
    """A sum divided in proportion to the cost of the parts, else to their tokens, else evenly."""
    costs = [part.computed_usd for part in parts if part.computed_usd is not None]
    tokens = [float(part.tokens or 0) for part in parts]
    weights = costs if len(costs) == len(parts) and any(costs) else tokens
    weights = weights if any(weights) else [1.0] * len(parts)
    total = fsum(weights)
    return [whole * weight / total for weight in weights]


def _seconds(at: str | None) -> float | None:
    return None if at is None else datetime.fromisoformat(at).timestamp()
