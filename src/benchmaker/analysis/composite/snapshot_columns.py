"""Baseline snapshots made from columns, and columns of baselines made from a snapshot.

The snapshots equal those made from rows, hashes included.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.baseline_columns import (
    ClassicBaselines,
    EndColumns,
    RobustBaselines,
    SpreadColumns,
    classic_eligible,
    robust_eligible,
    task_categories,
)
from benchmaker.analysis.composite.baselines import (
    ClassicSnapshot,
    CountingByEvidence,
    FigureSpread,
    Members,
    Prior,
    RobustParts,
    RobustSnapshot,
    classic_of,
    with_priors,
)
from benchmaker.analysis.composite.counting_figures import (
    RANKED_EVIDENCE,
    Counting,
    CountingColumns,
    decide_counting_columns,
)
from benchmaker.analysis.composite.row_groups import by_time
from benchmaker.record.submissions.metric_columns import MetricColumns, TextView
from benchmaker.record.submissions.metrics import TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def classic_snapshots_of(columns: MetricColumns) -> dict[str, ClassicSnapshot]:
    """As ``classic_snapshots``, for every task that has rows."""
    read = partial(columns.figure, tokens="total")
    return {
        task: classic_of(task, members)
        for task, _, members in _by_task(columns, classic_eligible(columns), read)
    }


def robust_snapshots_of(
    columns: MetricColumns,
    *,
    tokens: TokensView = "fresh",
    ranked: Collection[EvidenceLevel] | None = RANKED_EVIDENCE,
) -> dict[str, RobustSnapshot]:
    """As ``robust_snapshots``, for every task that has rows."""
    decided = _counting_lookup(columns, ranked, tokens)
    read = partial(columns.figure if ranked is None else columns.valid_figure, tokens=tokens)
    parts, category = dict[str, RobustParts](), dict[str, str | None]()
    names, codes = (*columns.categories, None), task_categories(columns)
    for task, code, members in _by_task(columns, robust_eligible(columns), read):
        parts[task] = RobustParts.of(task, members, tokens, decided(code))
        category[task] = names[codes[code]]

    def build(task: str, priors: Mapping[Figure, Prior] | None) -> RobustSnapshot:
        return parts[task].snapshot(priors)

    return with_priors(category, build)


def _counting_lookup(
    columns: MetricColumns, ranked: Collection[EvidenceLevel] | None, tokens: TokensView
) -> Callable[[int], CountingByEvidence | None]:
    """A lookup, by a task's code, of the figures that count on it."""
    if ranked is None:
        return lambda _code: None
    own, others = decide_counting_columns(columns, ranked=ranked, tokens=tokens)
    return lambda code: CountingByEvidence(ranked, own.of_task(code), others.of_task(code))


def _by_task(
    columns: MetricColumns, eligible: Mask, read: Callable[[Figure], Floats]
) -> Iterator[tuple[str, int, Members]]:
    """The name, the code and the eligible rows of every task that has rows, sorted by name."""
    rows = np.flatnonzero(eligible)
    ids = TextView.of(columns.ids, rows)
    ordered = by_time(columns.task[rows], len(columns.tasks), columns.finished_us[rows], ids)
    figures = {name: read(name) for name in FIGURES}
    has_rows = np.bincount(columns.task, minlength=len(columns.tasks)) > 0
    for code in np.flatnonzero(has_rows).tolist():
        start, many = int(ordered.start[code]), int(ordered.count[code])
        own = rows[ordered.order[start : start + many]]
        members = Members(
            ids=list(TextView.of(columns.ids, own)),
            ends=columns.finished_us[own].tolist(),
            figures={name: _as_list(column[own]) for name, column in figures.items()},
        )
        yield columns.tasks[code], code, members


def _as_list(column: Floats) -> list[float | None]:
    values: list[float | None] = column.tolist()
    if not np.isnan(column).any():
        return values
    return [None if one != one else one for one in values]  # noqa: PLR0124  NaN is no figure


def classic_baselines_of(snapshot: ClassicSnapshot, many: int = 1) -> ClassicBaselines:
    """The baseline of a snapshot, repeated ``many`` times."""
    return ClassicBaselines(
        n=np.full(many, snapshot.n),
        is_default=np.full(many, snapshot.is_default),
        figures={name: _spreads(one, many) for name, one in snapshot.figures.items()},
    )


def robust_baselines_of(snapshot: RobustSnapshot, many: int = 1) -> RobustBaselines:
    """The ends and the counting of a snapshot, repeated ``many`` times."""
    return RobustBaselines(
        tokens=snapshot.tokens,
        figures={
            name: EndColumns(
                n=np.full(many, ends.n),
                ln_q10=np.full(many, ends.ln_q10),
                ln_q90=np.full(many, ends.ln_q90),
            )
            for name, ends in snapshot.figures.items()
        },
        ranked=snapshot.ranked,
        counting=_counting_columns(snapshot.counting, many),
        unranked=_counting_columns(snapshot.unranked, many),
    )


def _spreads(one: FigureSpread, many: int) -> SpreadColumns:
    quartiles = [np.nan if it is None else it for it in (one.q25, one.q75)]
    return SpreadColumns(
        n=np.full(many, one.n),
        minimum=np.full(many, one.minimum, np.float64),
        q25=np.full(many, quartiles[0], np.float64),
        median=np.full(many, one.median, np.float64),
        q75=np.full(many, quartiles[1], np.float64),
        maximum=np.full(many, one.maximum, np.float64),
    )


def _counting_columns(one: Counting | None, many: int) -> CountingColumns | None:
    if one is None:
        return None
    having = {name: np.full(many, n) for name, n in one.having.items()}
    return CountingColumns(np.full(many, one.rows), having)
