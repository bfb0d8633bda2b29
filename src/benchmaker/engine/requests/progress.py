"""The progress of a run: frozen snapshots, at most four per second."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.trials.clock import Clock
from benchmaker.record import AWAITING_JUDGE, Attempt, Outcome, Run, Trial
from benchmaker.record.trial import known_cost_of, retries_of
from benchmaker.store.runs.retries import FailedTrial

INTERVAL_S = 0.25
"""Minimum seconds between two snapshots."""

OnProgress = Callable[["Progress"], None]
"""Called with every snapshot; a method ``on_begin``, if any, gets the id of each run before its
first request.
"""

_FINE = frozenset({Outcome.SCORED})


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress at one moment of a run.

    ``done`` counts durable trials, including those of earlier executions; ``rate`` is trials per
    second in this execution. ``left`` are the remaining trials, and ``each`` those of another run
    of the series; stopped models count in neither. ``seconds_left`` is for the remaining trials, or
    otherwise for the answers that wait for a judge, of which ``judged_rate`` per second were
    judged; None while unknown. ``outcomes`` counts the outcomes in this execution, ``failures``
    those among them that are not ``scored``. ``awaiting`` counts the answers that wait for a judge,
    ``judging`` the questions to judges in flight, and ``judge_cost_usd`` is the known cost of those
    in this execution, ``embedding_cost_usd`` that of embeddings; without a judge (``has_judge``)
    they are pages, or answers compared by embeddings, waiting to be scored.
    ``cost_usd`` is None while no answer's cost is known; ``costs_unknown`` counts the trials of
    this execution with a request of unknown cost. ``stopped`` maps the stopped models to the
    reasons. ``number`` and ``runs`` are the run's position in its series. ``paused`` tells by which
    command the run is paused; empty while it is not.
    """

    run_id: str
    planned: int
    done: int
    rate: float
    seconds_left: float | None
    outcomes: Mapping[Outcome, int]
    cost_usd: float | None = None
    stopped: Mapping[str, str] = field(default_factory=dict)
    number: int = 1
    runs: int = 1
    flying: int = 0
    retries: int = 0
    limiters: Mapping[str, RateLimiterState] = field(default_factory=dict)
    costs_unknown: int = 0
    left: int = 0
    each: int = 0
    awaiting: int = 0
    judging: int = 0
    judge_cost_usd: float | None = None
    embedding_cost_usd: float | None = None
    judged_rate: float = 0.0
    has_judge: bool = True
    paused: str = ""

    @property
    def failures(self) -> dict[Outcome, int]:
        """The outcomes that deserve a look, with their counts."""
        return {outcome: n for outcome, n in self.outcomes.items() if outcome not in _FINE}


class Meter:
    """Counts scored trials and converts the counts to snapshots.

    ``stopped`` holds the stopped models, with the reasons, and ``paused`` the reason of a pause.
    """

    def __init__(
        self,
        run: Run,
        *,
        clock: Clock,
        before: int,
        before_of: Mapping[str, int] = MappingProxyType({}),
        runs: int = 1,
        awaiting: int = 0,
    ) -> None:
        """Count on from earlier executions.

        Args:
            run: the run.
            clock: measures the rate.
            before: the trials completed in earlier executions.
            before_of: the same by model; without it, each model has an equal share.
            runs: the number of runs in the series.
            awaiting: the trials among ``before`` that wait for a judge.
        """
        self._awaiting = awaiting
        self._judged = 0
        self._judge_cost: float | None = None
        self._embedding_cost: float | None = None
        self._run = run
        self._clock = clock
        self._before = before
        self._before_of = before_of
        self._runs = runs
        self._started = clock.monotonic()
        self._outcomes: Counter[Outcome] = Counter()
        self._counted: Counter[str] = Counter()
        self._retried: Counter[str] = Counter()
        self._cost: float | None = None
        self._costs_unknown = 0
        self._retries = 0
        self.stopped: dict[str, str] = {}
        self.paused = ""

    def retry(self, failed: Iterable[FailedTrial], *, since: str) -> None:
        """Count these trials as not done; those that ended ``since`` then were counted here."""
        for trial in failed:
            self._before -= 1
            self._retried[trial.model] += 1
            if trial.weight > 0 and trial.finished_at >= since and self._outcomes[trial.outcome]:
                self._outcomes[trial.outcome] -= 1

    def count(self, trial: Trial) -> None:
        """Count one scored trial."""
        if AWAITING_JUDGE in trial.flags:
            self._awaiting += 1
        else:
            self._count_outcome(trial)
        self._counted[trial.model] += 1
        if trial.attempts:
            self._retries += retries_of(trial.attempts, after=trial.stored_attempts)
        if trial.is_reused:
            self._cost = self._cost or 0.0
        elif trial.stored_attempts:
            self._count_attempts(trial.new_attempts)
        else:
            cost_usd = trial.cost_usd
            self._add_cost(trial.known_cost_usd if trial.attempts else cost_usd)
            self._costs_unknown += cost_usd is None

    def count_steps(self, trial: Trial) -> None:
        """Count the new requests of an unfinished trial."""
        self._retries += retries_of(trial.attempts, after=trial.stored_attempts)
        self._count_attempts(trial.new_attempts)

    def _count_attempts(self, made: Sequence[Attempt]) -> None:
        self._add_cost(known_cost_of(made))
        self._costs_unknown += any(attempt.cost_usd is None for attempt in made)

    def _add_cost(self, cost_usd: float | None) -> None:
        if cost_usd is not None:
            self._cost = (self._cost or 0.0) + cost_usd

    def count_judged(self, trial: Trial) -> None:
        """Count one trial that waited for a judge and now has its score, or none for good."""
        self._awaiting -= 1
        self._judged += 1
        self._count_outcome(trial)

    def _count_outcome(self, trial: Trial) -> None:
        """Count an outcome, as tables of results do: not in cases of weight 0."""
        if trial.weight > 0:
            self._outcomes[trial.outcome] += 1

    def add_judge_cost(self, cost_usd: float | None) -> None:
        """Add the cost of a question to a judge."""
        if cost_usd is not None:
            self._judge_cost = (self._judge_cost or 0.0) + cost_usd

    def add_embedding_cost(self, cost_usd: float | None) -> None:
        """Add the cost of a request for embeddings."""
        if cost_usd is not None:
            self._embedding_cost = (self._embedding_cost or 0.0) + cost_usd

    def snapshot(
        self,
        durable: int,
        *,
        flying: int = 0,
        judging: int = 0,
        limiters: Mapping[str, RateLimiterState] = MappingProxyType({}),
    ) -> Progress:
        """Return the snapshot, with ``durable`` rows written in this execution."""
        rate, judged_rate = self._rate(durable), self._rate(self._judged)
        done = self._before + durable
        left = max(0, self._run.planned - done - self._count_given_up())
        return Progress(
            run_id=self._run.id,
            planned=self._run.planned,
            done=done,
            rate=rate,
            seconds_left=_seconds(left, rate) if left else _seconds(self._awaiting, judged_rate),
            outcomes=MappingProxyType(dict(+self._outcomes)),
            cost_usd=self._cost,
            stopped=MappingProxyType(dict(self.stopped)),
            number=self._run.number,
            runs=self._runs,
            flying=flying,
            retries=self._retries,
            limiters=limiters,
            costs_unknown=self._costs_unknown,
            left=left,
            awaiting=self._awaiting,
            judging=judging,
            judge_cost_usd=self._judge_cost,
            embedding_cost_usd=self._embedding_cost,
            judged_rate=judged_rate,
            has_judge=self._run.judge_model is not None,
            paused=self.paused,
            each=sum(map(self._run.planned_of, self._active_models())),
        )

    def _rate(self, number: int) -> float:
        """Return a number of this execution as a rate; 0 while no time has passed."""
        elapsed = self._clock.monotonic() - self._started
        return number / elapsed if elapsed > 0 else 0.0

    def _share(self, trials: int) -> int:
        """Return each model's share of these trials."""
        return trials // max(1, len(self._run.models))

    def _active_models(self) -> list[str]:
        """Return the models that are still queried."""
        return [model for model in self._run.models if model not in self.stopped]

    def _count_given_up(self) -> int:
        """Return the remaining trials of stopped models."""
        even = self._share(self._before)
        return sum(
            max(0, self._run.planned_of(model) - self._done_of(model, even))
            for model in self._run.models
            if model in self.stopped
        )

    def _done_of(self, model: str, before: int) -> int:
        """Return the done trials of a model, of which ``before`` if not counted by model."""
        return self._before_of.get(model, before) + self._counted[model] - self._retried[model]


def _seconds(number: int, rate: float) -> float | None:
    """Return the time for a number of trials; None for an unknown rate."""
    if not number:
        return 0.0
    return number / rate if rate > 0 else None
