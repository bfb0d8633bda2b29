"""Submissions, tasks, traces and reviews of coding agents; evaluations from 0 to 100."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.composite.tool_metrics import ToolMetric
from benchmaker.arenas.agentic.evaluation.rows import EvaluatedRow
from benchmaker.arenas.agentic.submissions.reviews import ReviewRow
from benchmaker.arenas.agentic.traces.breakdown import Money, TimeSplit, ToolTotals
from benchmaker.arenas.agentic.traces.steps import ToolUse, TraceStep
from benchmaker.arenas.agentic.traces.trace import Difference
from benchmaker.record.account import RegisteredAttempt
from benchmaker.record.submissions.evaluation import (
    BaselineSnapshot,
    Evaluation,
    Flag,
    Moderation,
    Review,
    Verification,
)
from benchmaker.record.submissions.submission import Submission
from benchmaker.web.api.paging import extend_type, page_type

HUNDRED = Literal["0-100"]


class SubmissionRow(TypedDict):
    """A submission in a list; `number` is its name in addresses, `id` that in its own table."""

    submission: str
    id: str | None
    number: int
    tool: str
    model: str | None
    effort: str | None
    task: str | None
    started: str | None
    success: bool | None
    tokens: int | None
    cost_usd: float | None
    wall_s: float | None
    evidence: str


SubmissionPage = page_type("SubmissionPage", SubmissionRow)


class Verified(TypedDict):
    """The verification of criteria, and pending reviews."""

    id: str
    isolation: str
    finished_at: str
    has_verdict: bool
    waiting: str | None


class Criterion(TypedDict):
    """The result of one criterion."""

    id: str
    type: str
    result: str
    weight: float
    required: bool
    hidden: bool
    evidence: str
    wall_s: float | None
    isolation: str | None


class RegisteredRow(TypedDict):
    """A registered attempt: `number` among those of its system at its task, and its result."""

    attempt: str
    task_id: str
    system: str
    number: int
    of: int
    without_result: int
    by: str
    registered_at: str
    submission_id: str | None
    has_result: bool


class SubmissionOut(TypedDict):
    """A submission as printed by `show --json`, with its evaluations."""

    scale: HUNDRED
    submission: Submission
    metrics: dict[str, ToolMetric]
    evaluations: list[Evaluation]
    verification: Verification | None
    flags: list[Flag]
    review: Review | None
    moderation: list[Moderation]
    attempt: RegisteredRow | None


class Recomputed(TypedDict):
    """The composite computed again; null where the figures have changed since.

    ``rule`` is the version of the rule for provisional scores that gives the stored result.
    """

    overall_score: float | None
    is_same: bool | None
    rule: int | None


class Arrival(TypedDict):
    """The score when it came in, with the number of the baseline then."""

    overall_score: float | None
    snapshot: int


class ScoreExplained(TypedDict):
    """An evaluation term by term, with the baseline that it was scored under."""

    evaluation: Evaluation
    snapshot: BaselineSnapshot
    lines: list[str]
    recomputed: Recomputed
    on_arrival: Arrival


class EvaluationExplained(ScoreExplained):
    """The same as `explain --profile --json` prints it."""

    scale: HUNDRED
    id: str | None
    verification: Verified | None
    criteria: list[Criterion]


class SubmissionExplained(TypedDict):
    """The derivation of a submission's figures and score, as printed by `explain --json`."""

    submission: str
    id: str | None
    tokens: dict[str, Any]
    time: dict[str, Any]
    cost: dict[str, Any]
    evaluation: ScoreExplained | None
    verification: Verified | None
    criteria: list[Criterion]


CallOut = extend_type("CallOut", ToolUse, at=str | None, steps=list[int])
_CALLS = list[CallOut]  # type: ignore[valid-type]  # made of a dataclass
StepOut = extend_type("StepOut", TraceStep, at=str | None, marks=list[str], calls=_CALLS)


class TracePage(TypedDict):
    """A session step by step, as `trace --json` prints it, a part of the steps at a time."""

    submission: Submission
    time: TimeSplit | None
    money: Money
    tools: list[ToolTotals]
    metrics: dict[str, ToolMetric]
    differences: list[Difference]
    has_content: bool
    rate_card: str
    verification: Verified | None
    criteria: list[Criterion]
    count: int
    items: list[StepOut]  # type: ignore[valid-type]  # made of a dataclass
    next: str | None


class SkippedLine(TypedDict):
    """An unreadable line, with the reason."""

    line: int
    reason: str


class Submitted(TypedDict):
    """The stored submissions, and the state of their tasks, as printed by `evaluate --json`.

    `verification` and `criteria` are those of a single submission. `waiting` and `rejected` name
    those waiting for a moderator, and those rejected by one.
    """

    scale: HUNDRED
    profile: str
    submissions: list[str]
    evaluations: list[EvaluatedRow]
    verification: Verified | None
    criteria: list[Criterion]
    waiting: list[str]
    rejected: list[str]
    skipped: list[SkippedLine]


class Preview(TypedDict):
    """The content of a log; nothing is stored."""

    submissions: list[Submission]
    skipped: list[SkippedLine]


class NamedValues(TypedDict):
    """A figure of each of the submissions that are compared, as the page shows it."""

    name: str
    values: list[str]


class SubmissionsCompared(TypedDict):
    """A comparison of up to three submissions."""

    submissions: list[str]
    figures: list[NamedValues]
    scores: list[NamedValues]


class TaskRow(TypedDict):
    """A task, and its number of submissions; without a version the task is not stored."""

    task: str
    title: str
    category: str | None
    difficulty: str | None
    version: str | None
    submissions: int


TaskPage = page_type("TaskPage", TaskRow)


class TaskOut(TypedDict):
    """A task as printed by `task show --json`, without hidden criteria."""

    task: dict[str, Any]
    version: str


ReviewPage = page_type("ReviewPage", ReviewRow)


class ModerationRow(TypedDict):
    """A submission by someone who is not an admin of a moderated team, with its state."""

    submission_id: str
    number: int
    task_id: str | None
    system: str
    state: str
    by: str
    note: str
    actor: str | None
    decided_at: str | None
    handed_in_at: str | None
    figures: dict[str, Any]


ModerationPage = page_type("ModerationPage", ModerationRow)


class Moderated(TypedDict):
    """A moderator's word, and the profiles under which the task settled again."""

    moderation: Moderation
    settled: list[str]


AttemptPage = page_type("AttemptPage", RegisteredRow)


class AttemptsMade(TypedDict):
    """The attempts that were registered."""

    attempts: list[RegisteredAttempt]


class Decided(TypedDict):
    """A decision, and the profiles under which its task settled again."""

    review: Review
    settled: list[str]
    left: list[str]
