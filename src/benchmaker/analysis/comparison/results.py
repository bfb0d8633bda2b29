"""Results of a comparison of models: frozen values, and their sentences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from benchmaker.analysis.comparison.pair_interval import EndsAt
from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.analysis.metric import PLURALS, FigureName
from benchmaker.documents import FIRST, OMITTED, Document, Key, listed
from benchmaker.errors import SpecError
from benchmaker.record.p_values import p_value_equation
from benchmaker.record.points import points
from benchmaker.stats.differences import Differences
from benchmaker.stats.pairs.multiple_comparisons import Correction
from benchmaker.stats.pairs.permutation import TOO_FEW
from benchmaker.stats.student import alpha
from benchmaker.tabular import Tabular

Verdict: TypeAlias = Literal["ahead", "equivalent", "not_significant", "not_tested"]

TESTS: Mapping[str, str] = {
    "mcnemar_mid_p": "McNemar's binomial test with mid-p",
    "mcnemar_exact": "McNemar's exact binomial test",
    "sign_flip": "sign-flip permutation",
    "t": "paired Student's t",
    "welch": "Welch's t, for different cases",
}
"""The words for ``ComparedPair.test``."""

LEAST_COMMON = 5
"""Below this many common cases a comparison is provisional."""


def verdict_of(p_adjusted: float | None, p_equivalence: float | None, level: float) -> Verdict:
    """Return the verdict by the adjusted p-values of a difference and of equivalence.

    >>> verdict_of(0.04, None, 0.95), verdict_of(0.4, 0.01, 0.95), verdict_of(None, None, 0.95)
    ('ahead', 'equivalent', 'not_tested')
    """
    if p_adjusted is not None and p_adjusted < alpha(level):
        return "ahead"
    if p_equivalence is not None and p_equivalence < alpha(level):
        return "equivalent"
    return "not_tested" if p_adjusted is None and p_equivalence is None else "not_significant"


@dataclass(frozen=True, slots=True)
class ComparedModel(Document):
    """One model of a comparison; scores from 0 to 1.

    ``mean``, ``low`` and ``high`` are over the common cases, or over the model's own where the
    models have none in common. ``n_scored`` of ``n_cases`` are scored, ``coverage`` is their share
    and ``mean_of_own`` the mean over them, common or not. Models that share one of the ``letters``
    do not differ significantly.
    """

    model: str
    mean: float | None
    low: float | None
    high: float | None
    mean_of_own: float | None
    n_scored: int
    n_cases: int
    coverage: float
    letters: str


@dataclass(frozen=True, slots=True)
class ComparedPair(Document):
    """Two models, the one with the better mean as ``model_a``; differences from 0 to 1.

    ``test`` (see ``TESTS``) is the source of ``p_value``; ``p_adjusted``, over all tested pairs by
    the method ``adjustment``, decides the ``verdict`` at ``level``. ``low`` and ``high`` exclude 0
    exactly when it does: they have the level ``ci_level``, which is ``level`` without adjustment or
    with simultaneous pairs (max-T). ``ends_at`` returns them for other levels, ``differences`` the
    cases' differences. ``by_labels`` is the warning if human labels contradict the verdict,
    otherwise empty. ``p_equivalence``, adjusted by ``equivalence_adjustment``, is set if there is a
    margin. A pair without either p is not tested. ``sd`` is that of the cases' differences. With
    "welch" the means are over different cases, and figures of pairs of scores are None. Figures
    that the data cannot support are None, with a ``reason``.
    """

    model_a: str
    model_b: str
    mean_a: float
    mean_b: float
    diff: float
    se: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    p_equivalence: float | None
    test: str
    verdict: Verdict
    d_z: float | None
    d_av: float | None
    p_superior: float | None
    p_superior_low: float | None
    p_superior_high: float | None
    wins: int | None
    losses: int | None
    ties: int | None
    sd: float | None
    n: int
    n_eff: float | None
    clusters: int | None
    level: float
    margin: float | None
    adjustment: str
    method: str
    reason: str
    warnings: tuple[str, ...]
    ci_level: float
    equivalence_adjustment: str = ""
    ends_at: Annotated[EndsAt | None, OMITTED] = field(default=None, repr=False, compare=False)
    differences: Annotated[Callable[[], Differences | None] | None, OMITTED] = field(
        default=None, repr=False, compare=False
    )
    by_labels: Annotated[str, OMITTED] = ""
    figure: Annotated[FigureName, OMITTED] = field(default="mean", repr=False, compare=False)

    @property
    def is_tested(self) -> bool:
        """True if the pair has a p-value, of a difference or of equivalence."""
        return self.p_value is not None or self.p_equivalence is not None

    @property
    def is_equal_throughout(self) -> bool:
        """True if both have the same score in every common case."""
        return self.wins == 0 and self.losses == 0

    @property
    def too_few_differ(self) -> str:
        """The warning that too few cases differ for a significant result; else empty."""
        return next((said for said in self.warnings if said.endswith(TOO_FEW)), "")

    @property
    def ci_name(self) -> str:
        """The name of the interval: ``95% CI``, or ``Holm-adjusted CI``."""
        return interval_name(self.level, self.adjustment)

    @property
    @listed()
    def sentence(self) -> str:
        """The verdict in words, in points of 100.

        "a beats b by 3.1 points (95% CI 0.4 to 5.8)." or
        "No significant difference: a leads b by 1.2 points (95% CI -0.9 to 3.3).", and
        with equal means, "No significant difference: a and b have equal means (…)."; an accuracy
        is named as such.
        """
        a, b, by = self.model_a, self.model_b, points(self.diff)
        match self.verdict:
            case "ahead":
                sure = self._certainty(self.p_adjusted, self.adjustment)
                return f"{a} beats {b} by {by} points{sure}."
            case "equivalent":
                within = points(self.margin or 0.0)
                how = self.equivalence_adjustment
                sure = self._certainty(self.p_equivalence, how, test="equivalence ")
                return f"{a} and {b} are equivalent within {within} points{sure}."
            case "not_significant" | "not_tested" if self.p_value is None:
                if self.is_equal_throughout:
                    return f"No difference: {a} and {b} have the same score in every case."
                return f"The difference between {a} and {b} is not tested: {self.reason}."
            case "not_significant" | "not_tested":
                sure = self._certainty(self.p_adjusted, self.adjustment)
                lead = (
                    f"{a} and {b} have equal {PLURALS[self.figure]}"
                    if by == "0.0"
                    else f"{a} leads {b} by {by} points"
                )
                return f"No significant difference: {lead}{sure}."

    def _certainty(self, p_value: float | None, adjustment: str, *, test: str = "") -> str:
        """Return the interval, and p if it is adjusted or the only figure, each with its way.

        ``test`` names the test of p where it is not that of a difference.
        """
        said = []
        if self.low is not None and self.high is not None:
            ends = f"{points(self.low)} to {points(self.high)}{_touches_zero(self.low, self.high)}"
            said.append((f"{100 * self.level:g}% CI {ends}", self.adjustment))
        if p_value is not None and (adjustment or test or not said):
            said.append((f"{test}{p_value_equation(p_value)}", adjustment))
        return f" ({_with_adjustments(said)})" if said else ""


def _touches_zero(low: float, high: float) -> str:
    """A word on an interval that ends at 0, which is not significant."""
    return ", including 0" if "0.0" in {points(low), points(high)} else ""


def _with_adjustments(said: list[tuple[str, str]]) -> str:
    """Figures with their adjustments; one that all share is named once.

    >>> by = "Holm over 3 pairs"
    >>> _with_adjustments([("95% CI 0.4 to 9.0", by), ("p = 0.04", by)])
    '95% CI 0.4 to 9.0, p = 0.04; both Holm-adjusted over 3 pairs'
    """
    figures, by = [text for text, _ in said], {adjustment for _, adjustment in said}
    if len(by) == 1:
        (adjustment,) = by
        both = "both " if len(said) > 1 else ""
        return ", ".join(figures) + (
            f"; {both}{_adjustment_words(adjustment)}" if adjustment else ""
        )
    return "; ".join(
        f"{text}, {_adjustment_words(adjustment)}" if adjustment else text
        for text, adjustment in said
    )


def _adjustment_words(adjustment: str) -> str:
    """The adjustment as an adjective.

    >>> _adjustment_words("Holm over 3 pairs")
    'Holm-adjusted over 3 pairs'
    """
    method, _, over = adjustment.partition(" over ")
    return f"{method}-adjusted{f' over {over}' if over else ''}"


@dataclass(frozen=True, slots=True)
class Comparison(Document, Tabular, scale="0-1"):
    """Models on the same cases, best mean first, with all pairs.

    ``n_common`` cases are scored for every model and carry all means and differences; ``n_cases``
    are selected in the runs and have positive weight. ``is_paired`` is False if the models have no
    case in common: each pair is then based on the cases the two share, or, with none, on Welch's
    test. ``pairs`` are in the order of ``models``, the best against the next first. ``figure``
    names the averaged quantity:
    with "strict" and "accuracy" they are shares of right answers. ``within_margin`` is set with a
    margin: the models that are not worse than the best by more than it, and the cheapest of them.
    ``noun`` is the word for a row of ``models``: model, setup, prompt or effort.

    ``left_out`` are the models that were dropped or stopped in a run, with the reason: they do not
    count in ``n_common``, ``method`` and the letters. They and their pairs come last; such a pair
    is over the cases that both have, and these pairs are adjusted among themselves.
    """

    models: Annotated[tuple[ComparedModel, ...], Key(after="warnings")]
    pairs: Annotated[tuple[ComparedPair, ...], Key(after="models")]
    run_ids: tuple[str, ...]
    n_common: int
    n_cases: int
    clusters: int
    is_paired: Annotated[bool, Key("paired")]
    is_weighted: Annotated[bool, Key("weighted", after="provisional")]
    correction: Correction | None
    margin: float | None
    level: float
    seed: int
    method: str
    warnings: tuple[str, ...]
    figure: Annotated[FigureName, Key(after=FIRST)] = "mean"
    within_margin: WithinMargin | None = None
    left_out: Annotated[Mapping[str, str], Key(after="warnings")] = field(default_factory=dict)
    noun: Annotated[str, OMITTED] = "model"

    @property
    @listed("provisional", after="paired")
    def is_provisional(self) -> bool:
        """True if fewer cases are common than a comparison needs."""
        return self.is_paired and self.n_common < LEAST_COMMON

    @property
    def headline(self) -> ComparedPair:
        """The best model against the next."""
        return self.pairs[0]

    @property
    def too_few_differ(self) -> str:
        """The warning that too few cases differ between the best two; else empty."""
        return next((said for said in self.warnings if said.endswith(TOO_FEW)), "")

    def has_left_out(self, pair: ComparedPair) -> bool:
        """True if one of the pair's models is left out of the comparison of the others."""
        return pair.model_a in self.left_out or pair.model_b in self.left_out

    def family_of(self, pair: ComparedPair) -> tuple[ComparedPair, ...]:
        """The pairs that are adjusted together with this one, itself included."""
        side = self.has_left_out(pair)
        return tuple(one for one in self.pairs if self.has_left_out(one) == side)

    def pair(self, a: str, b: str) -> ComparedPair:
        """The pair of these two models, in whichever order it is kept.

        Raises:
            SpecError: one of them is not compared, or both are the same.
        """
        for one in self.pairs:
            if {one.model_a, one.model_b} == {a, b}:
                return one
        names = ", ".join(one.model for one in self.models)
        raise SpecError(f"No pair of {a!r} and {b!r} among {names}.")


def interval_name(level: float, adjustment: str) -> str:
    """Return the name of pairs' intervals; ``adjustment`` is empty without adjustment.

    >>> interval_name(0.95, ""), interval_name(0.95, "Holm over 3 pairs")
    ('95% CI', 'Holm-adjusted CI')
    """
    return (
        f"{adjustment.split(' over ', maxsplit=1)[0]}-adjusted CI"
        if adjustment
        else f"{100 * level:g}% CI"
    )


def with_warnings(made: Comparison, warnings: tuple[str, ...]) -> Comparison:
    """The comparison with more warnings, which come first."""
    return replace(made, warnings=(*warnings, *made.warnings))
