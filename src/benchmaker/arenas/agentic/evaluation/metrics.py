"""The scored row of figures of a submission, verification included."""

from collections.abc import Iterator
from datetime import UTC, datetime

from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.record.submissions.evaluation import Verification, current_evidence
from benchmaker.record.submissions.metrics import (
    FIGURES_REFUSED,
    FREE,
    METERING,
    PROVENANCES,
    REPLAYED,
    Metrics,
)
from benchmaker.record.submissions.one_sided import fresh_tokens_of, side_of
from benchmaker.record.submissions.submission import (
    OutcomeOf,
    Provenance,
    Submission,
)
from benchmaker.record.submissions.zeros import FLAGS as ZERO_FLAGS
from benchmaker.record.submissions.zeros import without_zeros

_WEIGHED = (
    "total_tokens",
    "time.active_s",
    "time.wall_s",
    "cost.reported_usd",
    "cost.computed_usd",
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def metrics_of(
    submission: Submission,
    *,
    task_id: str | None = None,
    category: str | None = None,
    difficulty: str | None = None,
    verification: Verification | None = None,
    quarantined: bool = False,
    flags: tuple[str, ...] = (),
    pricer: Pricer | None = None,
) -> Metrics | None:
    """Return the figures of a submission; None if its task is unknown, so that it is not compared.

    Category and difficulty are those of the stored task, otherwise those of the record. A
    verification takes precedence over the record's own verdict, and raises the evidence to
    ``verified``: see :class:`~benchmaker.record.submissions.evaluation.Verification` for the
    conditions of a verdict. ``seconds`` is active time if known, otherwise wall time; ``cost`` is
    reported, else computed. With a ``pricer``, most have tokens weighted by price, see
    :func:`tokens_by_price`, and a cost of 0 counts for models that are free by its prices, with a
    flag; otherwise 0 is missing.
    """
    submission = without_zeros(
        submission, is_free=lambda: pricer is not None and pricer.is_free(submission)
    )
    task = submission.task
    if task is None and task_id is None:
        return None
    verdict = _verdict(submission.outcome, verification)
    is_verified = verification is not None and verification.is_settled
    time, is_whole = submission.time, side_of(submission) is None
    return Metrics(
        submission_id=submission.id,
        task_id=task_id or (task.id if task else ""),
        system=submission.system.name,
        category=category or (task.category if task else None),
        difficulty=difficulty or (task.difficulty if task else None),
        tool=submission.system.harness,
        model=submission.system.model,
        effort=submission.system.effort,
        submitter=submission.submitter,
        attempt=submission.attempt.index,
        attempts=submission.attempt.of,
        finished_us=_microseconds(submission.finished_at),
        total_tokens=_total_tokens(submission, is_whole=is_whole),
        fresh_tokens=fresh_tokens_of(submission),
        cost_weighted=tokens_by_price(submission, pricer) if pricer and is_whole else None,
        tool_calls=submission.tool_calls,
        iterations=submission.iterations,
        seconds=time.wall_s if time.active_s is None else time.active_s,
        cost=submission.cost.usd if is_whole else submission.cost.reported_usd,
        correctness=verdict[0],
        required_passed=verdict[1],
        success=verdict[2],
        evidence_level=current_evidence(submission, verification),
        isolation=verification.isolation if is_verified and verification else None,
        outcome=submission.outcome.status,
        provenance=_weakest_provenance(submission),
        quarantined=quarantined or REPLAYED in submission.flags,
        flags=(*flags, *_own_flags(submission, pricer)),
    )


def _total_tokens(submission: Submission, *, is_whole: bool) -> int | None:
    """The total; None if it is the sum of input or output alone."""
    is_sum = submission.total_tokens == submission.usage.total
    return None if is_sum and not is_whole else submission.total_tokens


def _own_flags(submission: Submission, pricer: Pricer | None) -> Iterator[str]:
    """The flags of its figures: refused, one-sided, replayed, 0 and not measured, free."""
    if FIGURES_REFUSED in submission.flags:
        yield FIGURES_REFUSED
    if side := side_of(submission):
        yield side
    yield from (flag for flag in submission.flags if flag in {REPLAYED, *METERING, *ZERO_FLAGS})
    cost = submission.cost
    if pricer and cost.usd == 0 and not cost.computed_usd and pricer.is_free(submission):
        yield FREE


def tokens_by_price(submission: Submission, pricer: Pricer) -> float | None:
    """Return the number of uncached input tokens that the computed cost would buy.

    None for several models or none with a price, and if the cost was computed with other prices:
    price it again then.
    """
    cost = submission.cost
    models = {one.model for one in submission.usage_by_model} or {submission.system.model}
    if cost.computed_usd is None or cost.rate_card != pricer.version or len(models) != 1:
        return None
    at = seconds(f"{cost.as_of}T12:00:00Z" if cost.as_of else submission.finished_at)
    each = pricer.input_usd(models.pop(), submission.system.provider, at=at)
    return cost.computed_usd / each if each else None


def _verdict(
    outcome: OutcomeOf, verification: Verification | None
) -> tuple[float | None, bool | None, bool | None]:
    """Share of criteria passed, whether the required ones did, and whether it is solved."""
    if verification is not None and verification.is_settled:
        return verification.share, verification.required_passed, verification.success
    own = Verification(
        id="", submission_id="", task_id="", task_digest="", isolation="", results=outcome.criteria
    )
    said = False if own.has_failed else outcome.success
    if own.results and own.decided_results == own.results:
        return own.share, own.required_passed, own.success if said is None else said
    passed = False if own.has_failed else None
    if outcome.reward is not None and 0 <= outcome.reward <= 1:
        return outcome.reward, passed, outcome.reward == 1 if said is None else said
    return None if said is None else float(said), passed, said


def _microseconds(stamp: str | None) -> int | None:
    """Microseconds since 1970, UTC, of a stored time."""
    if not stamp:
        return None
    at = datetime.fromisoformat(stamp)
    since = (at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _weakest_provenance(submission: Submission) -> Provenance | None:
    """The weakest provenance among those of tokens, time and cost that are known."""
    known = [submission.provenance[name] for name in _WEIGHED if name in submission.provenance]
    return max(known, key=PROVENANCES.index) if known else None
