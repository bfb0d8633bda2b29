"""Submissions whose figures do not fit the others of their task: published rules, and robust ones.

An outlier is a suspicion with its evidence, never a deletion.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.classic_terms import (
    FAST_S,
    FEW_TOKENS_SHARE,
    SUSPICIOUS,
    suspicious_signs,
)
from benchmaker.analysis.composite.row_groups import RowGroups
from benchmaker.documents import Document
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, STATUSES, TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Status

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BOUND = 3.5
"""|z| beyond which a figure is far off (Iglewicz and Hoaglin 1993)."""

LEAST_FIGURES = 2
LEAST_ROWS = 10
"""Minimum number of rows of a figure from which a task's usual values are known."""

_OF_MEDIAN = 0.6744897501960817
_OF_MEAN = 0.7978845608028654


@dataclass(frozen=True, slots=True)
class Sign:
    """One figure that is far off: ``z`` on the log scale from the task's ``median`` of ``n``."""

    figure: Figure
    value: float
    z: float
    median: float
    n: int
    direction: Literal["low", "high"]


@dataclass(frozen=True, slots=True)
class Outlier(Document):
    """One suspicious submission, with the findings.

    ``flags`` are words; with ``method`` "published" they are the document's, and ``signs`` is
    empty.
    """

    submission_id: str
    task_id: str
    flags: tuple[str, ...]
    signs: tuple[Sign, ...]
    method: Literal["published", "robust"]


def published_outliers(columns: MetricColumns) -> tuple[Outlier, ...]:
    """Apply the published rules to every task's submissions with total tokens, by task and id.

    Two or more of: below a tenth of the median tokens, below 5 s, one call. A missing time is not a
    sign, although the published function treats it as 0.
    """
    found = []
    for task, own in _by_task(columns):
        rows = own[~np.isnan(columns.total_tokens[own])]
        if not len(rows):
            continue
        tokens = columns.total_tokens[rows]
        seconds, calls = columns.seconds[rows], columns.tool_calls[rows]
        median = statistics.median(np.sort(tokens).tolist())
        signs = (tokens < median * FEW_TOKENS_SHARE) + (1 * (seconds < FAST_S)) + (calls == 1)
        for at in np.flatnonzero(signs >= SUSPICIOUS).tolist():
            flags = suspicious_signs(tokens[at], seconds[at], calls[at], median_tokens=median)
            found.append(Outlier(columns.ids[rows[at]], task, tuple(flags), (), "published"))
    return tuple(found)


def robust_outliers(
    columns: MetricColumns,
    *,
    tokens: TokensView = "fresh",
    bound: float = BOUND,
    least_figures: int = LEAST_FIGURES,
) -> tuple[Outlier, ...]:
    """Return submissions with two or more figures far from those of their task, by task and id.

    z = .6745 (ln x - median)/MAD, both tails; if half of the values are equal, the mean absolute
    deviation replaces the median one (Iglewicz and Hoaglin 1993, How to Detect and Handle
    Outliers). The reference is the rows that are neither self-reported, quarantined nor
    infrastructure failures, at least 10 of them. With fewer, self-reported rows are compared with
    all rows that are neither of the latter. A missing figure, or one of 0, is not a sign.

    Args:
        columns: the submissions, in any order.
        tokens: the token count to use.
        bound: bound of |z|.
        least_figures: minimum number of figures beyond the bound.
    """
    found = []
    sound = _sound(columns)
    usual = sound & (columns.evidence != EVIDENCE_LEVELS.index(EvidenceLevel.SELF_REPORTED))
    for task, own in _by_task(columns):
        figures = {
            name: figure
            for name in FIGURES
            if (
                figure := _Figure.of(
                    columns.figure(name, tokens=tokens)[own], usual[own], sound[own]
                )
            )
        }
        far = sum((np.abs(it.z) > bound).astype(np.int64) for it in figures.values())
        for at in np.flatnonzero(np.atleast_1d(far) >= least_figures).tolist():
            signs = tuple(
                it.sign(name, at) for name, it in figures.items() if abs(it.z[at]) > bound
            )
            flags = tuple(f"{sign.figure}_{sign.direction}" for sign in signs)
            found.append(Outlier(columns.ids[own[at]], task, flags, signs, "robust"))
    return tuple(found)


def identical_figures(columns: MetricColumns, *, least: int = 2) -> tuple[tuple[str, ...], ...]:
    """The ids of submissions of one submitter to one task whose figures are all the same.

    At least three figures must be known; groups and ids are sorted.
    """
    figures = [columns.figure(name, tokens="total") + 0.0 for name in FIGURES]
    known = np.sum([~np.isnan(it) for it in figures], axis=0)
    rows = np.flatnonzero(known > 2)  # noqa: PLR2004  see above
    keys: list[NDArray[Any]] = [columns.submitter, columns.task]
    keys += [np.where(np.isnan(it), -np.inf, it) for it in figures]
    groups: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for row in _find_repeats(rows, keys).tolist():
        groups[tuple(key[row].item() for key in keys)].append(columns.ids[row])
    return tuple(sorted(tuple(sorted(ids)) for ids in groups.values() if len(ids) >= least))


def _find_repeats(rows: Ints, keys: Sequence[NDArray[Any]]) -> Ints:
    """The rows whose keys have the same hash as another row's."""
    mixed = np.zeros(len(rows), np.uint64)
    for key in keys:
        bits = key[rows].astype(np.float64).view(np.uint64)
        mixed = (mixed ^ bits ^ (bits >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    _, place, count = np.unique(mixed, return_inverse=True, return_counts=True)
    chosen: Ints = rows[count[place] > 1]
    return chosen


def modified_z(values: Floats, usual: Floats) -> Floats:
    """Return the distances from the median of the usual values, in robust standard deviations.

    NaN if the usual ones are all equal.
    """
    median = float(np.median(usual))
    away = np.abs(usual - median)
    spread = float(np.median(away)) / _OF_MEDIAN or float(np.mean(away)) / _OF_MEAN
    if spread == 0.0:
        return np.full(len(values), np.nan)
    return (values - median) / spread


def _sound(columns: MetricColumns) -> NDArray[np.bool_]:
    """The rows that are neither quarantined nor infrastructure failures."""
    failed = STATUSES.index(Status.INFRA_ERROR)
    is_sound: NDArray[np.bool_] = ~columns.quarantined & (columns.outcome != failed)
    return is_sound


class _Figure(NamedTuple):
    """One figure of a task's rows, with their z-scores; NaN where there is none."""

    values: Floats
    z: Floats
    median: float
    n: int

    @classmethod
    def of(
        cls, values: Floats, usual: NDArray[np.bool_], sound: NDArray[np.bool_]
    ) -> "_Figure | None":
        """The z-scores of all rows; those of rows that say nothing where too few usual ones do.

        None where too few rows of either kind have the figure.
        """
        has = values > 0
        base = values[usual & has]
        if len(base) < LEAST_ROWS:
            base, has = values[sound & has], has & sound & ~usual
        if len(base) < LEAST_ROWS:
            return None
        logs = np.log(np.sort(base))
        z = np.full(len(values), np.nan)
        z[has] = modified_z(np.log(values[has]), logs)
        return cls(values, z, float(np.exp(np.median(logs))), len(base))

    def sign(self, name: Figure, at: int) -> Sign:
        """The sign of one row."""
        z = float(self.z[at])
        direction: Literal["low", "high"] = "low" if z < 0 else "high"
        return Sign(name, float(self.values[at]), z, self.median, self.n, direction)


def _by_task(columns: MetricColumns) -> Iterator[tuple[str, Ints]]:
    """The rows of every task that has any, by name, in the order of their ids."""
    ids = list(columns.ids)
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    segments = RowGroups.of(columns.task, len(columns.tasks), rows=order)
    for task, start, many in zip(columns.tasks, segments.start, segments.count, strict=True):
        if many:
            yield task, segments.order[start : start + many]
