"""Analyses of pages as plain data."""

from typing import Any

from benchmaker.arenas.code.totals import page_totals
from benchmaker.plugins import load
from benchmaker.record import Run, Score, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.report.sentences.code_words import count_checks, state_of
from benchmaker.scoring.code.criteria import WEIGHTS


def page_row(run: Run, trial: Trial, made: PreparedAnswer | None) -> dict[str, Any]:
    """Return one model's page for one prompt: its position, outcome and scores."""
    score = trial.score
    totals = page_totals(score)
    return {
        "run_id": run.id,
        "position": trial.position,
        "rank": run.models.index(trial.model),
        "case_id": trial.case_id,
        "model": trial.model,
        "kind": made.artifact.kind if made else None,
        "state": state_of(made, trial),
        "checks": _checks(made, score),
        "criteria": _criteria(score),
        "score": None if score is None or score.score is None else round(100 * score.score, 10),
        "notes": score.notes if score else "",
        "judge_total": None if totals.judge is None else round(totals.judge, 10),
        "checks_passed": totals.checks,
    }


def score_lines(score: Score | None) -> list[str]:
    """The arithmetic of the score, as ``explain`` prints it."""
    if score is None or not score.scorer:
        return []
    scorer = load("scorer", score.scorer)
    explain = getattr(scorer, "explain", None)
    return list(explain(scorer(), score)) if explain else []


def _checks(made: PreparedAnswer | None, score: Score | None) -> dict[str, int] | None:
    counted = count_checks(made, score)
    return {"passed": counted[0], "n": counted[1]} if counted else None


def _criteria(score: Score | None) -> list[dict[str, Any]]:
    return [
        {
            "name": line.name,
            "weight": float(line.weight),
            "value": line.values[0],
            "source": line.source,
        }
        for line in criterion_lines([score])[: len(WEIGHTS)]
    ]
