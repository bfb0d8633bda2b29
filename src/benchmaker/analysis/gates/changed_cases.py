"""The cases whose score changed since the baseline, with their answers."""

from collections.abc import Sequence

from benchmaker.analysis.gates.gate_results import CaseChange
from benchmaker.analysis.gates.sides import PairedSetup
from benchmaker.record.baselines.run_baseline import BaselineScores


def changed_cases(setups: Sequence[PairedSetup]) -> tuple[CaseChange, ...]:
    """Return the cases with another score, the worst drop first, then in the order of the run."""
    found = [one for setup in setups for one in _changes_of(setup)]
    return tuple(sorted(found, key=lambda one: one.diff))


def _changes_of(setup: PairedSetup) -> list[CaseChange]:
    rows = zip(setup.cases, setup.after, setup.before, setup.table.scores.tolist(), strict=True)
    return [
        CaseChange(
            case_id=case.id,
            model=setup.name,
            before=before_score,
            after=after_score,
            answer_before=_answer(before, setup.metric, best=after_score < before_score),
            answer_after=_answer(after, setup.metric, best=after_score > before_score),
        )
        for case, after, before, (after_score, before_score) in rows
        if after_score != before_score
    ]


def _answer(scores: BaselineScores, metric: str, *, best: bool) -> str | None:
    """The best or the worst of the answers; the first of equal ones."""
    known = [(value, one) for one in scores.answers if (value := one.value(metric)) is not None]
    choose = max if best else min
    return choose(known, key=lambda it: it[0])[1].text
