"""Records of events as frozen values: arenas write them, reports read them."""

from benchmaker.record.artifact import (
    ARTIFACT_FLAGS,
    EXTRACTION_VERSION,
    Artifact,
    ArtifactKind,
    CodeFile,
)
from benchmaker.record.attempt import Attempt
from benchmaker.record.battle import Battle, BattleSource, Verdict
from benchmaker.record.completion import Completion, FinishReason, TokenLogprob
from benchmaker.record.failure import failure_words, kind_words, outcome_words
from benchmaker.record.judgment import (
    AWAITING_JUDGE,
    BASELINE_ITSELF,
    EMBEDDING_FAILED,
    JUDGE_AGAIN,
    JUDGE_FAILED,
    NO_JUDGMENT,
    WITHOUT_JUDGE,
    EmbeddingTotals,
    JudgeTotals,
    Judgment,
)
from benchmaker.record.outcome import INFRASTRUCTURE, MODELS_DOING, Outcome, group_of
from benchmaker.record.probe import (
    PROBE_VERSION,
    CheckResult,
    ClickWalk,
    CodeFacts,
    MissingResource,
    ProbeFinding,
    ProbeIsolation,
    ProbeOutcome,
    ProbeReport,
    SelfTest,
    Severity,
    Shot,
    ViewportFacts,
)
from benchmaker.record.run import Run, RunState, Selection, Series
from benchmaker.record.score import POLICY_ZERO, Extraction, Score, ScoringResult
from benchmaker.record.setup import Setup, setup_name
from benchmaker.record.transcript import ToolCall, Transcript, TranscriptMessage
from benchmaker.record.trial import MODEL_STOPPED, RETRY_REQUESTED, Trial, TrialKey
from benchmaker.record.usage import Usage

__all__ = [
    "ARTIFACT_FLAGS",
    "AWAITING_JUDGE",
    "BASELINE_ITSELF",
    "EMBEDDING_FAILED",
    "EXTRACTION_VERSION",
    "INFRASTRUCTURE",
    "JUDGE_AGAIN",
    "JUDGE_FAILED",
    "MODELS_DOING",
    "MODEL_STOPPED",
    "NO_JUDGMENT",
    "POLICY_ZERO",
    "PROBE_VERSION",
    "RETRY_REQUESTED",
    "WITHOUT_JUDGE",
    "Artifact",
    "ArtifactKind",
    "Attempt",
    "Battle",
    "BattleSource",
    "CheckResult",
    "ClickWalk",
    "CodeFacts",
    "CodeFile",
    "Completion",
    "EmbeddingTotals",
    "Extraction",
    "FinishReason",
    "JudgeTotals",
    "Judgment",
    "MissingResource",
    "Outcome",
    "ProbeFinding",
    "ProbeIsolation",
    "ProbeOutcome",
    "ProbeReport",
    "Run",
    "RunState",
    "Score",
    "ScoringResult",
    "Selection",
    "SelfTest",
    "Series",
    "Setup",
    "Severity",
    "Shot",
    "TokenLogprob",
    "ToolCall",
    "Transcript",
    "TranscriptMessage",
    "Trial",
    "TrialKey",
    "Usage",
    "Verdict",
    "ViewportFacts",
    "failure_words",
    "group_of",
    "kind_words",
    "outcome_words",
    "setup_name",
]
