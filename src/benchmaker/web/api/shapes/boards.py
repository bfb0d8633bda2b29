"""Boards and their analyses, as printed by the commands."""

from typing import Literal, NotRequired, TypedDict

from benchmaker.analysis.boards.bias import BaselineInfluence, Gap, MissingShare, Residual
from benchmaker.analysis.boards.board import BoardRow
from benchmaker.analysis.boards.frontier import FrontPoint, PerSuccess, WithinBudget
from benchmaker.analysis.boards.profile_comparison import Move, ProfileQuality
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.stats.agreement.correlation import Correlation
from benchmaker.stats.agreement.rank_overlap import RankOverlap
from benchmaker.web.api.paging import extend_type, page_type


class Window(TypedDict):
    """The time a board looks at, in microseconds since 1970."""

    name: str
    since_us: int | None
    until_us: int | None


class BoardPage(TypedDict):
    """A leaderboard as `leaderboard --json` prints it, its rows a page at a time."""

    scale: str
    profile: str
    board: str
    window: Window
    where: dict[str, str]
    value: str
    unit: str
    family: str
    higher_is_better: bool
    policy: str
    evidence: list[str]
    provisional: bool
    level: float
    method: str
    submissions: int
    not_evaluated: int
    quarantined: int
    tasks: int
    notes: list[str]
    undated: int
    left_out: dict[str, int]
    count: int
    items: list[BoardRow]
    next: str | None


BoardIndex = page_type("BoardIndex", str, profile=str)

Point = extend_type("FrontPoint", FrontPoint, is_solid=bool)


class FrontOut(TypedDict):
    """The units by rising figure."""

    points: list[Point]  # type: ignore[valid-type]  # made of a dataclass
    figure: str
    left_out: list[str]
    method: str
    draws: int
    seed: int


class PassRate(TypedDict):
    """A pass@k or pass^k over tasks."""

    mean: float | None
    low: float | None
    high: float | None
    se: float | None
    tasks: int
    reason: str


class PassesOut(TypedDict):
    """Both at one k."""

    system: str
    k: int
    pass_at_k: PassRate
    pass_hat_k: PassRate


class Front(TypedDict):
    """The cost of success; shares from 0 to 1."""

    scale: Literal["0-1"]
    profile: str
    notes: NotRequired[list[str]]
    unit: str
    level: float
    hollow: int
    untested: dict[str, str]
    front: FrontOut
    per_success: list[PerSuccess]
    within_budget: list[WithinBudget]
    passes: list[PassesOut]


class Baselines(TypedDict):
    """Baselines of tasks, or of one task over time, as `baselines --json` prints them."""

    profile: str
    task: str | None
    baselines: list[BaselineSnapshot]


class Bias(TypedDict):
    """Four tests of a board for bias towards a tool."""

    scale: Literal["0-100"]
    profile: str
    submissions: int
    flags: list[str]
    residuals: list[Residual]
    missing: list[MissingShare]
    gaps: list[Gap]
    influence: list[BaselineInfluence]
    level: float
    fdr: float


class ProfilesCompared(TypedDict):
    """Two profiles on all submissions."""

    submissions: int
    a: ProfileQuality
    b: ProfileQuality
    common: int
    tau: Correlation | None
    overlap: RankOverlap | None
    moves: list[Move]
    only_a: list[str]
    only_b: list[str]
    reason: str
