"""Other differences between a run and its baseline, in sentences."""

from collections.abc import Iterator, Sequence

from benchmaker.analysis.gates.sides import CaseVersions, PairedSetup
from benchmaker.record.baselines.run_baseline import RunBaseline
from benchmaker.record.counts import count

_NAMED = 10
"""The most case ids that a sentence names."""


def notes_on(
    run: RunBaseline,
    baseline: RunBaseline,
    versions: CaseVersions,
    setups: Sequence[PairedSetup],
    unpaired: Sequence[str],
) -> Iterator[str]:
    """Yield a sentence for each difference that may explain a result, or limits it."""
    for setup in setups:
        if setup.name != setup.baseline_name:
            yield f"{setup.name} is compared with {setup.baseline_name}, the baseline's only model."
    if unpaired:
        noun = run.noun if len(unpaired) == 1 else f"{run.noun}s"
        yield f"The baseline has no scores of the {noun} {', '.join(unpaired)}, not gated."
    yield from _suite_notes(run, baseline, versions)
    yield from _missing_scores(versions, setups)
    if run.judges != baseline.judges:
        yield (
            f"Another judge scored the baseline: {_judge_names(baseline)}, now "
            f"{_judge_names(run)}. Unchanged answers keep the baseline's judgment."
        )


def _suite_notes(run: RunBaseline, baseline: RunBaseline, versions: CaseVersions) -> Iterator[str]:
    if run.suite_sha256 == baseline.suite_sha256 and not any(
        (versions.other_question, versions.other_scoring)
    ):
        if versions.new or versions.removed:
            yield f"The run and the baseline cover different cases: {_changes(versions)}."
        return
    changes = _changes(versions)
    if not changes:
        yield "The suite changed since the baseline; its cases and their scoring are the same."
        return
    yield f"The suite changed since the baseline: {changes}."


def _changes(versions: CaseVersions) -> str:
    parts = (
        (versions.other_question, "with another question, compared"),
        (versions.other_scoring, "with another expected answer or scorer, excluded"),
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


def _missing_scores(versions: CaseVersions, setups: Sequence[PairedSetup]) -> Iterator[str]:
    common = len(versions.same) + len(versions.other_question)
    for setup in setups:
        missing = common - len(setup)
        if missing:
            yield (
                f"{setup.name}: {missing:,} of {count(common, 'common case')} "
                f"{'has' if missing == 1 else 'have'} no score on one side, excluded."
            )


def _judge_names(side: RunBaseline) -> str:
    return ", ".join(side.judges) or "no judge"
