"""Models that the endpoint does not have."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.analysis import ModelSummary
    from benchmaker.arenas.standard import RunResult

_NOT_FOUND = "404"


def not_found(result: "RunResult") -> tuple[str, ...]:
    """The models that failed, where all of them did for want of such a model; else none.

    Asking them again is in vain: a run keeps the names of its models.
    """
    unasked = {row.model for row in result.summary.models if _needs_requests(row)}
    if not unasked or not unasked <= set(result.failures):
        return ()
    with result.place.open_store() as store:
        first = (next(store.trials(result.run_ids[0], model=name), None) for name in unasked)
        is_wrong = all(it and it.attempts and it.attempts[-1].status == _NOT_FOUND for it in first)
    return tuple(sorted(unasked)) if is_wrong else ()


def _needs_requests(row: "ModelSummary") -> bool:
    """True if the model has unfinished trials, or infrastructure failures."""
    from benchmaker.record import INFRASTRUCTURE

    is_short = row.n_planned is not None and row.n_done < row.n_planned
    return is_short or any(row.outcomes.get(str(outcome)) for outcome in INFRASTRUCTURE)
