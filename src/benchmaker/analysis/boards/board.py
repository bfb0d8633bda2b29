"""Boards: their rules, rows and values."""

from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.system_task_means import Policy
from benchmaker.analysis.composite.counting_figures import RANKED_EVIDENCE
from benchmaker.analysis.composite.weights import PARTS
from benchmaker.documents import FIRST, Document, Key, listed
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import TokensView
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES, SCORED_FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel

Mask = NDArray[np.bool_]

Unit: TypeAlias = Literal["system", "tool", "model", "effort", "submitter"]
"""The unit of a ranking: systems, or all systems of one tool, model, effort or submitter."""

SCORES = ("overall", "adjusted", *PARTS)
RATES = ("success", "resolved")
VALUES = (*SCORES, *RATES, *BOARD_FIGURES)
"""The values by which a board is ranked. ``success`` is the share of known verdicts without
infrastructure failures, ``resolved`` that of all submissions, one without a verdict counting as
failed, whatever the reason; figures are ranked from the lowest up."""

SPAN = 100.0


@dataclass(frozen=True, slots=True)
class Where:
    """The submissions of a board; None for all. The window is [since_us, until_us)."""

    task: str | None = None
    category: str | None = None
    difficulty: str | None = None
    system: str | None = None
    tool: str | None = None
    model: str | None = None
    effort: str | None = None
    submitter: str | None = None
    since_us: int | None = None
    until_us: int | None = None

    def rows(self, columns: MetricColumns) -> Mask:
        """Return a mask of the selected rows."""
        found = np.ones(len(columns), np.bool_)
        for label in (
            "task",
            "category",
            "difficulty",
            "system",
            "tool",
            "model",
            "effort",
            "submitter",
        ):
            wanted = getattr(self, label)
            if wanted is not None:
                names = columns.names(label)
                code = names.index(wanted) if wanted in names else len(names)
                found &= getattr(columns, label) == code
        if self.since_us is not None:
            found &= columns.finished_us >= self.since_us
        if self.until_us is not None:
            found &= columns.finished_us < self.until_us
        return found


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a board: fields of a profile.

    ``policy`` selects the attempts that represent a unit at a task; its score is the mean over its
    tasks. ``evidence`` lists the ranked levels, the others are listed hollow. Below
    ``least_submissions`` evaluated submissions a unit is provisional, below ``least_systems``
    ranked units the whole board is. ``common`` restricts the board to tasks at which every unit
    with enough submissions has been evaluated. ``level`` is that of intervals. With
    ``needs_all_figures``, a unit that lacks a figure in some of its submissions has no rank by that
    figure, and an implausible figure counts as missing.
    """

    policy: Policy = "mean"
    evidence: tuple[EvidenceLevel, ...] = RANKED_EVIDENCE
    least_submissions: int = 5
    least_systems: int = 3
    common: bool = False
    level: float = 0.95
    seed: int = 0
    tokens: TokensView = "fresh"
    needs_all_figures: bool = False


@dataclass(frozen=True, slots=True)
class BoardRow(Document):
    """One line. ``system`` names the ranked unit; ``tool``, ``model``, ``effort`` if unique.

    ``score`` is the mean over ``tasks`` of the attempts selected by the policy, with ``n``
    submissions out of ``evaluated``; ``attempts`` counts every submission, evaluated or not.
    ``rank``, ``rank_interval`` and ``percentile`` (mid-rank) are None for hollow and provisional
    rows; ``reason`` explains why. If submissions have a range because a figure that counts is
    missing, ``score`` is the mean of their lower ends and ``score_high`` that of their upper ones;
    ``low`` to ``high`` and the rank interval cover both, ``se`` is that of the lower one.
    ``stood_in`` counts submissions with a published stand-in for a missing figure in their value.
    ``evidence_level`` is the weakest one that counts. ``registered`` counts attempts that were
    registered before the work; ``without_result`` those of them without a submission, which count
    as failed. ``lacking`` counts the submissions without the board's figure, excluding
    infrastructure failures. ``mean_cost`` is the mean cost of a submission in dollars, over the
    ``costs`` submissions with a known one.
    """

    system: str
    tool: str | None
    model: str | None
    effort: str | None
    rank: int | None
    rank_interval: tuple[int, int] | None
    percentile: float | None
    score: float | None
    low: float | None
    high: float | None
    se: float | None
    n: int
    tasks: int
    evaluated: int
    attempts: int
    evidence_level: EvidenceLevel | None
    isolation: tuple[str, ...]
    hollow: bool
    provisional: bool
    flagged: int
    stood_in: int
    reason: str
    registered: int = 0
    without_result: int = 0
    score_high: float | None = None
    lacking: int = 0
    mean_cost: float | None = None
    costs: int = 0


@dataclass(frozen=True, slots=True)
class Leaderboard(Document):
    """A board: ranked rows first, then provisional, then hollow ones, each by score, then name.

    ``method`` names the method of rank intervals, empty if no row is ranked. ``value`` is its sort
    key. ``not_evaluated`` counts submissions without a value, and ``quarantined`` the excluded
    ones. ``notes`` are remarks for the reader.
    """

    rows: Annotated[tuple[BoardRow, ...], Key(after="notes")]
    value: str
    unit: Unit
    family: str
    higher_is_better: bool
    policy: Policy
    evidence: tuple[EvidenceLevel, ...]
    provisional: bool
    level: float
    method: str
    submissions: int
    not_evaluated: int
    quarantined: int
    tasks: int
    notes: tuple[str, ...] = field(default=())

    @property
    @listed(after=FIRST)
    def scale(self) -> str:
        """The scale of scores and rates, else the figure that the board goes by."""
        return "0-100" if self.value in (*SCORES, *RATES) else self.value


def words_for(value: str) -> str:
    """Return the name of a board's value in a sentence.

    >>> words_for("dollars"), words_for("tool_calls"), words_for("overall")
    ('cost', 'tool calls', 'overall')
    """
    figure = BOARD_FIGURES.get(value)
    return value if figure is None else SCORED_FIGURES[figure].label.lower()


def is_higher_better(value: str) -> bool:
    """True if a board by this value starts with the highest."""
    return value not in BOARD_FIGURES
