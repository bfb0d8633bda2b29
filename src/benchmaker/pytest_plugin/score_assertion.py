"""``assert_scores``: a run's scores against thresholds and a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchmaker.analysis.gates.baseline_gate import MAX_DROP
from benchmaker.analysis.summary.decisions import Decision, GateVerdict
from benchmaker.analysis.summary.gate import Gate
from benchmaker.arenas.standard import RunResult
from benchmaker.arenas.standard.gating import gate as gate_run
from benchmaker.cli.options.name_lookup import model_of_run
from benchmaker.cli.progress.verdict import exclusion_sentences
from benchmaker.errors import SpecError
from benchmaker.pytest_plugin.baseline_files import BaselineFile
from benchmaker.record.baselines.run_baseline import RunBaseline
from benchmaker.report.gates.gate_formats import gate_text
from benchmaker.report.runs.gate import decision_words
from benchmaker.spec import Metric

if TYPE_CHECKING:
    from benchmaker.analysis import Summary

Baseline = BaselineFile | RunResult | RunBaseline | str | Path

_OPTION = "--benchmaker-update-baselines"
_WIDTH = 100
_BY_MEAN = "To compare the value alone, without its limits, pass gate='mean'."


def assert_scores(
    result: RunResult,
    *,
    mean: float | None = None,
    strict: float | None = None,
    model: str | Sequence[str] | None = None,
    baseline: Baseline | None = None,
    max_drop: float = MAX_DROP,
    metric: str | None = None,
    gate: Literal["sure", "mean"] = "sure",
) -> None:
    """Raise AssertionError unless every model reaches the thresholds and kept its scores.

    The decisions are those of ``benchmaker run --threshold`` and ``benchmaker gate``. An undecided
    one fails, too; the message then says how many further cases would decide. So does a run with
    trials that are excluded from the mean, such as failed requests.

    Args:
        result: the result of a run.
        mean: the least mean score, from 0 to 1.
        strict: the least share of exactly right answers, from 0 to 1.
        model: the model or setup to decide on, or several; all by default.
        baseline: the scores to compare with: what the fixture ``benchmaker_baseline`` returns, the
            path of a baseline's file, a stored run, or a result.
        max_drop: the largest drop allowed against the baseline, from 0 to 1: 2 points are 0.02.
        metric: the metric that is compared with the baseline; None for that of the run.
        gate: ``sure`` decides on ``mean`` and ``strict`` by exact 95% limits, which must be on one
            side of the threshold; ``mean`` compares the value alone.

    Raises:
        AssertionError: a threshold is missed, a model dropped, or a decision is open.
        SpecError: no criterion, an unknown model or metric, or a value out of range.
        NotComparable: the run and the baseline have different suites or scoring profiles.
        NotEnoughData: the run and the baseline have no scored case in common.
    """
    __tracebackhide__ = True
    thresholds = _thresholds(mean=mean, strict=strict)
    if not isinstance(result, RunResult):
        raise SpecError(
            f"{result!r} is not the result of a run.",
            hint="Give what benchmaker.run returned, or the result of a stored run: "
            "benchmaker.results(NAME).",
        )
    if not thresholds and baseline is None:
        raise SpecError("no criterion given.", hint="Give mean, strict or baseline.")
    models = _chosen_models(result, model)
    faults = list(_threshold_faults(result, thresholds, models, is_sure=_is_sure(gate)))
    faults += _missing_trials(result, models)
    if isinstance(baseline, BaselineFile) and baseline.is_updated:
        if not faults:
            baseline.write(result)
    elif baseline is not None:
        names = models if model is not None else ()
        faults += _baseline_faults(result, baseline, names, max_drop=max_drop, metric=metric)
    if faults:
        raise AssertionError("\n".join(faults))


def _thresholds(**given: float | None) -> dict[Metric, float]:
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool) or not 0.0 <= value <= 1.0:
            raise SpecError(
                f"{name} = {value!r} is out of range.",
                hint="Give a share from 0 to 1: 80 of 100 is 0.8.",
            )
    return {name: value for name, value in given.items() if value is not None}  # type: ignore[misc]  # both are metrics


def _is_sure(gate: str) -> bool:
    if gate not in {"sure", "mean"}:
        raise SpecError(f"unknown gate {gate!r}.", hint="Use 'sure' or 'mean'.")
    return gate == "sure"


def _chosen_models(result: RunResult, given: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of the chosen setups, in the order of the run."""
    run = result.runs[0]
    if given is None:
        return result.models
    names = [given] if isinstance(given, str) else list(given)
    chosen: set[str] = set()
    for name in names:
        of_model = {it for it in run.models if run.setup(it).model_label == name}
        chosen |= of_model or {model_of_run(run, name)}
    return tuple(name for name in result.models if name in chosen)


def _threshold_faults(
    result: RunResult, thresholds: dict[Metric, float], models: Sequence[str], *, is_sure: bool
) -> Iterator[str]:
    """A sentence for each threshold that a model misses, or of which it is undecided."""
    open_decisions = False
    for name, threshold in thresholds.items():
        for one in _decisions(result, name, Gate(threshold, is_sure=is_sure)):
            if one.model in models and one.verdict is not GateVerdict.PASSED:
                open_decisions |= one.verdict is GateVerdict.UNDECIDED and one.mean is not None
                yield decision_words(one)
    if open_decisions:
        yield _BY_MEAN


def _decisions(result: RunResult, name: Metric, gate: Gate) -> tuple[Decision, ...]:
    return gate.decisions(replace(result.summary, metric=name), result.columns)


def _missing_trials(result: RunResult, models: Sequence[str]) -> list[str]:
    """The trials without a score, and why the run is not complete."""
    told = [f"The run ended early: {result.halted}."] if result.halted else []
    return [*told, *exclusion_sentences(_of_models(result.summary, models))]


def _of_models(summary: "Summary", models: Sequence[str]) -> "Summary":
    kept = tuple(one for one in summary.models if one.model in models)
    return replace(summary, models=kept)


def _baseline_faults(
    result: RunResult,
    baseline: Baseline,
    models: Sequence[str],
    *,
    max_drop: float,
    metric: str | None,
) -> list[str]:
    """The decision against the baseline, unless it is a pass."""
    if isinstance(baseline, BaselineFile):
        if not baseline.path.is_file():
            return [f"No baseline {baseline.path}. Write it with: pytest {_OPTION}"]
        baseline = baseline.path
    made = gate_run(result, baseline, max_drop=max_drop, metric=metric, models=models)
    return (
        [] if made.verdict is GateVerdict.PASSED else [gate_text(made, width=_WIDTH).rstrip("\n")]
    )
