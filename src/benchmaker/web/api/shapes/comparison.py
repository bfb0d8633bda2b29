"""Comparisons, rankings and plans, as the commands of these names print them."""

from typing import Any, Literal, TypedDict

from benchmaker.analysis.comparison.repeats_needed import RunsNeeded
from benchmaker.analysis.comparison.results import ComparedModel, ComparedPair
from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.judges.correction import CorrectedDifferences
from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.ratings.ranking import Ranking as RankingOfBattles
from benchmaker.web.api.paging import extend_type


class More(TypedDict):
    """The number of further cases for a significant difference of the observed size."""

    more: int
    needed: int
    power: float
    if_the_difference_is: float
    method: str


Pair = extend_type(
    "ComparedPair",
    ComparedPair,
    more_cases=More | None,
    more_cases_reason=str | None,
)


class _Compared(TypedDict):
    """Models on the same cases."""

    scale: Literal["0-1"]
    figure: FigureName
    run_ids: list[str]
    n_common: int
    n_cases: int
    clusters: int
    paired: bool
    provisional: bool
    weighted: bool
    correction: str | None
    margin: float | None
    level: float
    seed: int
    method: str
    warnings: list[str]
    left_out: dict[str, str]
    within_margin: WithinMargin | None
    models: list[ComparedModel]
    pairs: list[Pair]  # type: ignore[valid-type]  # made of a dataclass


class Comparison(_Compared):
    """Models on the same cases, best mean first; differences from 0 to 1."""

    corrected: CorrectedDifferences | None
    complete: bool


class GroupComparison(_Compared):
    """The same within one group of cases."""


class GroupedComparison(TypedDict):
    """A comparison within each group of cases; p-values are adjusted within each."""

    scale: Literal["0-1"]
    by: str
    groups: dict[str, GroupComparison]
    left_out: dict[str, str]
    complete: bool


ComparedLevels = extend_type("ComparedLevels", LevelComparison, complete=bool)

Ranking = extend_type("Ranking", RankingOfBattles, complete=bool)


class Pilot(TypedDict):
    """The data that the spread was measured on."""

    models: list[str]
    n: int
    runs: int
    design_effect: float


class Plan(TypedDict):
    """The number of cases needed to detect a difference, or the detectable difference."""

    scale: Literal["0-1"]
    solved: str
    n: float
    delta: float
    power: float
    sd_of_differences: float | None
    runs: int
    tests: int
    alpha: float
    alpha_each: float
    method: str
    assumes: list[str]
    pilot: Pilot | None
    runs_needed: RunsNeeded | None
    warnings: list[str]
    sentence: str


class SuiteTrend(TypedDict):
    """Means of a suite over time, as `trend --json` prints them."""

    scale: Literal["0-1"]
    suite: str
    figure: FigureName
    baseline: list[str]
    n_steps: int
    level: float
    method: str
    warnings: list[str]
    sentence: str
    models: list[dict[str, Any]]
