"""One model's results in a run or a series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.metric import by_metric
from benchmaker.analysis.summary.aggregate import bounded_mean_over_cases, interval_reason
from benchmaker.analysis.summary.named_metrics import MetricMean, metric_means
from benchmaker.analysis.summary.repeats import Repeats, repeats_of
from benchmaker.analysis.summary.spread import RunSpread, run_spread
from benchmaker.analysis.summary.zero_weight import ZeroWeight, zero_weight_trials
from benchmaker.documents import OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.record import (
    AWAITING_JUDGE,
    MODEL_STOPPED,
    MODELS_DOING,
    NO_CODE,
    POLICY_ZERO,
    WITHOUT_MEASURE,
    Outcome,
)
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns
from benchmaker.record.trial import CACHE_HIT
from benchmaker.spec import Metric
from benchmaker.stats import Mean
from benchmaker.stats.columns import median

Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]

LEAST_SCORED = 5
"""Below this many scored cases a mean is provisional."""

_INCOMPLETE = [code for code, outcome in enumerate(OUTCOMES) if outcome in MODELS_DOING]

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Treatments:
    """The incomplete answers that can count in the mean, by outcome: refused, truncated, ….

    ``zero`` are scored 0 by the suite's policy, ``excluded`` have no score because of it, and
    ``scored`` are scored as received. ``unscorable`` hold no page, in a run without a judge and for
    a case without checks, where no page has a score. An answer that waits for a judge is in none,
    nor is one that lost its zero because the judge decided on no answer of the model.
    """

    zero: Mapping[str, int] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    scored: Mapping[str, int] = field(default_factory=dict)
    unscorable: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelSummary(Document):
    """One model's results in a run, or in the runs of a series; scores from 0 to 1.

    ``mean``, ``ci95`` and ``strict_accuracy`` (the share of answers that score exactly 1, weighted
    like the mean) are over cases; in a series a case counts with its mean over runs. ``sd`` is that
    of the metric's figure over ``sd_over``: over the cases of one run (with the metric strict, of 0
    and 1), or over the ``runs`` of a series. ``…_method`` names the method of the
    interval, empty without one. ``n_cases`` are the cases that count in the mean, ``n_scored`` and
    ``n_strict`` their trials; ``zero_weight`` are the trials of the other cases, which
    ``n_trials``, ``n_planned`` and ``outcomes`` include. Dollars and tokens are None unless known
    for every trial; ``…_at_least`` is then the known part. Both cover all requests; dollars are
    those spent, 0 for a reused answer. ``input_tokens`` excludes tokens read from a cache.
    ``reasoning_tokens`` lie inside output, and are those of the replies that report any.
    ``metrics`` are the named metrics of checks, and ``repeats`` the figures of
    repetition. If its later runs repeat only cases whose first two scores differ, means, intervals
    and ``sd`` are those of the first two runs, in which every case runs.
    """

    model: str
    mean: float | None
    strict_accuracy: float | None
    strict_ci95: Interval | None
    strict_ci95_method: NullIfEmpty
    sd: float | None
    sd_over: Literal["cases", "runs"]
    ci95: Interval | None
    ci95_method: NullIfEmpty
    ci95_reason: NullIfEmpty
    n_scored: int
    n_strict: int
    n_cases: int
    n_trials: int
    n_planned: int | None
    outcomes: Mapping[str, int]
    cost_usd: float | None
    cost_usd_at_least: float | None
    cost_known_trials: int
    median_latency_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    tokens_known_trials: int
    flags: Mapping[str, int]
    runs: RunSpread | None
    zero_weight: Annotated[ZeroWeight, OMITTED]
    treatments: Annotated[Treatments, OMITTED] = field(default_factory=Treatments)
    metrics: Annotated[Mapping[str, MetricMean], Key(omit_if_empty=True)] = field(
        default_factory=dict
    )
    repeats: Repeats | None = None

    @property
    @listed(after="ci95")
    def ci95_over(self) -> Literal["cases"]:
        """The population of the mean's interval."""
        return "cases"

    @property
    @listed(after="n_strict")
    def n_counted(self) -> int:
        """Trials that can be in the mean, planned or else stored: those of cases that count."""
        stored = self.n_trials - self.zero_weight.n_trials
        if self.n_planned is None:
            return stored
        return max(stored, self.n_planned - self.zero_weight.n_planned)

    @property
    def n_absent(self) -> int:
        """Trials that could be in the mean and are not stored."""
        return self.n_counted - (self.n_trials - self.zero_weight.n_trials)

    @property
    def counted_outcomes(self) -> dict[str, int]:
        """The outcomes of the trials that can count in the mean."""
        others = self.zero_weight.outcomes
        rest = {kind: n - others.get(kind, 0) for kind, n in self.outcomes.items()}
        return {kind: n for kind, n in rest.items() if n}

    @property
    @listed(after="tokens_known_trials")
    def auto_pass(self) -> int:
        """The number of trials that passed because nothing was expected."""
        return self.flags.get("auto_pass", 0)

    @property
    def n_reused(self) -> int:
        """The number of trials whose requests another run has made and paid for."""
        return self.flags.get(CACHE_HIT, 0)

    @property
    @listed("provisional", after="ci95_reason")
    def is_provisional(self) -> bool:
        """True if fewer cases are scored than a mean needs."""
        return self.n_cases < LEAST_SCORED

    @property
    def n_done(self) -> int:
        """The number of trials that a resumed run would not repeat."""
        return self.n_ended - self.flags.get(MODEL_STOPPED, 0)

    @property
    def n_unfinished(self) -> int:
        """The number of trials with tools that have steps and no end so far."""
        return self.outcomes.get(Outcome.UNFINISHED, 0)

    @property
    def n_ended(self) -> int:
        """The number of stored trials that came to their end."""
        return self.n_trials - self.n_unfinished

    @property
    def is_given_up(self) -> bool:
        """True if the model was stopped early because of a failure."""
        return self.flags.get(MODEL_STOPPED, 0) > 0


class ModelFigures:
    """One model's figures, read from the columns."""

    def __init__(
        self, columns: ScoreColumns, model: str, code: int, level: float, metric: Metric
    ) -> None:
        self.columns = columns
        self.metric = metric
        self.model = model
        self.rows: Rows = columns.model == code
        self.level = level

    def summary(
        self,
        *,
        partial: Sequence[str] | None,
        planned: int | None,
        n_runs: int,
        n_repeats_planned: int = 0,
    ) -> ModelSummary:
        """The figures; ``partial`` are runs that have no mean yet, None where it is no series.

        ``n_runs`` are the runs in which every case runs, and ``n_repeats_planned`` the trials of
        those that repeat uncertain cases.
        """
        scores = self.columns.score
        counted = self.rows & (self.columns.weight > 0)
        strict = np.where(np.isnan(scores), np.nan, scores == 1.0)
        mean = bounded_mean_over_cases(self.columns, scores, self.rows, level=self.level)
        right = bounded_mean_over_cases(self.columns, strict, self.rows, level=self.level)
        own = right if self.metric == "strict" else mean
        spread = None if partial is None else self._spread(partial)
        is_reused = self.columns.rows_flagged(CACHE_HIT)
        cost, _, cost_known = self._total(np.where(is_reused, 0.0, self.columns.cost_usd))
        _, cost_part, _ = self._total(np.where(is_reused, 0.0, self.columns.known_cost_usd))
        tokens_in, _, known_in = self._total(self.columns.input_tokens)
        tokens_out, _, known_out = self._total(self.columns.output_tokens)
        _, thought, _ = self._total(self.columns.reasoning_tokens)
        return ModelSummary(
            model=self.model,
            mean=mean.mean if mean else None,
            strict_accuracy=right.mean if right else None,
            strict_ci95=right.interval if right else None,
            strict_ci95_method=_method(right),
            sd=spread.sd if spread else own.sd if own else None,
            sd_over="runs" if spread else "cases",
            ci95=mean.interval if mean else None,
            ci95_method=_method(mean),
            ci95_reason=interval_reason(mean),
            n_scored=int((counted & ~np.isnan(scores)).sum()),
            n_strict=int((counted & (scores == 1.0)).sum()),
            n_cases=mean.n if mean else 0,
            n_trials=int(self.rows.sum()),
            n_planned=planned,
            outcomes=self._outcomes(self.rows),
            cost_usd=cost,
            cost_usd_at_least=cost_part if cost is None else None,
            cost_known_trials=cost_known,
            median_latency_s=self._median_latency(),
            input_tokens=None if tokens_in is None else int(tokens_in),
            output_tokens=None if tokens_out is None else int(tokens_out),
            reasoning_tokens=None if thought is None else int(thought),
            tokens_known_trials=min(known_in, known_out),
            flags=self._flags(),
            runs=spread,
            zero_weight=zero_weight_trials(
                self.columns, self.rows, n_runs=n_runs, n_repeats_planned=n_repeats_planned
            ),
            treatments=self._treatments(counted),
            metrics=metric_means(self.columns, self.rows, level=self.level),
            repeats=None
            if partial is None
            else repeats_of(self.columns, self.rows, level=self.level),
        )

    def _spread(self, partial: Sequence[str]) -> RunSpread:
        return run_spread(
            by_metric(self.columns, self.metric),
            self.model,
            self.rows,
            metric=self.metric,
            partial=partial,
            level=self.level,
        )

    def _treatments(self, counted: Rows) -> Treatments:
        incomplete = counted & np.isin(self.columns.outcome, _INCOMPLETE)
        is_zero = self.columns.rows_flagged(POLICY_ZERO)
        is_unscored = np.isnan(self.columns.score)
        excluded = incomplete & is_unscored & ~is_zero  # a zero without a score: see unjudged.py
        awaits = self.columns.rows_flagged(AWAITING_JUDGE)
        is_without_page = self.columns.rows_flagged(NO_CODE)
        is_without_measure = self.columns.rows_flagged(WITHOUT_MEASURE)
        return Treatments(
            zero=self._outcomes(incomplete & is_zero & ~is_unscored),
            excluded=self._outcomes(excluded & ~awaits & ~is_without_page),
            scored=self._outcomes(incomplete & ~is_unscored & ~is_zero),
            unscorable=self._outcomes(excluded & is_without_page & is_without_measure),
        )

    def _outcomes(self, rows: Rows) -> dict[str, int]:
        """Every outcome that occurred among the rows, in the order of the record."""
        counts = np.bincount(self.columns.outcome[rows], minlength=len(OUTCOMES)).tolist()
        return {
            outcome.value: count for outcome, count in zip(OUTCOMES, counts, strict=True) if count
        }

    def _total(self, column: Floats) -> tuple[float | None, float | None, int]:
        """Return the sum if every row is known, the sum of the known rows, and their number."""
        known = column[self.rows & ~np.isnan(column)]
        part = float(np.sort(known).sum()) if len(known) else None
        return (part if len(known) == int(self.rows.sum()) else None), part, len(known)

    def _median_latency(self) -> float | None:
        latency = self.columns.latency_s[self.rows]
        known = latency[~np.isnan(latency)]
        return median(known) if len(known) else None

    def _flags(self) -> dict[str, int]:
        return self.columns.flag_counts(self.rows)


def _method(mean: Mean | None) -> str:
    """Return the method of the interval; empty without one."""
    return mean.method if mean and mean.interval else ""
