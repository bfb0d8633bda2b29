"""What pages were given, with the judge and by the probe alone, read from their scores."""

from collections.abc import Sequence

from benchmaker.analysis.voting import PageKey, PageTotals, Totals
from benchmaker.record import Score
from benchmaker.store import Store


def page_totals(score: Score | None, *, is_judged: bool = True) -> PageTotals:
    """Both totals of a page, from 0 to 100; None where the score holds none.

    An answer without code has 0 of both; of the probe's alone where nobody judged its run.
    """
    detail = score.detail if score else {}
    if score is not None and score.score is not None and "without_judge" not in detail:
        whole = 100 * score.score
        return PageTotals(judge=whole if is_judged else None, probe=whole)
    judged = detail.get("total") if "judges" in detail else None
    return PageTotals(judge=judged, probe=detail.get("without_judge"))


def totals_of(store: Store, run_ids: Sequence[str]) -> Totals:
    """Both totals of every page of these runs, by their newest scores."""
    return {
        PageKey(run_id, trial.case_id, trial.model): page_totals(trial.score, is_judged=is_judged)
        for run_id in run_ids
        for is_judged in [store.run(run_id).judge_model is not None]
        for trial in store.trials(run_id)
    }
