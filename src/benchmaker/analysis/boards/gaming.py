"""Strategies to climb a board by failing work, or by dishonest figures.

Failing strategies are generated submissions; their bar is the median score of the real ones.
Schemes alter the figures of one real success per task; their bar is the result of its honest
figures: score, and rank within the task.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.analysis.composite.rank_spans import AtBest, rank_of_row
from benchmaker.analysis.composite.row_groups import RowGroups
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import FIGURE_FIELDS, TOKENS, Metrics
from benchmaker.record.submissions.scored_figures import Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Status

Failing: TypeAlias = Literal["fast_fail", "token_starved", "one_tool_call", "spam"]
STRATEGIES: tuple[Failing, ...] = ("fast_fail", "token_starved", "one_tool_call", "spam")
Scheme: TypeAlias = Literal[
    "no_cost",
    "no_time",
    "no_tokens",
    "zero_dollars",
    "tiny_dollars",
    "negative_figures",
    "absurd_figures",
    "huge_figures",
]
Strategy: TypeAlias = Failing | Scheme

_TOKENS = tuple(TOKENS.values())
_ABSURD, _HUGE, _TINY_DOLLARS = 1e-12, 1e11, 1e-6

SCHEMES: Mapping[Scheme, Mapping[str, float | None]] = {
    "no_cost": {"cost": None},
    "no_time": {"seconds": None},
    "no_tokens": dict.fromkeys(_TOKENS),
    "zero_dollars": {"cost": 0.0},
    "tiny_dollars": {"cost": _TINY_DOLLARS},
    "negative_figures": dict.fromkeys((*_TOKENS, "seconds", "cost"), -1.0),
    "absurd_figures": dict.fromkeys((*_TOKENS, "tool_calls", "seconds", "cost"), _ABSURD),
    "huge_figures": dict.fromkeys((*_TOKENS, "tool_calls", "seconds", "cost"), _HUGE),
}
"""The figures that each scheme puts in place of a submission's own."""

SPAM = 20
"""The number of submissions that ``spam`` sends."""


class Evaluate(Protocol):
    """Evaluates submissions under a profile, baselines included."""

    def __call__(
        self, columns: MetricColumns, /, *, at_best: Collection[Figure] = ()
    ) -> CompositeColumns:
        """The composites; figures ``at_best`` score 100 in every row for which they count."""


Outcome: TypeAlias = Literal["below", "not_below", "at_zero", "no_median"]
"""How a strategy ended: ``at_zero`` is not below, since the median of the real ones is 0 as well;
``no_median``: no real submission has a score. A scheme is below where it gains nothing."""


@dataclass(frozen=True, slots=True)
class GamingResult:
    """One strategy at one task: its best ``score``, and the ``bar`` it must stay below.

    The bar is the median of the real submissions, for a scheme the score of the honest figures. The
    score is None if the profile does not evaluate the submissions; they then count as below.
    ``rank`` and ``rank_bar`` are a scheme's rank and that of the honest figures.
    """

    strategy: Strategy
    task_id: str
    score: float | None
    bar: float | None
    rank: int | None = None
    rank_bar: int | None = None

    @property
    def outcome(self) -> Outcome:
        """The comparison of the score with the bar, or the reason why there is none."""
        if self.score is None:
            return "below"
        if self.bar is None:
            return "no_median"
        if self.strategy in SCHEMES:
            return "below" if self.score <= self.bar and not self._is_ahead else "not_below"
        if self.score < self.bar:
            return "below"
        return "at_zero" if self.score == self.bar == 0 else "not_below"

    @property
    def _is_ahead(self) -> bool:
        return self.rank is not None and self.rank_bar is not None and self.rank < self.rank_bar

    @property
    def is_kept_below(self) -> bool:
        """True if it stays below the bar, or is not evaluated."""
        return self.outcome == "below"


def generate_submissions(strategy: Failing, rows: Iterable[Metrics]) -> tuple[Metrics, ...]:
    """Return the strategy's submissions to a task, derived from its real ones.

    All are verified failures: ``fast_fail`` gives up within a second; ``token_starved`` spends a
    hundredth of the fewest tokens; ``one_tool_call`` makes a single call; ``spam`` sends twenty
    cheap ones. All other figures are the medians of the real submissions.

    Args:
        strategy: one of ``STRATEGIES``.
        rows: of one task, at least one.
    """
    real = sorted(rows, key=lambda row: row.order)
    usual: dict[str, Any] = {name: _median(real, name) for name in FIGURE_FIELDS}
    made: dict[str, Any] = {
        "fast_fail": {"seconds": 1.0, "iterations": 1, **_minimal_figures(real)},
        "token_starved": _minimal_figures(real),
        "one_tool_call": {"tool_calls": 1, "iterations": 1},
        "spam": {"seconds": 2.0, "tool_calls": 1, "iterations": 1, **_minimal_figures(real)},
    }
    first = real[0]
    return tuple(
        msgspec.structs.replace(
            first,
            **(usual | made[strategy]),
            submission_id=f"{first.task_id}/{strategy}/{number}",
            system=strategy,
            tool=strategy,
            submitter=strategy,
            correctness=0.0,
            required_passed=False,
            success=False,
            outcome=Status.COMPLETED,
            evidence_level=EvidenceLevel.VERIFIED,
            quarantined=False,
            flags=(),
        )
        for number in range(SPAM if strategy == "spam" else 1)
    )


def evaluate_gaming(rows: Iterable[Metrics], evaluate: Evaluate) -> tuple[GamingResult, ...]:
    """Every strategy and scheme at every task, evaluated together with the real submissions.

    Args:
        rows: the real submissions.
        evaluate: the profile.
    """
    by_task: dict[str, list[Metrics]] = defaultdict(list)
    for row in rows:
        by_task[row.task_id].append(row)
    real = [row for task in sorted(by_task) for row in by_task[task]]
    return (*_evaluate_failing(by_task, real, evaluate), *_evaluate_altered(real, evaluate))


def _evaluate_failing(
    by_task: Mapping[str, list[Metrics]], real: Sequence[Metrics], evaluate: Evaluate
) -> list[GamingResult]:
    found = []
    for strategy in STRATEGIES:
        added = [
            one for task in sorted(by_task) for one in generate_submissions(strategy, by_task[task])
        ]
        columns = MetricColumns.of([*real, *added])
        scores = evaluate(columns).overall.tolist()
        of_real = _by_task(real, scores[: len(real)])
        of_added = _by_task(added, scores[len(real) :])
        found += [
            GamingResult(
                strategy=strategy,
                task_id=task,
                score=max(of_added[task], default=None),
                bar=median(of_real[task]) if of_real[task] else None,
            )
            for task in sorted(by_task)
        ]
    return found


def _evaluate_altered(real: Sequence[Metrics], evaluate: Evaluate) -> list[GamingResult]:
    honest = _RankedSubmissions.of(real, evaluate)
    found = []
    for scheme, changes in SCHEMES.items():
        chosen = _most_expensive(real, honest.overall, _selecting_figure(changes))
        if not chosen:
            continue
        altered = list(real)
        for at in chosen:
            altered[at] = msgspec.structs.replace(real[at], **dict(changes))
        made = _RankedSubmissions.of(altered, evaluate)
        found += [
            GamingResult(
                strategy=scheme,
                task_id=real[at].task_id,
                score=_score(made.overall[at]),
                bar=_score(honest.overall[at]),
                rank=made.rank(at),
                rank_bar=honest.rank(at),
            )
            for at in chosen
        ]
    return found


@dataclass(frozen=True, slots=True)
class _RankedSubmissions:
    """Evaluated submissions of several tasks, ranked within each on request."""

    columns: MetricColumns
    scores: CompositeColumns
    overall: list[float]
    by_task: RowGroups
    at_best: AtBest

    @classmethod
    def of(cls, rows: Sequence[Metrics], evaluate: Evaluate) -> "_RankedSubmissions":
        columns = MetricColumns.of(rows)
        scores = evaluate(columns)
        by_task = RowGroups.of(columns.task, len(columns.tasks))
        at_best = cache(lambda names: evaluate(columns, at_best=names))
        return cls(columns, scores, scores.overall.tolist(), by_task, at_best)

    def rank(self, at: int) -> int:
        """The rank of one row among those of its task."""
        code = self.columns.task[at]
        start = self.by_task.start[code]
        rows = self.by_task.order[start : start + self.by_task.count[code]]
        return rank_of_row(self.columns, self.scores, at, rows, self.at_best)


def _selecting_figure(changes: Mapping[str, float | None]) -> str:
    """The figure by which a scheme chooses the submission that has most to gain."""
    return "cost" if "cost" in changes else next(iter(changes))


def _most_expensive(real: Sequence[Metrics], honest: Sequence[float], figure: str) -> list[int]:
    """For each task, the index of the scored success with the largest value of the figure."""
    found: dict[str, int] = {}
    for at, row in enumerate(real):
        value = getattr(row, figure)
        if value is None or not row.gate or _score(honest[at]) is None:
            continue
        best = found.setdefault(row.task_id, at)
        if value > getattr(real[best], figure):
            found[row.task_id] = at
    return list(found.values())


def _score(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124  NaN is no score


def _median(rows: Sequence[Metrics], name: str) -> float | None:
    known = [value for row in rows if not row.faults and (value := getattr(row, name)) is not None]
    return median(known) if known else None


def _minimal_figures(rows: Sequence[Metrics]) -> dict[str, float]:
    """A hundredth of the fewest tokens, and of the lowest cost."""
    fewest = {
        name: min((v for row in rows if not row.faults and (v := getattr(row, name))), default=None)
        for name in (*_TOKENS, "cost")
    }
    return {name: value / 100 for name, value in fewest.items() if value is not None}


def _by_task(rows: Sequence[Metrics], scores: Sequence[float]) -> Mapping[str, list[float]]:
    found: dict[str, list[float]] = {row.task_id: [] for row in rows}
    for row, score in zip(rows, scores, strict=True):
        if _score(score) is not None:
            found[row.task_id].append(score)
    return found
