"""The tables of a comparison by model, prompt or effort, and of setups within a margin."""

from benchmaker.analysis.comparison.within_margin import SetupValue, WithinMargin
from benchmaker.analysis.effects.level_results import (
    ComparedLevel,
    LevelComparison,
    LevelPair,
    over_words,
)
from benchmaker.report.result_tables.comparisons import SHORT, VERDICTS, difference_interval
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration

LEVELS: TableDeclaration[LevelComparison, ComparedLevel] = TableDeclaration(
    "levels",
    (
        TableColumn(
            name="level",
            title=lambda made: made.by.capitalize(),
            text=lambda one, _: name(one.level),
            is_right=False,
        ),
        TableColumn(name="figure", value=lambda _, made: made.figure),
        TableColumn(
            name="mean",
            title=lambda made: WORDS[made.figure].head,
            unit=lambda made: WORDS[made.figure].unit,
            text=lambda one, made: figure_text(one.mean, made.figure),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda one, _: (one.low, one.high),
            title=lambda made: f"{100 * made.level:g}% CI",
            unit="cases",
            text=lambda one, _: difference_interval(one.low, one.high),
            beside="mean",
        ),
        TableColumn(name="n_cases", title="Cases", text=lambda one, _: f"{one.n_cases:,}"),
        TableColumn(name="setups", title="Setups", text=lambda one, _: f"{len(one.setups):,}"),
        TableColumn(
            name="letters",
            title="Letters",
            text=lambda one, _: one.letters or missing_figures.NOT_TESTED,
            is_right=False,
            is_shown=lambda made, _: len(made.levels) > 2 and any(it.letters for it in made.levels),  # noqa: PLR2004  a pair
        ),
    ),
    rows=lambda made: made.levels,
)
"""The figure of each level over its setups, with its interval."""


def _has_adjustment(made: LevelComparison) -> bool:
    return len(made.pairs) > 1 and bool(made.correction)


LEVEL_PAIRS: TableDeclaration[LevelComparison, LevelPair] = TableDeclaration(
    "effects",
    (
        TableColumn(name="by", value=lambda _, made: made.by),
        TableColumn(name="a", title="Higher", text=lambda row, _: name(row.a), is_right=False),
        TableColumn(name="b", title="Lower", text=lambda row, _: name(row.b), is_right=False),
        TableColumn(name="mean_a"),
        TableColumn(name="mean_b"),
        TableColumn(
            name="diff",
            title="Differ-\nence",
            text=lambda row, _: numbers.difference(row.diff),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row.low, row.high),
            title=lambda made: made.comparison.headline.ci_name,
            text=lambda row, _: difference_interval(row.low, row.high),
            beside="diff",
        ),
        TableColumn(name="ci95", keys=("ci95_low", "ci95_high")),
        TableColumn(name="p"),
        TableColumn(
            name="p_adj",
            title="p",
            unit=lambda made: "adjusted" if _has_adjustment(made) else "",
            text=lambda row, _: missing_figures.optional_p_value(row.p_adj),
            is_wide=False,
        ),
        TableColumn(name="adjustment"),
        TableColumn(
            name="verdict",
            title="Verdict",
            text=lambda row, _: VERDICTS[row.verdict],
            is_right=False,
            gives_way=True,
            is_wide=False,
        ),
        TableColumn(
            name="n_cases", title="Cases", text=lambda row, _: f"{row.n_cases:,}", gives_way=True
        ),
        TableColumn(name="clusters"),
        TableColumn(
            name="over",
            title="Averaged over",
            value=lambda row, _: [level for levels in row.over.values() for level in levels],
            text=lambda row, _: over_words(row.over).removeprefix(", over ") or "one setup",
            is_right=False,
            gives_way=True,
        ),
        TableColumn(
            name="test",
            title="Test",
            text=lambda row, _: SHORT[row.test],
            is_right=False,
            gives_way=True,
        ),
        TableColumn(name="reason"),
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
            title="Cost",
            unit="per case",
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
