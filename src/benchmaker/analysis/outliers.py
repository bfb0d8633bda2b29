"""Submissions whose figures do not fit the others of their task: published rules, and robust ones.

An outlier is a suspicion with its evidence, never a deletion.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.classic_terms import SUSPICIOUS, suspicious_signs
from benchmaker.record.metrics import FIGURES, Figure, Metrics, TokensView
from benchmaker.record.submission import EvidenceLevel, Status

Floats = NDArray[np.float64]

BOUND = 3.5
"""|z| beyond which a figure is far off (Iglewicz and Hoaglin 1993)."""

LEAST_FIGURES = 2
LEAST_ROWS = 10
"""Below so many rows of a figure the task can't say what is usual."""

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
class Outlier:
    """One suspicious submission, and what is suspicious about it.

    ``flags`` are words; with ``method`` "published" they are the document's, and ``signs`` is
    empty.
    """

    submission_id: str
    task_id: str
    flags: tuple[str, ...]
    signs: tuple[Sign, ...]
    method: Literal["published", "robust"]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON and for a review."""
        return asdict(self)


def published_outliers(rows: Iterable[Metrics]) -> tuple[Outlier, ...]:
    """The document's rules on every task's submissions with total tokens, by task and id.

    Two or more of: below a tenth of the median tokens, below 5 s (a missing time is 0), one call.
    """
    found = []
    for task, own in _by_task(rows).items():
        known = [(row, row.total_tokens) for row in own if row.total_tokens is not None]
        if not known:
            continue
        median = statistics.median(tokens for _, tokens in known)
        for row, tokens in known:
            signs = suspicious_signs(
                tokens, row.seconds or 0, row.tool_calls or 0, median_tokens=median
            )
            if len(signs) >= SUSPICIOUS:
                found.append(Outlier(row.submission_id, task, tuple(signs), (), "published"))
    return tuple(found)


def robust_outliers(
    rows: Iterable[Metrics],
    *,
    tokens: TokensView = "fresh",
    bound: float = BOUND,
    least_figures: int = LEAST_FIGURES,
) -> tuple[Outlier, ...]:
    """Submissions with two or more figures far off those of their task, by task and id.

    z = .6745 (ln x - median)/MAD, both tails; where half of the values are equal, the mean absolute
    deviation takes the place of the median one (Iglewicz and Hoaglin 1993, How to Detect and Handle
    Outliers). What is usual is said by rows that are neither self-reported, quarantined nor
    infrastructure failures, at least 10 of them. A missing figure, or one of 0, is no sign.

    Args:
        rows: in any order.
        tokens: which tokens are meant.
        bound: of |z|.
        least_figures: so many figures must be far off.
    """
    found = []
    for task, own in _by_task(rows).items():
        usual = [row for row in own if _is_usual(row)]
        z = {name: _scores(name, own, usual, tokens) for name in FIGURES}
        for place, row in enumerate(own):
            signs = tuple(
                sign
                for name in FIGURES
                if (sign := z[name].get(place)) is not None and abs(sign.z) > bound
            )
            if len(signs) >= least_figures:
                flags = tuple(f"{sign.figure}_{sign.direction}" for sign in signs)
                found.append(Outlier(row.submission_id, task, flags, signs, "robust"))
    return tuple(found)


def identical_figures(rows: Iterable[Metrics], *, least: int = 2) -> tuple[tuple[str, ...], ...]:
    """The ids of submissions of one submitter to one task whose figures are all the same.

    At least three figures must be known; groups and ids are sorted.
    """
    groups: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for row in rows:
        figures = (row.total_tokens, row.tool_calls, row.iterations, row.seconds, row.cost)
        if sum(one is not None for one in figures) > 2:  # noqa: PLR2004  see above
            groups[row.submitter, row.task_id, *figures].append(row.submission_id)
    return tuple(sorted(tuple(sorted(ids)) for ids in groups.values() if len(ids) >= least))


def modified_z(values: Floats, usual: Floats) -> Floats:
    """How far values lie from the median of the usual ones, in robust standard deviations.

    NaN where the usual ones are all alike.
    """
    median = float(np.median(usual))
    away = np.abs(usual - median)
    spread = float(np.median(away)) / _OF_MEDIAN or float(np.mean(away)) / _OF_MEAN
    if spread == 0.0:
        return np.full(len(values), np.nan)
    return (values - median) / spread


def _is_usual(row: Metrics) -> bool:
    return (
        not row.quarantined
        and row.outcome is not Status.INFRA_ERROR
        and row.evidence_level is not EvidenceLevel.SELF_REPORTED
    )


def _scores(
    name: Figure, own: Sequence[Metrics], usual: Sequence[Metrics], tokens: TokensView
) -> Mapping[int, Sign]:
    """The signs of one figure, by the row's place; far off or not."""
    base = [value for row in usual if (value := row.figure(name, tokens=tokens) or 0) > 0]
    if len(base) < LEAST_ROWS:
        return {}
    values = {
        place: value
        for place, row in enumerate(own)
        if (value := row.figure(name, tokens=tokens) or 0) > 0
    }
    logs = np.log(np.sort(np.array(base, np.float64)))
    z = modified_z(np.log(np.array(list(values.values()), np.float64)), logs)
    middle = float(np.exp(np.median(logs)))
    return {
        place: Sign(name, value, float(score), middle, len(base), "low" if score < 0 else "high")
        for (place, value), score in zip(values.items(), z, strict=True)
        if not np.isnan(score)
    }


def _by_task(rows: Iterable[Metrics]) -> dict[str, list[Metrics]]:
    found: dict[str, list[Metrics]] = defaultdict(list)
    for row in rows:
        found[row.task_id].append(row)
    return {task: sorted(found[task], key=lambda row: row.submission_id) for task in sorted(found)}
