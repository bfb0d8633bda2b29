"""Scores of pages by the judge and by their checks."""

from collections.abc import Sequence

from benchmaker.analysis.ratings.vote_ratings import PageKey, PageTotals, Totals
from benchmaker.record import WITHOUT_JUDGE, Score
from benchmaker.scoring.judged.code_judge import NO_CODE
from benchmaker.store import Store


def page_totals(score: Score | None) -> PageTotals:
    """Return the judge's total and the share of checks passed, from 0 to 100; None if missing.

    A judged answer without code has a total of 0.
    """
    if score is None:
        return PageTotals(judge=None, checks=None)
    checks = score.detail.get("checks")
    share = checks["share"] if isinstance(checks, dict) else None  # a list is of another scorer
    return PageTotals(
        judge=_judge_score(score), checks=None if share is None else 100 * float(share)
    )


def _judge_score(score: Score) -> float | None:
    if "singles" in score.detail:
        total = score.detail.get("total")
        return None if total is None else float(total)
    is_empty = NO_CODE in score.flags and WITHOUT_JUDGE not in score.flags
    return 100 * score.score if is_empty and score.score is not None else None


def totals_of(store: Store, run_ids: Sequence[str]) -> Totals:
    """Return the totals of every page of these runs, by its latest score."""
    return {
        PageKey(run_id, trial.case_id, trial.model): page_totals(trial.score)
        for run_id in run_ids
        for trial in store.trials(run_id)
    }
