"""Two scoring profiles on the same submissions: differences and quality of their boards."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmaker.analysis.boards.board import BoardRow, Leaderboard, Rules
from benchmaker.analysis.boards.gaming import GamingResult
from benchmaker.analysis.boards.leaderboard import leaderboard
from benchmaker.analysis.boards.system_task_means import Cells, cells
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.documents import Document
from benchmaker.errors import NotComparable
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS
from benchmaker.stats.agreement.correlation import Correlation, kendall
from benchmaker.stats.agreement.rank_overlap import RankOverlap, rank_biased_overlap

P = 0.9
DRAWS = 200
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Move:
    """A system whose rank under one profile lies outside its rank interval under the other."""

    system: str
    rank_a: int
    rank_b: int
    interval_a: tuple[int, int]
    interval_b: tuple[int, int]


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """One strategy or scheme: the tasks at which it was ``tried``, and ``kept_below`` its bar."""

    strategy: str
    kept_below: int
    tried: int


@dataclass(frozen=True, slots=True)
class ProfileQuality:
    """The quality of one profile's board.

    ``discrimination`` is the share of pairs of systems with a significant difference at the board's
    level; ``stability`` the mean Kendall's τ-b between the board and those of resampled tasks, None
    below three systems or two tasks. ``kept_below`` of ``gamed`` strategies stay below the median
    of the real submissions, or gain nothing by dishonest figures; ``at_zero`` score 0 and are not
    below, since that median is also 0. All three are None if none was tried; ``gaming`` lists each
    strategy.
    """

    profile: str
    evaluated: int
    systems: int
    discrimination: float | None
    stability: float | None
    kept_below: int | None
    at_zero: int | None
    gamed: int | None
    gaming: tuple[StrategyResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileComparison(Document):
    """Two profiles side by side; ``tau`` and ``overlap`` over the systems that both rank."""

    a: ProfileQuality
    b: ProfileQuality
    common: int
    tau: Correlation | None
    overlap: RankOverlap | None
    moves: tuple[Move, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    reason: str


def compare_profiles(
    columns: MetricColumns,
    a: tuple[str, CompositeColumns, Rules],
    b: tuple[str, CompositeColumns, Rules],
    *,
    gamed: tuple[Sequence[GamingResult], Sequence[GamingResult]] = ((), ()),
    draws: int = DRAWS,
    seed: int = 0,
) -> ProfileComparison:
    """Compare both boards of the same submissions.

    Args:
        columns: the submissions.
        a: one profile's name, its composites of them, and its rules.
        b: the other's.
        gamed: the results of ``gaming`` under either.
        draws: number of resamples of tasks, for the stability.
        seed: seed of the draws.

    Raises:
        NotComparable: the composites are of other submissions.
    """
    if not len(columns) == len(a[1]) == len(b[1]):
        raise NotComparable("The two profiles have composites of different submissions.")
    boards = [leaderboard(columns, made, rules=rules) for _, made, rules in (a, b)]
    one, two = ({row.system: row for row in board.rows if row.rank} for board in boards)
    common = sorted(set(one) & set(two))
    scores = [[_score(lines[name]) for name in common] for lines in (one, two)]
    overlap = (
        rank_biased_overlap(
            {name: _score(row) for name, row in one.items()},
            {name: _score(row) for name, row in two.items()},
            p=P,
        )
        if one and two
        else None
    )
    return ProfileComparison(
        a=_quality(columns, a, boards[0], gamed[0], draws, seed),
        b=_quality(columns, b, boards[1], gamed[1], draws, seed),
        common=len(common),
        tau=kendall(scores[0], scores[1]) if len(common) >= _LEAST else None,
        overlap=overlap,
        moves=tuple(move for name in common if (move := _move(one[name], two[name]))),
        only_a=tuple(sorted(set(one) - set(two))),
        only_b=tuple(sorted(set(two) - set(one))),
        reason=""
        if len(common) >= _LEAST
        else f"{count(len(common), 'system')} ranked by both, at least 3 are needed",
    )


def discrimination(board: Leaderboard) -> float | None:
    """The share of pairs of ranked systems that differ clearly; None below two."""
    ranked = [row for row in board.rows if row.rank_interval]
    if len(ranked) < 2:  # noqa: PLR2004  a pair
        return None
    certain = sum(row.rank_interval[0] - 1 for row in ranked if row.rank_interval)
    return certain / (len(ranked) * (len(ranked) - 1) / 2)


def stability(
    columns: MetricColumns, composites: CompositeColumns, rules: Rules, *, draws: int, seed: int
) -> float | None:
    """The mean τ-b between the means over all tasks and those over tasks drawn with replacement."""
    table = _ranked_cells(columns, composites, rules)
    units, unit = np.unique(table.unit, return_inverse=True)
    tasks, task = np.unique(table.task, return_inverse=True)
    if len(units) < _LEAST or len(tasks) < 2:  # noqa: PLR2004  nothing to draw
        return None
    value, has = np.zeros((len(units), len(tasks))), np.zeros((len(units), len(tasks)))
    value[unit, task], has[unit, task] = table.value, 1.0
    whole = (value * has).sum(axis=1) / has.sum(axis=1)
    generator = np.random.Generator(np.random.PCG64(seed))
    found = []
    for _ in range(draws):
        weights = has * generator.multinomial(len(tasks), np.full(len(tasks), 1 / len(tasks)))
        total = weights.sum(axis=1)
        drawn = total > 0
        if drawn.sum() >= _LEAST:
            means = (weights * value).sum(axis=1)[drawn] / total[drawn]
            tau = kendall(whole[drawn], means).value
            found += [] if tau is None else [tau]
    return fmean(found) if found else None


def _quality(  # noqa: PLR0917  private, called twice
    columns: MetricColumns,
    profile: tuple[str, CompositeColumns, Rules],
    board: Leaderboard,
    gamed: Sequence[GamingResult],
    draws: int,
    seed: int,
) -> ProfileQuality:
    name, composites, rules = profile
    return ProfileQuality(
        profile=name,
        evaluated=int(composites.is_evaluated.sum()),
        systems=sum(row.rank is not None for row in board.rows),
        discrimination=discrimination(board),
        stability=stability(columns, composites, rules, draws=draws, seed=seed),
        kept_below=sum(one.is_kept_below for one in gamed) if gamed else None,
        at_zero=sum(one.outcome == "at_zero" for one in gamed) if gamed else None,
        gamed=len(gamed) or None,
        gaming=_strategy_results(gamed),
    )


def _strategy_results(gamed: Sequence[GamingResult]) -> tuple[StrategyResult, ...]:
    tried = Counter(one.strategy for one in gamed)
    kept = Counter(one.strategy for one in gamed if one.is_kept_below)
    return tuple(StrategyResult(name, kept[name], n) for name, n in tried.items())


def _ranked_cells(columns: MetricColumns, composites: CompositeColumns, rules: Rules) -> Cells:
    """The cells of the systems that have enough submissions."""
    levels = [EVIDENCE_LEVELS.index(level) for level in rules.evidence]
    rows = np.flatnonzero(np.isin(columns.evidence, levels) & ~columns.quarantined)
    table = cells(columns, composites.overall, columns.system, rows=rows, policy=rules.policy)
    count = np.bincount(table.unit, weights=table.evaluated, minlength=len(columns.systems))
    enough = count[table.unit] >= rules.least_submissions
    return table.take(enough & ~np.isnan(table.value))


def _move(a: BoardRow, b: BoardRow) -> Move | None:
    if a.rank is None or b.rank is None or a.rank_interval is None or b.rank_interval is None:
        return None
    inside_a = a.rank_interval[0] <= b.rank <= a.rank_interval[1]
    inside_b = b.rank_interval[0] <= a.rank <= b.rank_interval[1]
    if inside_a and inside_b:
        return None
    return Move(a.system, a.rank, b.rank, a.rank_interval, b.rank_interval)


def _score(row: BoardRow) -> float:
    return 0.0 if row.score is None else row.score
