"""Criterion: the session itself ended without an error."""

from benchmaker.arenas.agentic.verify.criterion_context import GradingContext
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    pass_with,
    skip_with,
)
from benchmaker.record.submissions.submission import Status
from benchmaker.spec.tasks.criterion import NoErrors


async def no_errors(criterion: NoErrors, place: GradingContext) -> Finding:  # noqa: ARG001  every kind's form
    """Return the session's end by the record."""
    if place.submission is None:
        return skip_with("no session for this workspace")
    outcome = place.submission.outcome
    said = " ".join(
        part for part in (outcome.status, outcome.failure_cause, outcome.exit_status) if part
    )
    match outcome.status:
        case Status.COMPLETED:
            return pass_with(said)
        case Status.UNKNOWN:
            return skip_with("the record has no end state of the session")
        case Status.INFRA_ERROR | Status.CANCELLED:
            return error_with(said)
        case _:
            return fail_with(said)
