"""The command that completes a run."""

from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmaker.analysis import ModelSummary
    from benchmaker.arenas.standard import RunResult


def next_step(context: Context, result: "RunResult") -> str:
    """Return the command that completes the run, with its heading; empty if there is none."""
    name = result_name(result)
    retry = ("--retry-failed",) if _has_spoiled(result) else ()
    if result.halted:
        return f"Resume with: {context.line('resume', name, *retry)} --max-cost USD"
    if result.is_to_resume:
        return f"Resume with: {context.line('resume', name, *retry)}"
    if retry:
        return f"Retry failed trials: {context.line('resume', name, *retry)}"
    return ""


def result_name(result: "RunResult") -> str:
    """Return the id of the series, or of the run."""
    return result.series_id or result.run_ids[0]


def _has_spoiled(result: "RunResult") -> bool:
    """True if infrastructure failures hit trials of live models or judges."""
    judging = result.summary.judging
    if judging is not None and judging.failed and _is_live(result.runs[0].judge):
        return True
    run = result.runs[0]
    if run.provider.get("kind") == "recorded" or run.imported_from is not None:
        return False
    return any(_failed_for_good(one) for one in result.summary.models)


def _failed_for_good(model: "ModelSummary") -> int:
    """The failed trials that only ``--retry-failed`` retries: those that did not stop the model."""
    from benchmaker.record import INFRASTRUCTURE

    failed = sum(model.outcomes.get(str(outcome), 0) for outcome in INFRASTRUCTURE)
    return max(0, failed - (model.n_trials - model.n_done))


def _is_live(judge: "Mapping[str, Any]") -> bool:
    """True if a judge is live, so that its next reply may differ."""
    return bool(judge.get("provider", {}).get("kind") == "live")
