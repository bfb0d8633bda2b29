"""One model's results in a run or a series."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from benchmaker.analysis.summary.named_metrics import MetricMean
from benchmaker.analysis.summary.spread import RunSpread
from benchmaker.analysis.summary.zero_weight import ZeroWeight
from benchmaker.documents import OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.record import MODEL_STOPPED, POLICY_ZERO
from benchmaker.record.trial import CACHE_HIT

LEAST_SCORED = 5
"""Below this many scored cases a mean is provisional."""

Interval = tuple[float, float]


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
    ``metrics`` are the named metrics of checks.
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
    metrics: Annotated[Mapping[str, MetricMean], Key(omit_if_empty=True)] = field(
        default_factory=dict
    )

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
    def counted_policy_zeros(self) -> int:
        """The number of trials scored 0 by the suite's policy that can count in the mean."""
        return self.flags.get(POLICY_ZERO, 0) - self.zero_weight.flags.get(POLICY_ZERO, 0)

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
        return self.n_trials - self.flags.get(MODEL_STOPPED, 0)

    @property
    def is_given_up(self) -> bool:
        """True if the model was stopped early because of a failure."""
        return self.n_done < self.n_trials
