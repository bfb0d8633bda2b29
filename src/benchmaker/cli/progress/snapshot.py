"""The progress of one call's runs: their snapshots together, in words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from benchmaker.cli.output.output import one_line

if TYPE_CHECKING:
    from benchmaker.engine.requests.progress import Progress
    from benchmaker.engine.requests.rate_limiter import RateLimiterState

_REASON_WIDTH = 200
_LEAST_JUDGED = 3
"""Answers to be judged before the time left is estimated."""


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """One moment of a call's runs, earlier ones included.

    ``progress`` is that of the current run, like failures and retries. The cost is of all runs,
    those of earlier executions included; ``costs_unknown`` counts trials. ``seconds_left`` is for
    all remaining runs. ``slowed`` are the throttled endpoints, or those that reported limits.
    """

    progress: "Progress"
    cost_usd: float | None
    costs_unknown: int
    failures: Mapping[str, int]
    retries: int
    seconds_left: float | None
    slowed: Mapping[str, "RateLimiterState"]

    @property
    def is_live(self) -> bool:
        """True if models are live; recorded answers have no rate limiter."""
        return bool(self.progress.limiters)

    @property
    def has_ended(self) -> bool:
        """True if the current run has all its rows, and all of them are judged."""
        return self.progress.done >= self.progress.planned and not self.progress.awaiting


class ProgressAggregator:
    """Adds the snapshots of several runs up."""

    def __init__(self, *, spent_usd: float = 0.0) -> None:
        """``spent_usd`` is the known cost of earlier executions."""
        self._spent_usd = spent_usd
        self._runs: dict[str, Progress] = {}
        self._most: dict[str, int] = {}

    def snapshot(self, progress: "Progress") -> ProgressSnapshot:
        """The moment with this snapshot."""
        self._runs[progress.run_id] = progress
        for endpoint, limiter in progress.limiters.items():
            self._most[endpoint] = max(self._most.get(endpoint, 0), limiter.limit)
        known = [run.cost_usd for run in self._runs.values() if run.cost_usd is not None]
        return ProgressSnapshot(
            progress,
            cost_usd=self._spent_usd + sum(known) if known or self._spent_usd else None,
            costs_unknown=sum(run.costs_unknown for run in self._runs.values()),
            failures={str(outcome): n for outcome, n in progress.failures.items()},
            retries=progress.retries,
            seconds_left=_seconds_left(progress),
            slowed={
                endpoint: limiter
                for endpoint, limiter in progress.limiters.items()
                if _has_limits(limiter) or limiter.limit < self._most[endpoint]
            },
        )


def _has_limits(limiter: "RateLimiterState") -> bool:
    """True if there is something to report besides the number in flight."""
    left = limiter.requests_left, limiter.tokens_left
    return bool(limiter.held_s or limiter.rate or any(limiter.stated) or any(left))


def _seconds_left(progress: "Progress") -> float | None:
    """For this run and those after it, at the present rate."""
    further = (progress.runs - progress.number) * progress.each
    if progress.seconds_left is None or not further:
        return progress.seconds_left
    return progress.seconds_left + further / progress.rate if progress.rate else None


def join_parts(parts: Iterable[str]) -> str:
    """Return the non-empty parts on one line."""
    return " · ".join(part for part in parts if part)


def headline(moment: ProgressSnapshot, *, has_rate: bool = True) -> str:
    """Return progress, rate and time left, in one line; without the rate if that is too long."""
    from benchmaker.record.counts import count

    progress = moment.progress
    if _is_judging(progress):
        done, done_word = progress.done - progress.awaiting, _judged_word(progress)
        state = f"{done:,} of {progress.planned:,} {done_word}"
    else:
        state = f"{progress.done:,} of {count(progress.planned, 'trial')}"
    if progress.paused:
        return join_parts([f"{_run_of(progress)}{state}", progress.paused])
    rate = _pace(progress) if has_rate else ""
    return join_parts([f"{_run_of(progress)}{state}", rate, _time_left(moment)])


def spending(moment: ProgressSnapshot, width: int | None = None) -> str:
    """Return requests in flight, cost, failures and retries; may be empty.

    In a narrow window, retries are left out first, then requests in flight.
    """
    flying, retries = moment.progress.flying, moment.retries
    parts = [
        f"{flying:,} in flight" if flying else "",
        known_cost(moment),
        _judging_text(moment.progress),
        _failures(moment),
        f"{retries:,} {'retry' if retries == 1 else 'retries'}" if retries else "",
    ]
    shorter = (parts, parts[:-1], parts[1:-1], parts[1:2] + parts[3:4])
    lines = [join_parts(some) for some in shorter]
    return next((line for line in lines if width is None or len(line) <= width), lines[-1])


def _judging_text(progress: "Progress") -> str:
    """Return the answers waiting for their score, and its cost in this execution."""
    from benchmaker.record.dollars import dollars

    paid, embedded = progress.judge_cost_usd, progress.embedding_cost_usd
    done = _judged_word(progress)
    parts = [
        f"{progress.awaiting:,} waiting to be {done}" if progress.awaiting else "",
        f"judges {dollars(paid)}" if paid else "",
        f"embeddings {dollars(embedded)}" if embedded else "",
    ]
    return ", ".join(part for part in parts if part)


def _failures(moment: ProgressSnapshot) -> str:
    from benchmaker.record.outcome import Outcome, outcome_count

    counts = sorted(moment.failures.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{n:,} without an answer"
        if outcome == Outcome.PROVIDER_ERROR and not moment.is_live
        else outcome_count(outcome, n)
        for outcome, n in counts
    )


def known_cost(moment: ProgressSnapshot) -> str:
    """Return the known cost."""
    from benchmaker.record.dollars import dollars

    if not moment.is_live:
        return "" if moment.cost_usd is None else f"recorded cost {dollars(moment.cost_usd)}"
    if not moment.cost_usd and moment.costs_unknown:
        return "cost unknown"
    if moment.cost_usd is None:
        return ""
    at_least = "at least " if moment.costs_unknown else ""
    return f"cost {at_least}{dollars(moment.cost_usd)}"


def rate_lines(limiters: "Mapping[str, RateLimiterState]") -> Iterator[str]:
    """The present limits of each endpoint."""
    for endpoint, limiter in limiters.items():
        rate = "" if limiter.rate is None else f"at most {_rate(limiter.rate)} requests/s"
        held = f"waits {_duration(ceil(limiter.held_s))}" if limiter.held_s else ""
        at_once = f"{limiter.flying} of {limiter.limit} in flight"
        yield f"{endpoint}: {join_parts([at_once, rate, *_rate_limits(limiter), held])}"


def _rate_limits(limiter: "RateLimiterState") -> Iterator[str]:
    """Yield the user's limits, and those reported by the endpoint."""
    for name, stated in zip(("requests", "tokens"), limiter.stated, strict=True):
        if stated is not None:
            yield f"limit {stated:,.0f} {name}/min"
    for name, left in (("requests", limiter.requests_left), ("tokens", limiter.tokens_left)):
        if left is not None:
            yield f"{left.now:,.0f} of {left.most:,.0f} {name} left"


def stopped_lines(progress: "Progress") -> Iterator[str]:
    """Yield the stopped models, with the reasons."""
    for model, reason in progress.stopped.items():
        yield f"stopped querying {model}: {one_line(reason, _REASON_WIDTH)}"


def _run_of(progress: "Progress") -> str:
    return f"run {progress.number} of {progress.runs}: " if progress.runs > 1 else ""


def _is_judging(progress: "Progress") -> bool:
    """True if all answers are there, and some wait for their score."""
    return bool(progress.awaiting and not progress.left)


def _judged_word(progress: "Progress") -> str:
    return "judged" if progress.has_judge else "scored"


def _pace(progress: "Progress") -> str:
    """Return the rate of models; after all are done, or with none to run, the rate of judging."""
    if _is_judging(progress) or not (progress.left or progress.rate):
        rate = progress.judged_rate
        return _rate_of(rate, f"answers {_judged_word(progress)}") if rate else ""
    return _rate_of(progress.rate, "trials")


def _rate_of(rate: float, noun: str) -> str:
    """Return the rate per second, or per minute where that is below one."""
    return f"{_rate(rate)} {noun}/s" if rate >= 1 or not rate else f"{_rate(60 * rate)} {noun}/min"


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"  # noqa: PLR2004  two figures will do


def _time_left(moment: ProgressSnapshot) -> str:
    progress = moment.progress
    is_over = moment.has_ended and progress.number == progress.runs
    is_rough = _is_judging(progress) and progress.done - progress.awaiting < _LEAST_JUDGED
    if moment.seconds_left is None or round(moment.seconds_left) == 0 or is_over or is_rough:
        return ""
    return f"about {_duration(moment.seconds_left)} left"


def _duration(seconds: float) -> str:
    from benchmaker.report.tables.numbers import duration

    return f"{seconds:.0f} s" if seconds < 10 else duration(seconds)  # noqa: PLR2004  as rough as it is
