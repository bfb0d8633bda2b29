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
    """A submission in a list; `number` names it in addresses, `id` is that of its own table."""

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
    """That the criteria were verified by us, and what still waits for whom."""

    id: str
    isolation: str
    finished_at: str
    has_verdict: bool
    waiting: str | None


class Criterion(TypedDict):
    """What one criterion came to."""

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
    """A registered attempt: `number` of those of its system at its task, and what came of it."""

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
    """A submission as `show --json` prints it, with what was made of it."""

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
    """The composite computed again; null where the figures have changed since."""

    overall_score: float | None
    is_same: bool | None


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
    """How a submission's own figures and its score came about, as `explain --json` prints it."""

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
    """What could not be read, and why."""

    line: int
    reason: str


class Submitted(TypedDict):
    """What was taken in, and how its tasks stand since, as `evaluate --json` prints it.

    `verification` and `criteria` are those of a submission that came alone. `waiting` and
    `rejected` name those that wait for a moderator, and those that one has rejected.
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
    """What a log holds; nothing of it was kept."""

    submissions: list[Submission]
    skipped: list[SkippedLine]


class NamedValues(TypedDict):
    """A figure of each of the submissions that are compared, as the page shows it."""

    name: str
    values: list[str]


class SubmissionsCompared(TypedDict):
    """Up to three submissions beside each other."""

    submissions: list[str]
    figures: list[NamedValues]
    scores: list[NamedValues]


class TaskRow(TypedDict):
    """A task, and how many submissions there are to it; without a version nobody stored it."""

    task: str
    title: str
    category: str | None
    difficulty: str | None
    version: str | None
    submissions: int


TaskPage = page_type("TaskPage", TaskRow)


class TaskOut(TypedDict):
    """A task as `task show --json` prints it, hidden criteria left out."""

    task: dict[str, Any]
    version: str


ReviewPage = page_type("ReviewPage", ReviewRow)


class ModerationRow(TypedDict):
    """What somebody handed in who is no admin of a moderated team, and where it stands."""

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
