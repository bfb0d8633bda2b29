"""Repeats of one model's cases: pass@k, pass^k, majority, and the cases whose scores differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.summary.aggregate import case_clusters, interval_reason
from benchmaker.documents import OMITTED, Document, NullIfEmpty, listed
from benchmaker.record.counts import count
from benchmaker.record.run import FULL_RUNS
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats import bounded_mean, pass_at_k, pass_hat_k
from benchmaker.stats.columns import count_distinct
from benchmaker.stats.means.pass_at_k import PassRate
from benchmaker.stats.means.proportions import proportion

Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Interval = tuple[float, float]

_EVERY_K = 10
"""Up to here every k is computed; beyond it only the number of runs."""

_REPEATED_BY_SCORE = (
    "only cases whose first two scores differ ran more than twice, which would bias it"
)


@dataclass(frozen=True, slots=True)
class RepeatedShare(Document):
    """A share over cases, from 0 to 1, with its interval; ``reason`` explains what is missing."""

    mean: float | None
    ci95: Interval | None
    reason: NullIfEmpty = ""


@dataclass(frozen=True, slots=True)
class CaseRepeats:
    """The scored runs of one case: ``right`` of ``n`` have the full score.

    ``first_right`` of ``first_n`` are the runs in which every case runs; they are the same numbers
    unless only uncertain cases were repeated. ``is_flaky`` is true if the scores differ.
    """

    case_id: str
    right: int
    n: int
    first_right: int
    first_n: int
    is_flaky: bool

    def pass_at_k(self, k: int) -> float | None:
        """Return the unbiased chance that one of k runs is right; None with fewer runs.

        1 - C(n-c, k) / C(n, k) (Chen et al. 2021, equation 1).
        """
        return pass_at_k(self.first_right, self.first_n, k).tasks[0]

    def pass_hat_k(self, k: int) -> float | None:
        """Return the unbiased chance that all of k runs are right; None with fewer runs.

        C(c, k) / C(n, k) (Yao et al. 2024, τ-bench).
        """
        return pass_hat_k(self.first_right, self.first_n, k).tasks[0]

    @property
    def majority(self) -> float:
        """1 if most runs are right, 0 if most are not, 0.5 if as many are."""
        return float(np.sign(2 * self.right - self.n) + 1) / 2


@dataclass(frozen=True, slots=True)
class FlakyCase(Document):
    """A case whose runs differ in score: ``right`` of ``n`` scored runs have the full score.

    ``ci95`` is Wilson's interval of the ``share`` of right runs.
    """

    case_id: str
    right: int
    n: int
    share: float
    ci95: Interval


class RepeatCounts(NamedTuple):
    """A row for each case with a score, of positive weight, in the order of the suite."""

    case_ids: tuple[str, ...]
    right: Counts
    n: Counts
    first_right: Counts
    first_n: Counts
    is_flaky: Rows


@dataclass(frozen=True, slots=True)
class Repeats(Document):
    """Figures of repetition in the runs of a series, over the cases with a score.

    A run of a case is right if it has the full score, 1. Trials without a score do not count, and
    failures that the suite's policy scores 0 are wrong. ``pass_at_k`` and ``pass_hat_k`` are by k,
    as text. They are unknown if a case has fewer than k scored runs. Over cases they have the
    interval of the mean, with weights and groups.

    ``majority`` is the share of cases of which most runs are right; a case with as many right as
    wrong runs counts one half. ``flaky`` are the cases whose runs differ in score, most undecided
    first. With ``uncertain_only``, only cases whose first two scores differ were repeated: pass@k
    and pass^k then come from the first two runs, and the majority is that of the runs made.
    """

    n_cases: int
    uncertain_only: bool
    pass_at_k: Mapping[str, RepeatedShare]
    pass_hat_k: Mapping[str, RepeatedShare]
    majority: RepeatedShare
    flaky: tuple[FlakyCase, ...]
    counts: Annotated[RepeatCounts, OMITTED] = field(repr=False, compare=False)

    @property
    @listed(after="majority")
    def n_flaky(self) -> int:
        """The number of cases whose runs differ in score."""
        return len(self.flaky)

    @property
    def cases(self) -> tuple[CaseRepeats, ...]:
        """The counts of each case, in the order of the suite."""
        made = self.counts
        rows = zip(*(column.tolist() for column in made[1:]), strict=True)
        return tuple(CaseRepeats(it, *row) for it, row in zip(made.case_ids, rows, strict=True))


def repeats_of(columns: ScoreColumns, rows: Rows, *, level: float) -> Repeats | None:
    """Return the repeats of a model from its ``rows``; None without a score, or with one run."""
    scored = rows & ~np.isnan(columns.score)
    counted = scored & (columns.weight > 0)
    runs = count_distinct(columns.run[rows])
    if not counted.any() or runs < FULL_RUNS:
        return None
    places, first = np.unique(columns.position[counted], return_index=True)
    positions = places.astype(np.int64)
    made = _counts(columns, scored & np.isin(columns.position, positions), counted, positions)
    weights = columns.weight[counted][first]
    clusters = case_clusters(columns.group[counted][first])
    over = _OverCases(made, weights, clusters, level, bool(columns.repeat_runs))
    ks = _ks(runs)
    return Repeats(
        n_cases=len(positions),
        uncertain_only=over.uncertain_only,
        pass_at_k={str(k): over.passing(k, is_any=True) for k in ks},
        pass_hat_k={str(k): over.passing(k, is_any=False) for k in ks},
        majority=over.majority(),
        flaky=_flaky_cases(made, level),
        counts=made,
    )


def uncertain_cases(columns: ScoreColumns) -> dict[str, tuple[str, ...]]:
    """Return, by model, the cases of positive weight whose scores in two runs differ.

    Cases without a score in one of the runs are not among them. They are in the order of the suite.
    """
    found = {}
    for code, model in enumerate(columns.models):
        rows = (columns.model == code) & (columns.weight > 0) & ~np.isnan(columns.score)
        positions = np.unique(columns.position[rows]).astype(np.int64)
        made = _counts(columns, rows, rows, positions)
        both = made.is_flaky & (made.n == FULL_RUNS)
        found[model] = tuple(made.case_ids[at] for at in np.flatnonzero(both).tolist())
    return found


def _counts(columns: ScoreColumns, scored: Rows, counted: Rows, positions: Counts) -> RepeatCounts:
    """Count runs and right runs of each case; ``counted`` are those in which every case runs."""
    case = np.searchsorted(positions, columns.position)
    is_right = columns.score == 1.0
    lowest, highest = np.full(len(positions), np.inf), np.full(len(positions), -np.inf)
    np.minimum.at(lowest, case[scored], columns.score[scored])
    np.maximum.at(highest, case[scored], columns.score[scored])

    def number(some: Rows) -> Counts:
        return np.bincount(case[some], minlength=len(positions)).astype(np.int64)

    return RepeatCounts(
        case_ids=tuple(columns.case_ids[at] for at in positions.tolist()),
        right=number(scored & is_right),
        n=number(scored),
        first_right=number(counted & is_right),
        first_n=number(counted),
        is_flaky=lowest < highest,
    )


def _ks(runs: int) -> list[int]:
    every = range(1, min(runs, _EVERY_K) + 1)
    return [*every, *([runs] if runs > _EVERY_K else [])]


@dataclass(frozen=True, slots=True)
class _OverCases:
    """Shares over the cases of one model."""

    counts: RepeatCounts
    weights: Floats
    clusters: Sequence[int] | None
    level: float
    uncertain_only: bool

    def passing(self, k: int, *, is_any: bool) -> RepeatedShare:
        """Return pass@k, else pass^k.

        Cases are repeated more than twice only where the first two scores differ, if at all. Over
        the runs they then have, the share of right ones is biased: away from 1/2, by
        p(1-p)(2p-1)(N-2)/N for a case that is right with probability p and runs up to N times. The
        unbiased estimators of p and p² are those of the first two runs, the only ones that depend
        on the counts alone (Girshick, Mosteller and Savage 1946, Annals of Mathematical Statistics
        17).
        """
        made = self.counts
        if self.uncertain_only and k > FULL_RUNS:
            return RepeatedShare(None, None, _REPEATED_BY_SCORE)
        if reason := self._too_few(k):
            return RepeatedShare(None, None, reason)
        rate = pass_at_k if is_any else pass_hat_k
        found: PassRate = rate(
            made.first_right,
            made.first_n,
            k,
            weights=self.weights,
            clusters=self.clusters,
            level=self.level,
        )
        return RepeatedShare(found.mean, found.interval, _in_cases(found.reason))

    def _too_few(self, k: int) -> str:
        """Return the reason why k is too large; empty if no case has fewer scored runs."""
        short = self.counts.first_n < k
        if not short.any():
            return ""
        cases = count(int(short.sum()), "case")
        verb = "has" if int(short.sum()) == 1 else "have"
        name = self.counts.case_ids[int(self.counts.first_n.argmin())]
        least = count(int(self.counts.first_n.min()), "scored run")
        return f"{cases} of {len(short):,} {verb} fewer than {k} scored runs; {name} has {least}"

    def majority(self) -> RepeatedShare:
        """Return the share of cases whose most frequent verdict is right; a tie counts one half."""
        each = (np.sign(2 * self.counts.right - self.counts.n) + 1) / 2
        mean = bounded_mean(each, self.weights, clusters=self.clusters, level=self.level)
        return RepeatedShare(mean.mean, mean.interval, interval_reason(mean))


def _in_cases(reason: str) -> str:
    return reason.replace("1 cluster,", "1 group of cases,").replace("1 value,", "1 scored case,")


def _flaky_cases(made: RepeatCounts, level: float) -> tuple[FlakyCase, ...]:
    """The cases whose scores differ, those nearest to one half first, then those with more runs."""
    share = made.right / made.n
    order = np.lexsort((-made.n, np.abs(share - 0.5)))
    return tuple(_flaky_case(made, int(at), level) for at in order if made.is_flaky[at])


def _flaky_case(made: RepeatCounts, at: int, level: float) -> FlakyCase:
    right, n = int(made.right[at]), int(made.n[at])
    return FlakyCase(made.case_ids[at], right, n, right / n, _share_interval(right, n, level))


@lru_cache(maxsize=4096)
def _share_interval(right: int, n: int, level: float) -> Interval:
    return proportion(right, n, level=level).interval or (0.0, 1.0)
