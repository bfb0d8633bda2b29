"""The command that completes a run."""

from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmaker.analysis import ModelSummary
    from benchmaker.arenas.standard import RunResult

_NOT_FOUND = "404"


def next_step(context: Context, result: "RunResult") -> str:
    """Return the command that completes the run, with its heading; empty if there is none."""
    name = result_name(result)
    if result.halted:
        return f"Resume with: {context.line('resume', name)} --max-cost USD"
    if _has_wrong_names(result):
        return ""
    if result.is_to_resume:
        return f"Resume with: {context.line('resume', name)}"
    if _has_spoiled(result):
        return f"Retry failed trials: {context.line('resume', name, '--retry-failed')}"
    return ""


def result_name(result: "RunResult") -> str:
    """Return the id of the series, or of the run."""
    return result.series_id or result.run_ids[0]


def _has_wrong_names(result: "RunResult") -> bool:
    """True if every unfinished model does not exist at its endpoint.

    Querying them again is in vain: a run keeps the names of its models.
    """
    unasked = {row.model for row in result.summary.models if _needs_requests(row)}
    if not unasked or not unasked <= set(result.failures):
        return False
    with result.place.open_store() as store:
        first = (next(store.trials(result.run_ids[0], model=name), None) for name in unasked)
        return all(it and it.attempts and it.attempts[-1].status == _NOT_FOUND for it in first)


def _needs_requests(row: "ModelSummary") -> bool:
    """True if the model has unfinished trials, or infrastructure failures."""
    from benchmaker.record import INFRASTRUCTURE

    is_short = row.n_planned is not None and row.n_done < row.n_planned
    return is_short or any(row.outcomes.get(str(outcome)) for outcome in INFRASTRUCTURE)


def _has_spoiled(result: "RunResult") -> bool:
    """True if infrastructure failures hit trials of live models or judges."""
    from benchmaker.record import INFRASTRUCTURE

    judging = result.summary.judging
    if judging is not None and judging.failed and _is_live(result.runs[0].judge):
        return True
    run = result.runs[0]
    if run.provider.get("kind") == "recorded" or run.imported_from is not None:
        return False
    return any(
        one.outcomes.get(str(outcome))
        for one in result.summary.models
        for outcome in INFRASTRUCTURE
    )


def _is_live(judge: "Mapping[str, Any]") -> bool:
    """True if a judge is live, so that its next reply may differ."""
    return bool(judge.get("provider", {}).get("kind") == "live")
