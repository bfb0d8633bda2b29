"""The state of a series of agent trials, and the tail that follows it for open pages."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
from benchmaker.arenas.agentic.series.series_results import (
    AgentSeriesResult,
    SeriesWord,
    metered_trial,
    series_is_held,
    series_result,
)
from benchmaker.record.agent_trial import AgentSeries, AgentTrial, TrialOutcome
from benchmaker.store import Store
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial, SeriesSpending
from benchmaker.web.live.events import RunWatch, Tail

OPEN: Final = "open"
"""The word for trials without an outcome in filters and counts."""


class TrialPlace(NamedTuple):
    """The place of a trial in its series."""

    task: str
    system: str
    attempt: int


@dataclass(frozen=True, slots=True)
class AgentSeriesState:
    """A series of agent trials at one moment.

    ``trials`` are the started ones by place, those in progress with their requests so far.
    ``spending`` is that of all requests. ``is_held`` is true while a process runs the series.
    ``token`` differs after each change. ``read_at`` is the time of the read, on this process's own
    clock.
    """

    series: AgentSeries
    plan: AgentSeriesPlan
    result: AgentSeriesResult
    trials: Mapping[TrialPlace, NumberedTrial]
    spending: SeriesSpending
    is_held: bool
    token: str
    read_at: float

    @property
    def word(self) -> SeriesWord:
        """The state in one word."""
        return self.result.state

    @property
    def is_live(self) -> bool:
        """True if trials can change."""
        return self.word != "finished"

    @property
    def finished_count(self) -> int:
        """The number of trials with an outcome that counts."""
        return sum(it.trial.is_finished for it in self.trials.values())

    @property
    def running(self) -> int:
        """The number of trials in progress."""
        return sum(self.is_running(it.trial) for it in self.trials.values())

    @property
    def is_over_budget(self) -> bool:
        """True if the budget of the series leaves nothing for open trials."""
        return bool(self.result.halted)

    @property
    def cost_usd(self) -> float | None:
        """The cost of all requests; None without a model, or if that of one is unknown."""
        is_known = self.plan.models and not self.spending.unknown_costs
        return self.spending.cost_usd if is_known else None

    def is_running(self, trial: AgentTrial) -> bool:
        """True if a try of the trial is in progress."""
        return self.is_held and trial.outcome is None

    def outcomes(self) -> Counter[str]:
        """The number of trials by outcome; ``open`` for those without one."""
        counts = Counter(str(it.trial.outcome or OPEN) for it in self.trials.values())
        counts[OPEN] += self.plan.trial_count - len(self.trials)
        return counts


def agent_series_state(store: Store, series_id: str) -> AgentSeriesState:
    """Return the current state of a series.

    Raises:
        StoreError: unknown series.
    """
    read_at = time.monotonic()
    with store.read_snapshot():
        series = store.agent_trials.series(series_id)
        numbered = store.agent_trial_pages.numbered_trials(series_id)
        return AgentSeriesState(
            series=series,
            plan=AgentSeriesPlan.of(series),
            result=series_result(store, series),
            trials={
                place_of(it.trial): it._replace(trial=metered_trial(store, it.trial))
                for it in numbered
            },
            spending=store.agent_trial_pages.spending(series_id),
            is_held=series_is_held(store, series_id),
            token=_token(store, series),
            read_at=read_at,
        )


def place_of(trial: AgentTrial) -> TrialPlace:
    """The place of a trial."""
    return TrialPlace(trial.key.task, trial.key.system, trial.key.attempt)


def _token(store: Store, series: AgentSeries) -> str:
    mark = store.agent_trial_pages.mark(series.id)
    budget = series.plan.get("budget_usd")
    process = (series.finished_at, series_is_held(store, series.id))
    judges = series.judge_usd or 0.0
    return "-".join(map(str, (*mark, *process, budget, len(series.stopped), judges)))


def outcome_kind(outcome: TrialOutcome | None) -> str:
    """The mark of an outcome: ``ok``, ``bad``, ``infra``, or ``none`` without one."""
    if outcome is None:
        return "none"
    if outcome.is_infrastructure:
        return "infra"
    return "ok" if outcome is TrialOutcome.SOLVED else "bad"


class AgentSeriesTail(Tail[AgentSeriesState]):
    """Follows one series of agent trials."""

    tick_s = 0.5

    def __init__(self, store: Store, series_id: str) -> None:
        super().__init__(store)
        self._series_id = series_id

    def look(self) -> AgentSeriesState | None:
        """Return the state if it has changed."""
        with self.store.read_snapshot():
            token = _token(self.store, self.store.agent_trials.series(self._series_id))
            if self.last is not None and self.last.token == token:
                return None
            return agent_series_state(self.store, self._series_id)


def follow_agent_series(watch: RunWatch, store: Store, series_id: str) -> AgentSeriesTail:
    """The tail of a series, followed from now on."""
    return watch.follow(
        f"agents {series_id}", AgentSeriesTail, lambda: AgentSeriesTail(store, series_id)
    )
