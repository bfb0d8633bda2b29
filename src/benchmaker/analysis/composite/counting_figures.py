"""The figures that count on a task: those that enough of its ranked successes have.

A figure that does not count changes no composite, and omitting one that counts never raises a
score. The decision is made at 5, 10, 20, 40 … ranked successes, over the first 5, 10, 20, 40 … of
them by the time they finished, and holds until the next such number is reached.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.row_groups import by_time
from benchmaker.record.submissions.metric_columns import MetricColumns, TextView
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, STATUSES, Metrics, TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Status

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAST_HAVING: Final = 5
"""A figure counts if at least this many of the deciding rows, and at least half, have it."""

RULE: Final = 2
EARLIER_RULE: Final = 1
"""Versions of the rule for provisional scores: 1 marks those of tasks with fewer than five
successes, 2 also those with fewer than ten if a figure that some of the first five have is out."""

RANKED_EVIDENCE: Final = (
    EvidenceLevel.VERIFIED,
    EvidenceLevel.ATTESTED,
    EvidenceLevel.IMPORTED,
)
"""The levels of evidence that robust ranks."""


@dataclass(frozen=True, slots=True)
class Counting:
    """The number of deciding ``rows`` that have each figure; with 0 rows nothing is decided."""

    rows: int
    having: Mapping[Figure, int]

    @property
    def is_decided(self) -> bool:
        """True if there are enough rows; below five, every figure of a row counts."""
        return self.rows > 0

    def counts(self, name: Figure) -> bool:
        """True if the figure counts: half of the rows, and at least five, have it."""
        return self.having[name] >= LEAST_HAVING and 2 * self.having[name] >= self.rows

    @property
    def lacking(self) -> tuple[Figure, ...]:
        """The figures that some of the first five rows have, but too few to count.

        One omission can exclude such a figure, so scores are provisional until ten rows decide.
        """
        if self.rows != LEAST_HAVING:
            return ()
        return tuple(name for name in FIGURES if 0 < self.having[name] < LEAST_HAVING)

    def lacking_reasons(self, of: str) -> tuple[str, ...]:
        """The reason for each of the ``lacking`` figures; ``of`` names the rows."""
        return tuple(
            f"{SCORED_FIGURES[name].label.lower()} does not count: {self.having[name]} of "
            f"{self.rows} {of} report it, at least {LEAST_HAVING} are needed"
            for name in self.lacking
        )

    def provisional_reason(self, *, is_ranked: bool) -> str:
        """Why scores under this decision are provisional; empty if they are not.

        Args:
            is_ranked: the deciding rows are ranked ones, and not all successes.
        """
        of = "ranked successes" if is_ranked else "successes"
        if not self.is_decided:
            return f"with fewer than {LEAST_HAVING} {of}, every figure of the submission counts"
        return "; ".join(self.lacking_reasons(of))

    @property
    def line(self) -> str:
        """The decision as text, for the hash of a snapshot."""
        return "\t".join(str(n) for n in (self.rows, *(self.having[name] for name in FIGURES)))


class EarlierCounting(Counting):
    """A decision under :data:`EARLIER_RULE`, by which it makes no score provisional."""

    @property
    def lacking(self) -> tuple[Figure, ...]:
        """None: an excluded figure made no score provisional."""
        return ()

    @classmethod
    def of(cls, known: Counting | None) -> "EarlierCounting | None":
        """The same decision."""
        return None if known is None else cls(known.rows, known.having)


def largest_doubling(count: int, first: int) -> int:
    """The largest of ``first``, twice, four times … ``first`` up to a count; 0 below ``first``.

    >>> [largest_doubling(n, 5) for n in (4, 5, 9, 10, 19, 20, 159)]
    [0, 5, 5, 10, 10, 20, 80]
    """
    return 0 if count < first else first << ((count // first).bit_length() - 1)


def largest_doublings(count: Ints, first: int) -> Ints:
    """As :func:`largest_doubling`, for many counts."""
    power = np.frexp(np.maximum(count // first, 1).astype(np.float64))[1] - 1
    return np.where(count < first, 0, first << power.astype(np.int64))


def is_success(row: Metrics) -> bool:
    """True if it is successful, not quarantined, no infrastructure failure, and has no faults."""
    return (
        row.success is True
        and not row.quarantined
        and row.outcome is not Status.INFRA_ERROR
        and not row.faults
    )


def decide_counting(successes: Sequence[Metrics], *, tokens: TokensView) -> Counting:
    """Decide by a task's successes, sorted by finish time."""
    first = successes[: largest_doubling(len(successes), LEAST_HAVING)]
    having = {
        name: sum(row.valid_figure(name, tokens=tokens) is not None for row in first)
        for name in FIGURES
    }
    return Counting(len(first), having)


def decide_counting_by_evidence(
    rows: Iterable[Metrics], *, ranked: Collection[EvidenceLevel], tokens: TokensView
) -> tuple[Counting, Counting]:
    """Return the figures that count for the ranked rows of a task, and for the others.

    Ranked successes decide for both. With fewer than five of them, all successes of the task decide
    for the unranked rows, which does not affect ranked rows.
    """
    successes = sorted((row for row in rows if is_success(row)), key=lambda row: row.order)
    own = decide_counting([row for row in successes if row.evidence_level in ranked], tokens=tokens)
    return own, own if own.is_decided else decide_counting(successes, tokens=tokens)


@dataclass(frozen=True, slots=True, eq=False)
class CountingColumns:
    """As :class:`Counting`, for every task by its code."""

    rows: Ints
    having: Mapping[Figure, Ints]

    @property
    def is_decided(self) -> Mask:
        """The tasks with enough rows."""
        return self.rows > 0

    def counts(self, name: Figure) -> Mask:
        """The tasks on which the figure counts."""
        having = self.having[name]
        return (having >= LEAST_HAVING) & (2 * having >= self.rows)

    @property
    def is_lacking(self) -> Mask:
        """The tasks with figures that some of the first five rows have, but too few to count."""
        partial = [(had > 0) & (had < LEAST_HAVING) for had in self.having.values()]
        found: Mask = (self.rows == LEAST_HAVING) & np.logical_or.reduce(partial)
        return found

    def of_task(self, code: int) -> Counting:
        """The decision of one task."""
        return Counting(
            int(self.rows[code]), {name: int(self.having[name][code]) for name in FIGURES}
        )


def decide_counting_columns(
    columns: MetricColumns, *, ranked: Collection[EvidenceLevel], tokens: TokensView
) -> tuple[CountingColumns, CountingColumns]:
    """As :func:`decide_counting_by_evidence`, for every task."""
    is_infra = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    is_in = (columns.success == 1) & ~columns.quarantined & ~is_infra & ~columns.is_faulty
    successes = np.flatnonzero(is_in)
    own = _decide_columns(columns, successes[is_ranked(columns, ranked)[successes]], tokens)
    if own.is_decided.all():
        return own, own
    every = _decide_columns(columns, successes, tokens)
    rows = np.where(own.is_decided, own.rows, every.rows)
    having = {
        name: np.where(own.is_decided, own.having[name], every.having[name]) for name in FIGURES
    }
    return own, CountingColumns(rows, having)


def is_ranked(columns: MetricColumns, ranked: Collection[EvidenceLevel]) -> Mask:
    """The rows whose level of evidence is among these."""
    among_ranked = np.array([level in ranked for level in EVIDENCE_LEVELS])
    found: Mask = among_ranked[columns.evidence]
    return found


def _decide_columns(columns: MetricColumns, rows: Ints, tokens: TokensView) -> CountingColumns:
    tasks = len(columns.tasks)
    ids = TextView.of(columns.ids, rows)
    ordered = by_time(columns.task[rows], tasks, columns.finished_us[rows], ids)
    task = columns.task[rows][ordered.order]
    place = np.arange(len(task)) - ordered.start[task]
    count = largest_doublings(ordered.count, LEAST_HAVING)
    first = rows[ordered.order[place < count[task]]]
    having = {
        name: np.bincount(
            columns.task[first[~np.isnan(columns.valid_figure(name, tokens=tokens)[first])]],
            minlength=tasks,
        ).astype(np.int64)
        for name in FIGURES
    }
    return CountingColumns(count, having)
