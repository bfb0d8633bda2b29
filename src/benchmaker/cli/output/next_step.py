"""The command that completes a run."""

import re
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmaker.analysis import ModelSummary
    from benchmaker.arenas.standard import RunResult


_TOTAL_LIMIT = re.compile(r"within ([\d.e+]+) s \(total limit\)")
_SHORT_S = 30
_USUAL_RETRY_S = 60


def next_step(context: Context, result: "RunResult") -> str:
    """Return the command that completes the run, with its heading; empty if there is none."""
    name = result_name(result)
    if unknown := _only_open_models(result):
        return f"{_on_unknown(result, unknown)} {context.line('resume', name)} --model NAME"
    retry = ("--retry-failed", *_longer_timeout(result)) if _has_spoiled(result) else ()
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
    return max(0, failed - (model.n_ended - model.n_done))


def _longer_timeout(result: "RunResult") -> tuple[str, ...]:
    """The option for a longer total time of requests, where most failures of a model were that."""
    found = (_TOTAL_LIMIT.search(cause.message) for cause in result.summary.failed)
    limits = [float(one[1]) for one in found if one]
    if not limits:
        return ()
    longest = max(limits)
    return "--timeout", f"{_USUAL_RETRY_S if longest <= _SHORT_S else 2 * longest:g}"


def _on_unknown(result: "RunResult", unknown: "Sequence[str]") -> str:
    """Return the sentence before the command that adds a model."""
    rows = result.summary.models
    if len(unknown) == len(rows):
        return "Retrying can't succeed without another model name. Add a model:"
    from benchmaker.report.sentences.setup_groups import join_some

    has_some = any(one.n_scored for one in rows if one.model in unknown)
    verb = "has" if len(unknown) == 1 else "have"
    lack = "missing scores" if has_some else "no scores"
    names = "its name is" if len(unknown) == 1 else "their names are"
    rest = len(rows) - len(unknown)
    other = f"The other {result.summary.noun}{' is' if rest == 1 else 's are'} complete."
    return f"{join_some(unknown)} {verb} {lack}: {names} unknown. {other} Add another model:"


def _only_open_models(result: "RunResult") -> list[str]:
    """Return the incomplete models if all are unknown to their endpoints, else an empty list."""
    from benchmaker.providers.endpoints.advice import CHECK_NAME

    judging = result.summary.judging
    if result.halted or (judging is not None and judging.failed):
        return []
    models = result.summary.models
    if sum(map(_planned_trials, models)) < sum(run.planned for run in result.runs):
        return []
    unknown = {one.model for one in result.summary.failed if CHECK_NAME in one.message}
    incomplete = [one.model for one in models if _is_open(one)]
    return incomplete if unknown.issuperset(incomplete) else []


def _planned_trials(model: "ModelSummary") -> int:
    return max(model.n_trials, model.n_planned or 0)


def _is_open(model: "ModelSummary") -> bool:
    """True if trials of the model failed or are not stored."""
    is_short = model.n_ended < _planned_trials(model)
    return is_short or model.is_given_up or _failed_for_good(model) > 0


def _is_live(judge: "Mapping[str, Any]") -> bool:
    """True if a judge is live, so that its next reply may differ."""
    return bool(judge.get("provider", {}).get("kind") == "live")
