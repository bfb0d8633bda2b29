"""Criterion: the session itself ended without an error."""

from benchmaker.arenas.agentic.verify.criterion_context import Place
from benchmaker.arenas.agentic.verify.finding import Finding, error, failed, passed, skipped
from benchmaker.record.submissions.submission import Status
from benchmaker.spec.tasks.criterion import NoErrors


async def no_errors(criterion: NoErrors, place: Place) -> Finding:  # noqa: ARG001  every kind's form
    """What the record says of how the session ended."""
    if place.submission is None:
        return skipped("no session is known to this workspace")
    outcome = place.submission.outcome
    said = " ".join(
        part for part in (outcome.status, outcome.failure_cause, outcome.exit_status) if part
    )
    match outcome.status:
        case Status.COMPLETED:
            return passed(said)
        case Status.UNKNOWN:
            return skipped("the record does not say how the session ended")
        case Status.INFRA_ERROR | Status.CANCELLED:
            return error(said)
        case _:
            return failed(said)
