"""The tables of a comparison by model, prompt or effort, and of setups within a margin."""

from dataclasses import dataclass, replace
from typing import Any

from benchmaker.analysis.comparison.results import ComparedModel
from benchmaker.analysis.comparison.within_margin import SetupValue, WithinMargin
from benchmaker.analysis.effects.level_results import (
    ComparedLevel,
    LevelComparison,
    LevelPair,
    over_words,
)
from benchmaker.report.result_tables.comparisons import (
    COMPARED_MODELS,
    PAIRS,
    PairsView,
    ShownPair,
    difference_interval,
)
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A level of the dimension, and its line of the comparison."""

    level: ComparedLevel
    compared: ComparedModel

    def to_dict(self) -> dict[str, Any]:
        """The figures of the level."""
        return self.level.to_dict()


def _of_models(name: str) -> TableColumn[LevelComparison, LevelRow]:
    """A column of the compared models."""
    return COMPARED_MODELS.column(name).within(
        lambda made: made.comparison, lambda row: row.compared
    )


LEVELS: TableDeclaration[LevelComparison, LevelRow] = TableDeclaration(
    "levels",
    (
        replace(_of_models("model"), name="level", title=lambda made: made.by.capitalize()),
        _of_models("figure"),
        _of_models("mean"),
        _of_models("interval"),
        TableColumn(name="n_cases", title="Cases", text=lambda row, _: f"{row.level.n_cases:,}"),
        TableColumn(
            name="setups", title="Setups", text=lambda row, _: f"{len(row.level.setups):,}"
        ),
        _of_models("letters"),
    ),
    rows=lambda made: list(map(LevelRow, made.levels, made.comparison.models)),
)
"""The figure of each level over its setups, with its interval."""


def _of_pairs(name: str) -> TableColumn[LevelComparison, LevelPair]:
    """A column of the compared pairs."""
    return PAIRS.column(name).within(
        lambda made: PairsView(made.comparison), lambda row: ShownPair(row.pair)
    )


LEVEL_PAIRS: TableDeclaration[LevelComparison, LevelPair] = TableDeclaration(
    "effects",
    (
        TableColumn(name="by", value=lambda _, made: made.by),
        replace(_of_pairs("model_a"), name="a"),
        replace(_of_pairs("model_b"), name="b"),
        _of_pairs("mean_a"),
        _of_pairs("mean_b"),
        _of_pairs("diff"),
        _of_pairs("interval"),
        TableColumn(name="ci95", keys=("ci95_low", "ci95_high")),
        TableColumn(name="p"),
        replace(_of_pairs("p_adjusted"), name="p_adj"),
        _of_pairs("adjustment"),
        _of_pairs("verdict"),
        replace(_of_pairs("n"), name="n_cases"),
        _of_pairs("clusters"),
        TableColumn(
            name="over",
            title="Averaged over",
            value=lambda row, _: [level for levels in row.over.values() for level in levels],
            text=lambda row, _: over_words(row.over).removeprefix(", over ") or "one setup",
            is_right=False,
            gives_way=1,
        ),
        replace(_of_pairs("test"), is_shown=lambda *_: True),
        _of_pairs("reason"),
    ),
    rows=lambda made: made.pairs,
)
"""The differences of levels with their intervals, adjusted p-values and verdicts."""


def _loss(row: SetupValue, made: WithinMargin) -> str:
    """The difference from the best, none for the best itself."""
    return "best" if row.name == made.best else numbers.difference(-row.behind)


def _limit(row: SetupValue) -> str:
    """The lower bound of the difference from the best."""
    if row.at_most is None:
        return missing_figures.NOT_TESTED
    return numbers.end(-row.at_most, signed=True)


def _within(row: SetupValue) -> str:
    if row.is_within:
        return "yes"
    return missing_figures.NOT_TESTED if row.p is None else "not shown"


WITHIN_MARGIN: TableDeclaration[WithinMargin, SetupValue] = TableDeclaration(
    "within_margin",
    (
        TableColumn(
            name="name",
            title=lambda made: made.noun.capitalize(),
            text=lambda row, _: name(row.name),
            is_right=False,
        ),
        TableColumn(
            name="cost_usd",
            value=lambda row, _: row.cost.usd,
            title="Cost\nper case",
            text=lambda row, _: missing_figures.optional_money(row.cost.usd),
            is_wide=False,
        ),
        TableColumn(
            name="cost_interval",
            keys=("cost_low", "cost_high"),
            value=lambda row, _: (row.cost.low, row.cost.high),
            title=lambda made: f"{100 * made.level:g}% CI",
            text=lambda row, _: cost_interval(row.cost.low, row.cost.high),
            beside="cost_usd",
            gives_way=True,
        ),
        TableColumn(
            name="mean",
            title="Mean",
            unit="0-100",
            text=lambda row, _: numbers.score(row.mean),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row.low, row.high),
            title=lambda made: f"{100 * made.level:g}% CI",
            unit="cases",
            text=lambda row, _: difference_interval(row.low, row.high),
            beside="mean",
            gives_way=True,
        ),
        TableColumn(name="behind", title="To the\nbest", text=_loss),
        TableColumn(
            name="at_most",
            title="At worst",
            text=lambda row, _: _limit(row),
            help=(
                "At worst: the lower confidence bound of the difference from the best of the "
                "others, at the level of the adjusted test."
            ),
        ),
        TableColumn(name="p"),
        TableColumn(name="p_adj"),
        TableColumn(
            name="is_within",
            title="Within",
            text=lambda row, _: _within(row),
            is_right=False,
            is_wide=False,
        ),
        TableColumn(name="reason"),
    ),
    rows=lambda made: made.setups,
)
"""Cost and score of each setup, the cheapest first, and those within the margin of the best."""


def cost_interval(low: float | None, high: float | None) -> str:
    """Both ends in dollars, or ``no interval``."""
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    return f"[{numbers.money(low)}, {numbers.money(high)}]"
