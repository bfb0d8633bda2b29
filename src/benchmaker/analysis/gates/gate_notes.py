"""Other differences between a run and its baseline, in sentences."""

from collections.abc import Iterator, Sequence

from benchmaker.analysis.gates.gate_results import GatedModel
from benchmaker.analysis.gates.sides import CaseVersions, PairedSetup
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.record.baselines.run_baseline import RunBaseline
from benchmaker.record.counts import count

_NAMED = 10
"""The most case ids that a sentence names."""


def notes_on(
    run: RunBaseline,
    baseline: RunBaseline,
    versions: CaseVersions,
    *,
    setups: Sequence[PairedSetup],
    gated: Sequence[GatedModel],
    unpaired: Sequence[str],
) -> Iterator[str]:
    """Yield a sentence for each difference that may explain a result, or limits it."""
    for side, name in ((run, "run"), (baseline, "baseline's run")):
        if side.unfinished:
            yield f"The {name} {side.unfinished}."
    for setup in setups:
        if setup.name != setup.baseline_name:
            yield f"{setup.name} is compared with {setup.baseline_name}, the baseline's only model."
    if unpaired:
        noun = run.noun if len(unpaired) == 1 else f"{run.noun}s"
        yield f"The baseline has no scores of the {noun} {', '.join(unpaired)}, not gated."
    yield from _suite_notes(run, baseline, versions)
    yield from _missing_in_run(gated)
    yield from _missing_in_baseline(versions, setups)
    if run.judges != baseline.judges:
        yield (
            f"Another judge scored the baseline: {_judge_names(baseline)}, now "
            f"{_judge_names(run)}. Unchanged answers keep the baseline's judgment."
        )


def _suite_notes(run: RunBaseline, baseline: RunBaseline, versions: CaseVersions) -> Iterator[str]:
    changes = _changes(versions)
    if run.suite_sha256 == baseline.suite_sha256 and not any(
        (versions.other_question, versions.other_scoring)
    ):
        if changes:
            yield f"The run and the baseline cover different cases: {changes}."
        return
    if not changes:
        yield "The suite changed since the baseline; its cases and their scoring are the same."
        return
    yield f"The suite changed since the baseline: {changes}."


def _changes(versions: CaseVersions) -> str:
    parts = (
        (versions.other_question, "with another question, compared"),
        (versions.other_scoring, "with another expected answer or scorer, excluded"),
        (versions.other_weight, "with another weight or group, where those of the run count"),
        (versions.dropped, "with the weight 0 in the run, excluded"),
        (versions.new, "only in the run"),
        (versions.removed, "only in the baseline"),
    )
    return "; ".join(
        f"{count(len(cases), 'case')} {what} ({_name_cases(cases)})"
        for cases, what in parts
        if cases
    )


def _name_cases(cases: Sequence[str]) -> str:
    rest = len(cases) - _NAMED
    return ", ".join(cases[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _missing_in_run(gated: Sequence[GatedModel]) -> Iterator[str]:
    for one in gated:
        if one.missing:
            scored = count(one.missing + one.n, "case")
            passes = " The model passes even if they score 0."
            yield (
                f"{one.model}: {one.missing:,} of {scored} with a score in the baseline "
                f"{_have(one.missing)} none in the run ({one.missing_reason})."
                f"{passes if one.verdict is GateVerdict.PASSED else ''}"
            )


def _missing_in_baseline(versions: CaseVersions, setups: Sequence[PairedSetup]) -> Iterator[str]:
    common = len(versions.compared_cases)
    for setup in setups:
        missing = common - len(setup) - len(setup.missing)
        if missing:
            yield (
                f"{setup.name}: {missing:,} of {count(common, 'common case')} {_have(missing)} no "
                "score in the baseline, excluded."
            )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _judge_names(side: RunBaseline) -> str:
    return ", ".join(side.judges) or "no judge"
