"""A preview of a corrected suite's effect on stored scores, before anything is written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmaker.arenas.standard.correcting import refuse_equal
from benchmaker.engine.judges.judge_makers import (
    asking_scorers,
    chosen_for,
    embedding_models,
    load_scorers,
)
from benchmaker.engine.runs.estimate import ModelEstimate
from benchmaker.engine.runs.suite_correction import Correction, correction_of
from benchmaker.record import Run, Trial
from benchmaker.spec import Case, Suite
from benchmaker.store import Store
from benchmaker.store.home import Home

_NOT_JUDGED = frozenset({"weight", "category", "difficulty", "tags"})
"""Keys of a case that no judge is asked about."""


@dataclass(frozen=True, slots=True)
class CorrectionPreview:
    """The cases that a corrected suite shares with the original, and the cost of judging.

    ``asks_judges`` is true if one of its scorers uses a judge or embeddings. ``to_judge`` is the
    maximum number of answers to score: those of changed cases, and those without a score.
    """

    correction: Correction
    asks_judges: bool = False
    to_judge: int = 0
    judges: tuple[ModelEstimate, ...] = ()


def preview_correction(
    store: Store, place: Home, run_ids: Sequence[str], suite_hash: str
) -> CorrectionPreview:
    """Preview the rescoring of these runs by a stored suite; nothing is written or sent.

    Raises:
        SpecError: it is the run's own suite and no answer waits for a judge, or there is no common
            case.
        StoreError: unknown suite.
    """
    runs = [store.run(run_id) for run_id in run_ids]
    first, old = runs[0], store.suite(runs[0].suite_hash)
    suite = load_scorers(store.suite(suite_hash))
    refuse_equal(store, runs, suite)
    correction = correction_of(first, old, suite)
    if not (asking_scorers(suite, chosen_for(first)) or embedding_models(suite)):
        return CorrectionPreview(correction)
    cases = list(_to_judge(store, runs, correction, old))
    return CorrectionPreview(
        correction, True, len(cases), _estimate_judging(place, suite, first, cases)
    )


def _to_judge(
    store: Store, runs: Sequence[Run], correction: Correction, old: Suite
) -> Iterator[Case]:
    """Yield the corrected case of each answer that may need a judge."""
    changed = _changed_cases(correction, old)
    for run in runs:
        for trial in store.trials(run.id):
            kept = correction.kept.get(trial.case_id)
            if kept is None or run.setup(trial.model).prompt_id not in kept.prompts:
                continue
            if trial.completion and (trial.case_id in changed or _is_unscored(trial)):
                yield kept.case


def _is_unscored(trial: Trial) -> bool:
    return trial.score is None or trial.score.score is None


def _changed_cases(correction: Correction, old: Suite) -> set[str]:
    """The kept cases whose judging may differ: their rubric or instructions have changed."""
    suite = correction.suite
    if (old.judge, old.judge_prompt) != (suite.judge, suite.judge_prompt):
        return set(correction.kept)
    before = {case.id: _judging_key(old, case) for case in old.cases if case.id in correction.kept}
    return {
        case_id
        for case_id, kept in correction.kept.items()
        if _judging_key(suite, kept.case) != before[case_id]
    }


def _judging_key(suite: Suite, case: Case) -> tuple[Any, ...]:
    return case.model_dump(exclude=set(_NOT_JUDGED)), suite.scorer_of(case)


def _estimate_judging(
    place: Home, suite: Suite, run: Run, cases: Sequence[Case]
) -> tuple[ModelEstimate, ...]:
    from benchmaker.arenas.standard.estimating import judged_of, judging_parts  # noqa: PLC0415  for judges alone

    judged = judged_of(suite, chosen_for(run), place) if cases else None
    if judged is None:
        return ()
    most = int(run.parameters.get("max_tokens") or 2048)
    return judging_parts(judged, lambda: cases, models=1, runs=1, max_tokens=most)
