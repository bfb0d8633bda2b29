"""Checks for bias of a board towards a tool."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import Leaderboard, Rules
from benchmaker.analysis.boards.leaderboard import leaderboard, ranks_of
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.documents import Document
from benchmaker.errors import NotEnoughData
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import (
    EVIDENCE_LEVELS,
    KINDS_UNKNOWN,
    PROVENANCES,
    STATUSES,
    TokensView,
)
from benchmaker.record.submissions.scored_figures import FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel, Provenance, Status
from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.means.proportions import Proportion, proportion
from benchmaker.stats.pairs.multiple_comparisons import benjamini_hochberg
from benchmaker.stats.student import two_sided

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEVEL = 0.95
FDR = 0.05
_LEAST_ROWS = 5
_CORRECTNESS = "correctness"
_POINTS = (-100.0, 100.0)
"""Between which two composites may differ."""

_SHARES = (-1.0, 1.0)
"""Between which two shares may differ."""

_Matched: TypeAlias = tuple[Mean | None, int, int, str]
"""The mean difference over strata that have both, its rows, its strata, and why none."""

EvaluateWith: TypeAlias = Callable[[MetricColumns, MetricColumns], CompositeColumns]
"""Evaluates all submissions (second argument) under baselines from some of them (first)."""


@dataclass(frozen=True, slots=True)
class Residual:
    """The excess of a tool's composite over others' at the same task and outcome, in points.

    ``p_adjusted`` bounds the share of false alarms over all tools (Benjamini and Hochberg); None,
    with the ``reason``, if the data do not support it.
    """

    tool: str
    points: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    n: int
    strata: int
    tasks: int
    is_flagged: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MissingShare:
    """The share of a tool's submissions without a figure, compared with all others'.

    ``reason`` is set if they have a total of tokens, but not the tokens that count.
    """

    tool: str
    figure: str
    share: Proportion
    others: Proportion
    p_value: float
    p_adjusted: float
    is_flagged: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Self-reported figures against those of the same tool and task from elsewhere.

    ``log_ratio`` is the mean of ln(self-reported) - ln(other); for correctness the difference.
    """

    figure: str
    gap: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    n: int
    strata: int
    is_flagged: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BaselineInfluence:
    """The effect on the others when one system's submissions leave the baselines.

    ``largest`` is the largest change of another system's rank, ``moved`` names the systems whose
    rank leaves its rank interval.
    """

    system: str
    largest: int
    moved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BiasReport(Document):
    """The four looks at a board."""

    residuals: tuple[Residual, ...]
    missing: tuple[MissingShare, ...]
    gaps: tuple[Gap, ...]
    influence: tuple[BaselineInfluence, ...]
    level: float
    fdr: float

    @property
    def flags(self) -> tuple[str, ...]:
        """The suspicious findings, in words."""
        found = [
            f"{one.tool} scores {abs(one.points):.1f} points {_direction(one.points)} than other "
            "tools at the same task and outcome"
            for one in self.residuals
            if one.is_flagged and one.points is not None
        ]
        found += [
            f"{one.tool} lacks {one.figure} in {one.share.share:.0%} of submissions, other tools "
            f"in {one.others.share:.0%}"
            for one in self.missing
            if one.is_flagged
        ]
        found += [
            f"self-reported {g.figure} differs: {g.gap:+.3g}" for g in self.gaps if g.is_flagged
        ]
        found += [
            f"excluding {one.system} from the baselines moves {', '.join(one.moved)}"
            for one in self.influence
            if one.moved
        ]
        return tuple(found)


def analyse_bias(
    columns: MetricColumns,
    composites: CompositeColumns,
    *,
    evaluate: EvaluateWith | None = None,
    rules: Rules | None = None,
    tokens: TokensView = "fresh",
) -> BiasReport:
    """Run all four analyses; without ``evaluate`` the influence on baselines is omitted."""
    return BiasReport(
        residuals=residuals(columns, composites),
        missing=missing_figures(columns, tokens=tokens),
        gaps=self_reported_gaps(columns, tokens=tokens),
        influence=baseline_influence(columns, evaluate, rules=rules) if evaluate else (),
        level=LEVEL,
        fdr=FDR,
    )


def residuals(columns: MetricColumns, composites: CompositeColumns) -> tuple[Residual, ...]:
    """Every tool's composite less that of the others, within strata of task and outcome.

    A stratum weighs n·m/(n + m) with n submissions of the tool and m of others; tasks are the
    clusters of the interval.
    """
    rows = np.flatnonzero(_counts(columns) & composites.is_evaluated & (columns.tool >= 0))
    stratum = columns.task[rows].astype(np.int64) * 3 + columns.success[rows] + 1
    values, task = composites.overall[rows], columns.task[rows].astype(np.int64)
    strata = _strata(stratum, values)
    made = [
        _residual(name, _match_strata(columns.tool[rows] == number, strata, values, task))
        for number, name in enumerate(columns.tools)
    ]
    return tuple(
        replace(one, p_adjusted=p, is_flagged=_is_flagged(p, one.low, one.high))
        for one, p in zip(made, _adjust([one.p_value for one in made]), strict=True)
    )


def missing_figures(
    columns: MetricColumns, *, tokens: TokensView = "fresh"
) -> tuple[MissingShare, ...]:
    """Return each tool's share of missing figures, with Fisher's exact test against the others.

    A tool is flagged if it lacks a figure more often than the others.
    """
    rows = np.flatnonzero(_counts(columns) & (columns.tool >= 0))
    of_total = columns.has_total_alone(tokens)[rows]
    found = []
    for number, tool in enumerate(columns.tools):
        own = columns.tool[rows] == number
        if not own.any() or own.all():
            continue
        for figure in FIGURES:
            lacks = np.isnan(columns.figure(figure, tokens=tokens)[rows])
            counts = [
                int(lacks[own].sum()),
                int(own.sum()),
                int(lacks[~own].sum()),
                int((~own).sum()),
            ]
            shares = proportion(counts[0], counts[1]), proportion(counts[2], counts[3])
            reason = KINDS_UNKNOWN if figure == "tokens" and of_total[own].any() else ""
            one = MissingShare(tool, figure, *shares, fisher(*counts), 1.0, is_flagged=False)
            found.append(replace(one, reason=reason))
    adjusted = benjamini_hochberg([one.p_value for one in found])
    return tuple(
        replace(one, p_adjusted=p, is_flagged=p <= FDR and one.share.share > one.others.share)
        for one, p in zip(found, adjusted, strict=True)
    )


def self_reported_gaps(columns: MetricColumns, *, tokens: TokensView = "fresh") -> tuple[Gap, ...]:
    """Every figure, and correctness: self-reported against others of the same tool and task.

    A submission counts as self-reported by its evidence, or by the provenance of its figures.
    """
    own = columns.evidence == EVIDENCE_LEVELS.index(EvidenceLevel.SELF_REPORTED)
    own = own | (columns.provenance == PROVENANCES.index(Provenance.SELF_REPORTED))
    stratum = columns.task.astype(np.int64) * (len(columns.tools) + 1) + columns.tool + 1
    made = []
    figures: dict[str, Floats] = {
        name: _logs(columns.figure(name, tokens=tokens)) for name in FIGURES
    }
    for figure, values in (figures | {_CORRECTNESS: columns.correctness}).items():
        rows = _counts(columns) & ~np.isnan(values)
        task = columns.task[rows].astype(np.int64)
        strata = _strata(stratum[rows], values[rows]) if own[rows].any() else []
        made.append(_gap(figure, _match_strata(own[rows], strata, values[rows], task)))
    return tuple(
        replace(one, p_adjusted=p, is_flagged=_is_flagged(p, one.low, one.high))
        for one, p in zip(made, _adjust([one.p_value for one in made]), strict=True)
    )


def baseline_influence(
    columns: MetricColumns, evaluate: EvaluateWith, *, rules: Rules | None = None
) -> tuple[BaselineInfluence, ...]:
    """Return, for every ranked system, the others' rank changes when it leaves the baselines."""
    rules = rules or Rules()
    whole = leaderboard(columns, evaluate(columns, columns), rules=rules)
    found = []
    for row in whole.rows:
        if row.rank is not None:
            rest = columns.take(columns.system != columns.systems.index(row.system))
            after = ranks_of(columns, evaluate(rest, columns), rules=rules)
            found.append(_influence(row.system, whole, after))
    return tuple(found)


def fisher(hits: int, n: int, other_hits: int, m: int) -> float:
    """Return Fisher's exact p-value, two-sided: all tables no likelier than the observed one.

    >>> round(fisher(8, 10, 1, 9), 6)
    0.005477
    """
    from scipy.special import gammaln  # noqa: PLC0415  loads for a third of a second

    total = hits + other_hits
    k = np.arange(max(0, total - m), min(n, total) + 1)

    def ways(of: int, chosen: NDArray[np.int64]) -> Floats:
        found: Floats = gammaln(of + 1) - gammaln(chosen + 1) - gammaln(of - chosen + 1)
        return found

    logs = ways(n, k) + ways(m, total - k)
    chances = np.exp(logs - logs.max())
    here = chances[hits - int(k[0])]
    return float(min(chances[chances <= here * (1 + 1e-7)].sum() / chances.sum(), 1.0))


def _logs(values: Floats) -> Floats:
    return np.log(np.where(values > 0, values, np.nan))


def _counts(columns: MetricColumns) -> Mask:
    infra = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    counts: Mask = ~columns.quarantined & ~infra & ~columns.is_faulty
    return counts


def _residual(tool: str, matched: _Matched) -> Residual:
    mean, n, strata, reason = matched
    p = _p(mean)
    mean = None if mean is None else within_scale(mean, *_POINTS)
    return Residual(
        tool=tool,
        points=None if mean is None else mean.mean,
        low=None if mean is None else mean.low,
        high=None if mean is None else mean.high,
        p_value=p,
        p_adjusted=None,
        n=n,
        strata=strata,
        tasks=0 if mean is None else mean.clusters or 0,
        is_flagged=False,
        reason=reason,
    )


def _gap(figure: str, matched: _Matched) -> Gap:
    mean, n, strata, reason = matched
    p = _p(mean)
    if mean is not None and figure == _CORRECTNESS:
        mean = within_scale(mean, *_SHARES)
    return Gap(
        figure=figure,
        gap=None if mean is None else mean.mean,
        low=None if mean is None else mean.low,
        high=None if mean is None else mean.high,
        p_value=p,
        p_adjusted=None,
        n=n,
        strata=strata,
        is_flagged=False,
        reason=reason,
    )


def _match_strata(own: Mask, strata: Sequence[Ints], values: Floats, task: Ints) -> _Matched:
    found = list(_differences(own, strata, values, task))
    n = sum(size for *_, size in found)
    if n < _LEAST_ROWS:
        return (
            None,
            n,
            len(found),
            f"{count(n, 'matched submission')}, at least {_LEAST_ROWS} are needed",
        )
    try:
        mean = weighted_mean(
            [one[0] for one in found], [one[1] for one in found], clusters=[one[2] for one in found]
        )
    except NotEnoughData as short:
        return None, n, len(found), str(short)
    return mean, n, len(found), _reason_in_words(mean)


def _reason_in_words(mean: Mean) -> str:
    """Return the reason why a mean over strata has no interval; empty if it has one."""
    if mean.reason and 1 in (mean.n, mean.clusters):
        return "1 matched task, at least 2 are needed"
    return mean.reason.replace("value", "difference").replace("cluster", "task")


def _strata(stratum: Ints, values: Floats) -> list[Ints]:
    """The rows of every stratum by rising value, so that sums don't depend on their order."""
    order = np.lexsort((values, stratum))
    return np.split(order, np.flatnonzero(np.diff(stratum[order])) + 1)


def _differences(
    own: Mask, strata: Iterable[Ints], values: Floats, task: Ints
) -> Iterator[tuple[float, float, int, int]]:
    """Difference, weight, task and own rows of every stratum that has both."""
    for rows in strata:
        one, two = values[rows[own[rows]]], values[rows[~own[rows]]]
        if len(one) and len(two):
            weight = len(one) * len(two) / (len(one) + len(two))
            yield float(one.mean() - two.mean()), weight, int(task[rows[0]]), len(one)


def _p(mean: Mean | None) -> float | None:
    if mean is None or not mean.se:
        return None
    return two_sided(mean.mean / mean.se, mean.df)


def _is_flagged(p_adjusted: float | None, low: float | None, high: float | None) -> bool:
    """True if the test is significant and its interval, kept within the scale, excludes 0."""
    if p_adjusted is None or low is None or high is None:
        return False
    return p_adjusted <= FDR and not low <= 0.0 <= high


def _adjust(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini-Hochberg over the tests that could be made."""
    known = [p for p in p_values if p is not None]
    made = iter(benjamini_hochberg(known) if known else ())
    return [None if p is None else next(made) for p in p_values]


def _influence(system: str, whole: Leaderboard, after: Mapping[str, int]) -> BaselineInfluence:
    before = {
        row.system: row for row in whole.rows if row.rank is not None and row.system != system
    }
    changes = {
        name: abs(rank - row.rank)
        for name, row in before.items()
        if (rank := after.get(name)) is not None and row.rank is not None
    }
    moved = [
        name
        for name, row in before.items()
        if (rank := after.get(name)) is not None
        and row.rank_interval is not None
        and not row.rank_interval[0] <= rank <= row.rank_interval[1]
    ]
    return BaselineInfluence(system, max(changes.values(), default=0), tuple(sorted(moved)))


def _direction(points: float) -> str:
    return "higher" if points > 0 else "lower"
