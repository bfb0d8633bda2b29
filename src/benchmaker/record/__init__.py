"""What happened: frozen values that every arena writes and every report reads."""

from benchmaker.record.attempt import Attempt
from benchmaker.record.battle import Battle, BattleSource, Verdict
from benchmaker.record.completion import Completion, FinishReason
from benchmaker.record.judgment import (
    AWAITING_JUDGE,
    JUDGE_AGAIN,
    JUDGE_FAILED,
    JudgeTotals,
    Judgment,
)
from benchmaker.record.outcome import INFRASTRUCTURE, MODELS_DOING, Outcome
from benchmaker.record.run import Run, RunState, Selection, Series
from benchmaker.record.score import Extraction, Score, ScoringResult
from benchmaker.record.trial import MODEL_STOPPED, Trial, TrialKey
from benchmaker.record.usage import Usage

__all__ = [
    "AWAITING_JUDGE",
    "INFRASTRUCTURE",
    "JUDGE_AGAIN",
    "JUDGE_FAILED",
    "MODELS_DOING",
    "MODEL_STOPPED",
    "Attempt",
    "Battle",
    "BattleSource",
    "Completion",
    "Extraction",
    "FinishReason",
    "JudgeTotals",
    "Judgment",
    "Outcome",
    "Run",
    "RunState",
    "Score",
    "ScoringResult",
    "Selection",
    "Series",
    "Trial",
    "TrialKey",
    "Usage",
    "Verdict",
]
