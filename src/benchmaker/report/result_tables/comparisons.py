"""The tables of a comparison: its models, and its pairs with their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmaker.analysis.comparison.results import ComparedModel, ComparedPair, Comparison
from benchmaker.analysis.comparison.run_means import interpret_effect
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

SHORT = {
    "mcnemar_mid_p": "McNemar",
    "mcnemar_exact": "McNemar",
    "sign_flip": "sign flips",
    "t": "paired t",
    "welch": "Welch",
}
"""Short names of the tests."""

VERDICTS = {
    "ahead": "ahead",
    "equivalent": "equivalent",
    "not_significant": "not significant",
    "not_tested": missing_figures.NOT_TESTED,
}
_TEST, _CASES, _EFFECT, _P_VALUE = 1, 2, 3, 4
"""What gives way first on a narrow terminal."""

_SHORT_HEAD = 10
"""Characters of a head that stay on one line."""

_TEXTS = frozenset({Surface.TERMINAL, Surface.MARKDOWN})


def has_letters(comparison: Comparison) -> bool:
    """True if letters add to the verdict: not for two models, nor for pairs with one model only."""
    return len(comparison.models) > 2 and any(one.letters for one in comparison.models)  # noqa: PLR2004


def difference_interval(low: float | None, high: float | None) -> str:
    """Both ends, or ``none``."""
    return missing_figures.optional_interval(None if low is None or high is None else (low, high))


def interval_head(name: str) -> str:
    """The head of a column of intervals, a long one on two lines."""
    return name if len(name) <= _SHORT_HEAD else name.replace(" CI", "\nCI")


def _letters(one: ComparedModel, made: Comparison) -> str:
    if one.model in made.left_out:
        return "left out"
    return one.letters or missing_figures.NOT_TESTED


COMPARED_MODELS: TableDeclaration[Comparison, ComparedModel] = TableDeclaration(
    "compared",
    (
        TableColumn(
            name="model",
            title=lambda made: made.noun.capitalize(),
            text=lambda one, _: name(one.model),
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
        TableColumn(name="mean_of_own"),
        TableColumn(
            name="n_scored",
            title="Scored\ncases",
            text=lambda one, _: _scored_cases(one),
            gives_way=2,
        ),
        TableColumn(name="n_cases"),
        TableColumn(
            name="coverage",
            title="Coverage",
            text=lambda one, _: numbers.share(one.coverage),
            is_shown=lambda _, surface: surface in _TEXTS,
            gives_way=1,
        ),
        TableColumn(
            name="letters",
            title="Letters",
            text=_letters,
            is_right=False,
            is_shown=lambda made, surface: surface in _TEXTS and has_letters(made),
            gives_way_last=True,
        ),
    ),
    rows=lambda made: made.models,
)
"""Figures with intervals over the common cases, coverage and letters."""


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair, and the model that its other model is compared with, empty for the lower one."""

    pair: ComparedPair
    reference: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The figures of the pair, which no reference turns round."""
        return self.pair.to_dict()

    @property
    def other(self) -> str:
        """The model that is not the reference."""
        return self.pair.model_b if self.pair.model_a == self.reference else self.pair.model_a

    @property
    def difference(self) -> tuple[float, ...]:
        """The other model less the reference: the difference and, where known, both ends."""
        pair = self.pair
        ends = () if pair.low is None or pair.high is None else (pair.low, pair.high)
        if pair.model_a != self.reference:
            return (pair.diff, *ends)
        return (-pair.diff, *(-end for end in reversed(ends)))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the difference."""
        _, *ends = self.difference
        return (ends[0], ends[1]) if ends else None

    @property
    def effect(self) -> str:
        """Cohen's d with its usual word: ``0.26 small``; its sign as the difference's."""
        if self.pair.d_av is None:
            return missing_figures.NOT_KNOWN
        d = -self.pair.d_av if self.pair.model_a == self.reference else self.pair.d_av
        return f"{numbers.fixed_point(d, 2)} {interpret_effect(d)}"

    @property
    def verdict(self) -> str:
        """The verdict on the other model: ``lower`` or ``higher``, else that of the pair."""
        if self.pair.is_equal_throughout and self.pair.verdict in {"not_significant", "not_tested"}:
            return missing_figures.SAME_SCORES
        if not self.reference or self.pair.verdict != "ahead":
            return VERDICTS[self.pair.verdict]
        return "lower" if self.pair.model_a == self.reference else "higher"


@dataclass(frozen=True, slots=True)
class PairsView:
    """A comparison, and how its pairs are shown.

    With a ``reference`` each other model is compared with it; else both names stand in columns, or
    ``is_stacked`` in one, for narrow screens. ``more_cases`` has the number of additional cases
    that other models need for a significant difference.
    """

    comparison: Comparison
    reference: str = ""
    is_stacked: bool = False
    more_cases: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> Sequence[ShownPair]:
        """The pairs, those with the reference alone where there is one."""
        return [
            ShownPair(one, self.reference)
            for one in self.comparison.pairs
            if not self.reference or self.reference in (one.model_a, one.model_b)
        ]

    @property
    def is_adjusted(self) -> bool:
        """Whether p-values are adjusted for the number of pairs."""
        return len(self.comparison.pairs) > 1 and bool(self.comparison.correction)


def _has_both_names(view: PairsView, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return not (view.reference or view.is_stacked)


def _stacked_names(row: ShownPair) -> str:
    return f"{name(row.pair.model_a)}\n− {name(row.pair.model_b)}"


def _scored_cases(one: ComparedModel) -> str:
    if one.n_scored == one.n_cases:
        return f"{one.n_scored:,}"
    return f"{one.n_scored:,}/{one.n_cases:,}"


def _more_cases(row: ShownPair, view: PairsView) -> str:
    return view.more_cases.get(row.other) or "none needed"


PAIRS: TableDeclaration[PairsView, ShownPair] = TableDeclaration(
    "differences",
    (
        TableColumn(
            name="model_a",
            title="Higher",
            text=lambda row, _: name(row.pair.model_a),
            is_right=False,
            is_shown=_has_both_names,
        ),
        TableColumn(
            name="model_b",
            title="Lower",
            text=lambda row, _: name(row.pair.model_b),
            is_right=False,
            is_shown=_has_both_names,
        ),
        TableColumn(
            title="Higher\n− lower",
            text=lambda row, _: _stacked_names(row),
            is_right=False,
            is_shown=lambda view, _: view.is_stacked and not view.reference,
        ),
        TableColumn(
            title=lambda view: view.comparison.noun.capitalize(),
            text=lambda row, _: name(row.other),
            is_right=False,
            is_shown=lambda view, _: bool(view.reference),
        ),
        TableColumn(name="figure", value=lambda _, view: view.comparison.figure),
        TableColumn(name="mean_a"),
        TableColumn(name="mean_b"),
        TableColumn(
            name="diff",
            title="Differ-\nence",
            text=lambda row, _: numbers.difference(row.difference[0]),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row.pair.low, row.pair.high),
            title=lambda view: interval_head(view.comparison.headline.ci_name),
            text=lambda row, _: missing_figures.optional_interval(row.interval),
            beside="diff",
        ),
        TableColumn(name="level"),
        TableColumn(name="ci_level"),
        TableColumn(
            name="p_value",
            title="p",
            text=lambda row, _: missing_figures.optional_p_value(row.pair.p_value),
            is_shown=lambda view, surface: surface is Surface.PAGE and view.is_adjusted,
            is_wide=False,
        ),
        TableColumn(
            name="p_adjusted",
            title="p",
            unit=lambda view: "adjusted" if view.is_adjusted else "",
            text=lambda row, _: missing_figures.optional_p_value(row.pair.p_adjusted),
            gives_way=_P_VALUE,
            is_wide=False,
        ),
        TableColumn(name="adjustment"),
        TableColumn(
            name="p_equivalence",
            title="p",
            unit="equivalence",
            text=lambda row, _: missing_figures.optional_p_value(row.pair.p_equivalence),
            is_shown=lambda view, _: view.comparison.margin is not None,
            gives_way=_P_VALUE,
            is_wide=False,
        ),
        TableColumn(name="equivalence_adjustment"),
        TableColumn(name="margin"),
        TableColumn(
            name="verdict",
            title="Verdict",
            text=lambda row, _: row.verdict,
            is_right=False,
            shown_after="d_av",
            gives_way_last=True,
            is_wide=False,
        ),
        TableColumn(
            name="d_av",
            title="Effect",
            unit="Cohen's d",
            text=lambda row, _: row.effect,
            is_right=False,
            gives_way=_EFFECT,
        ),
        TableColumn(name="d_z"),
        TableColumn(name="p_superior"),
        TableColumn(name="wins"),
        TableColumn(name="losses"),
        TableColumn(name="ties"),
        TableColumn(
            name="n", title="Cases", text=lambda row, _: f"{row.pair.n:,}", gives_way=_CASES
        ),
        TableColumn(name="n_eff"),
        TableColumn(name="clusters"),
        TableColumn(
            name="test",
            title="Test",
            text=lambda row, _: SHORT[row.pair.test],
            is_right=False,
            is_shown=lambda _, surface: surface in _TEXTS,
            gives_way=_TEST,
        ),
        TableColumn(
            title="To reach significance",
            text=_more_cases,
            is_right=False,
            is_shown=lambda view, _: any(view.more_cases.values()),
        ),
        TableColumn(name="method"),
        TableColumn(name="reason"),
        TableColumn(name="warnings"),
    ),
    rows=lambda view: view.rows,
)
"""Differences with intervals, adjusted p-values and named effects."""
