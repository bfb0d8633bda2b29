"""Scores of pages by the judge, by their checks and by the probe, and features of their style."""

from collections.abc import Sequence
from typing import Literal

from benchmaker.analysis.judges.judge_parts import JudgeShare, JudgeTally
from benchmaker.analysis.ratings.vote_ratings import (
    PageKey,
    PageStyle,
    PageTotals,
    Styles,
    Totals,
)
from benchmaker.record import (
    AWAITING_JUDGE,
    JUDGE_FAILED,
    NO_CODE,
    POLICY_ZERO,
    WITHOUT_JUDGE,
    Score,
)
from benchmaker.scoring.code.criteria import JUDGED, WEIGHTS
from benchmaker.scoring.judged.code_judge import NOT_RENDERED
from benchmaker.store import Store


def page_totals(score: Score | None, *, is_awaiting: bool = False) -> PageTotals:
    """Return the judge's total, the share of checks passed, and the probe's mean.

    Each is from 0 to 100, None if missing. The probe measures functionality and responsiveness,
    which count by their weights; the mean is missing unless both are known. An answer without a
    page has a total of 0 in a judged run, like every score there. A page that ``is_awaiting`` its
    judge has failed there so far.
    """
    if score is None:
        return PageTotals(judge=None, checks=None, failed="judge" if is_awaiting else "")
    checks = score.detail.get("checks")
    share = checks["share"] if isinstance(checks, dict) else None  # a list is of another scorer
    return PageTotals(
        judge=_judge_score(score),
        checks=None if share is None else 100 * float(share),
        probe=_probe_mean(score),
        has_page=not has_no_page(score),
        failed=_failed_part(score),
    )


def _failed_part(score: Score) -> Literal["", "judge", "render"]:
    if score.score is not None or JUDGE_FAILED not in score.flags:
        return ""
    return "render" if NOT_RENDERED in score.flags else "judge"


def has_no_page(score: Score | None) -> bool:
    """True if the model delivered no page: the answer has no code, or the suite gives it 0.

    Its score is 0 and needs no judge; it is missing in a run without a judge, if the case has no
    checks. Answers that are missing for another reason are not meant.
    """
    if score is None:
        return False
    return NO_CODE in score.flags or (POLICY_ZERO in score.flags and score.scorer == "code_judge")


def total_of(score: Score | None) -> float | None:
    """Return the total of a page from 0 to 100: the judge's, or the 0 of an answer without a page.

    None while there is no judge: the share of passed checks is no total.
    """
    return 0.0 if _is_zero_without_page(score) else page_totals(score).judge


def _is_zero_without_page(score: Score | None) -> bool:
    return score is not None and score.score == 0 and has_no_page(score)


def _judge_score(score: Score) -> float | None:
    if "singles" in score.detail:
        total = score.detail.get("total")
        return None if total is None else float(total)
    is_judged = WITHOUT_JUDGE not in score.flags and "checks" in score.detail
    return 0.0 if is_judged and _is_zero_without_page(score) else None


def _probe_mean(score: Score) -> float | None:
    probed = score.detail.get("probe")
    if not isinstance(probed, dict):
        return None
    weights = {name: weight for name, weight in WEIGHTS.items() if name not in JUDGED}
    values = [probed.get(name, {}).get("value") for name in weights]
    if None in values:
        return None
    parts = zip(values, weights.values(), strict=True)
    return sum(float(value) * weight for value, weight in parts) / sum(weights.values())


def styles_of(store: Store, run_ids: Sequence[str]) -> Styles:
    """Return the length of the code of every page of these runs, and its number of libraries.

    The number of libraries is known only for rendered pages; others are absent.
    """
    return {
        PageKey(run_id, key.case_id, key.model): PageStyle(
            sum(len(file.text) for file in made.artifact.files),
            len({package for _, package, _ in made.report.mapped}),
        )
        for run_id in run_ids
        for key, made in store.renders.each_prepared(run_id)
        if made.report is not None
    }


def judge_shares(store: Store, run_ids: Sequence[str]) -> tuple[JudgeShare, ...]:
    """Return the number of pages of these runs that each set of judges scored."""
    named = [it for run_id in run_ids for it in store.run(run_id).judge.get("asked", ())]
    return JudgeTally().add(store.scores.newest(run_ids)).shares(dict.fromkeys(named))


def totals_of(store: Store, run_ids: Sequence[str]) -> Totals:
    """Return the totals of every page of these runs, by its latest score."""
    return {
        PageKey(run_id, trial.case_id, trial.model): page_totals(
            trial.score, is_awaiting=is_judged and AWAITING_JUDGE in trial.flags
        )
        for run_id in run_ids
        for is_judged in [bool(store.run(run_id).judge.get("asked"))]
        for trial in store.trials(run_id)
    }
