"""The tables of a comparison: models with their figures, pairs with their differences."""

from benchmaker.analysis.comparison.results import ComparedModel, ComparedPair, Comparison
from benchmaker.analysis.comparison.run_means import interpret_effect
from benchmaker.analysis.metric import FigureName
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table

SHORT = {
    "mcnemar_mid_p": "McNemar",
    "mcnemar_exact": "McNemar",
    "sign_flip": "sign flips",
    "t": "paired t",
    "welch": "Welch",
}
"""Short names of the tests."""

_VERDICTS = {"ahead": "ahead", "equivalent": "equivalent", "not_told_apart": "no clear difference"}
_MOST_PAIRS = 21
_FIGURES = 52
"""Columns of a terminal that the figures of a pair take."""


def models_table(comparison: Comparison) -> Table:
    """Figures with intervals over the common cases, letters and coverage."""
    level = f"{100 * comparison.level:g}% CI\ncases"
    columns = (
        Column("Model", is_right=False),
        Column(WORDS[comparison.figure].column),
        Column(level),
        Column("Scored\ncases"),
        Column("Coverage", gives_way=True),
        *([Column("Letters", is_right=False)] if has_letters(comparison) else []),
    )
    rows = tuple(_model_row(one, comparison.figure)[: len(columns)] for one in comparison.models)
    return Table(columns, rows)


def has_letters(comparison: Comparison) -> bool:
    """True if letters add to the verdict: not for two models, nor for pairs with one model only."""
    return len(comparison.models) > 2 and any(one.letters for one in comparison.models)  # noqa: PLR2004


def pairs_table(comparison: Comparison, *, stacked: bool = False) -> Table:
    """Differences with intervals, adjusted p-values and named effects: all pairs.

    ``stacked`` puts both names of a pair into one column, for narrow screens.
    """
    heads = ("Higher\n− lower",) if stacked else ("Higher", "Lower")
    names = tuple(Column(head, is_right=False) for head in heads)
    rows = ((*_names(one, stacked=stacked), *_figures(one)) for one in comparison.pairs)
    return Table((*names, *_figure_columns(comparison)), tuple(rows))


def _names(pair: ComparedPair, *, stacked: bool) -> tuple[str, ...]:
    a, b = name(pair.model_a), name(pair.model_b)
    return (f"{a}\n− {b}",) if stacked else (a, b)


def table_against(comparison: Comparison, reference: str) -> Table:
    """Return the pairs with one model: the distance of each other model from it."""
    rows = tuple(
        (name(other_than(one, reference)), *_figures(one, reference))
        for one in comparison.pairs
        if reference in (one.model_a, one.model_b)
    )
    columns = (Column("Model", is_right=False), *_figure_columns(comparison))
    return Table(columns, rows, caption=f"Difference from {name(reference)}")


def other_than(pair: ComparedPair, reference: str) -> str:
    """The other model of a pair."""
    return pair.model_b if pair.model_a == reference else pair.model_a


def seen_from(pair: ComparedPair, reference: str) -> tuple[float, ...]:
    """The other model less the reference: the difference and, where known, both ends."""
    ends = () if pair.low is None or pair.high is None else (pair.low, pair.high)
    if pair.model_b == reference:
        return (pair.diff, *ends)
    return (-pair.diff, *(-end for end in reversed(ends)))


def word(pair: ComparedPair, reference: str) -> str:
    """The verdict on the other model: ``lower`` or ``higher``, else that of the pair."""
    if pair.verdict != "ahead":
        return _VERDICTS[pair.verdict]
    return "lower" if pair.model_a == reference else "higher"


def displayed_pairs(comparison: Comparison, width: int | None = None) -> Table:
    """Return all pairs; only those with one model if there are many, or if it was requested.

    Names that would leave too little of the width for the figures are stacked.
    """
    models = [{one.model_a, one.model_b} for one in comparison.pairs]
    shared = set.intersection(*models) if len(models) > 1 else set()
    if len(shared) == 1:
        return table_against(comparison, shared.pop())
    if len(models) > _MOST_PAIRS:
        return table_against(comparison, comparison.headline.model_a)
    longest = max(len(name(one.model)) for one in comparison.models)
    return pairs_table(comparison, stacked=width is not None and 2 * longest > width - _FIGURES)


def _figure_columns(comparison: Comparison) -> tuple[Column, ...]:
    alone = len(comparison.pairs) == 1 or not comparison.correction
    return (
        Column("Differ-\nence"),
        Column(comparison.headline.ci_name),
        Column("p" if alone else "p\nadjusted"),
        Column("Effect\nCohen's d", is_right=False),
        Column("Verdict", is_right=False, gives_way=True),
        Column("Cases", gives_way=True),
        Column("Test", is_right=False, gives_way=True),
    )


def _figures(pair: ComparedPair, reference: str | None = None) -> tuple[str, ...]:
    away, *ends = seen_from(pair, pair.model_b if reference is None else reference)
    return (
        numbers.difference(away),
        numbers.interval((ends[0], ends[1])) if ends else missing_figures.NO_INTERVAL,
        missing_figures.optional_p_value(pair.p_adjusted),
        effect(pair, reference),
        _VERDICTS[pair.verdict] if reference is None else word(pair, reference),
        f"{pair.n:,}",
        SHORT[pair.test],
    )


def effect(pair: ComparedPair, reference: str | None = None) -> str:
    """Cohen's d with its usual word: ``0.26 small``; its sign as the difference's."""
    if pair.d_av is None:
        return missing_figures.NOT_KNOWN
    d = -pair.d_av if pair.model_a == reference else pair.d_av
    return f"{numbers.fixed_point(d, 2)} {interpret_effect(d)}"


def _model_row(one: ComparedModel, figure: FigureName) -> tuple[str, ...]:
    return (
        name(one.model),
        figure_text(one.mean, figure),
        difference_interval(one.low, one.high),
        f"{one.n_scored:,}/{one.n_cases:,}" if one.n_scored != one.n_cases else f"{one.n_scored:,}",
        numbers.share(one.coverage),
        one.letters or missing_figures.NOT_TESTED,
    )


def difference_interval(low: float | None, high: float | None) -> str:
    """Both ends, or ``none``."""
    return missing_figures.optional_interval(None if low is None or high is None else (low, high))
