"""The judges of a series: their replies are paid for out of its budget."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

from benchmaker.arenas.agentic.gateway.gateway import Gateway
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury, has_rubrics
from benchmaker.engine.requests.budget import Budget, BudgetDecision
from benchmaker.record.agent_trial import TrialKey, UnknownCosts
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store


class SeriesJudges:
    """Gives the trials of a series their judges, and counts what these cost.

    Before a request is sent, the most that it can cost is stored with its trial; its known cost
    replaces that. So a request of unknown cost, or one in progress when the process is killed,
    counts with the most, in later processes too. Parallel verifications share one budget. They run
    in threads, the gateway in ``loop``.
    """

    def __init__(
        self,
        store: Store,
        series: str,
        plan: AgentSeriesPlan,
        wanted: WantedJury,
        *,
        gateway: Gateway | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._store, self._series, self._plan = store, series, plan
        self._wanted, self._gateway, self._loop = wanted, gateway, loop
        self._known_usd = store.agent_trials.series(series).judge_usd
        self._unknowns = {
            _attempt_of(it.key): it.judge_unknowns
            for it in store.agent_trials.trials(series)
            if it.judge_unknowns.requests
        }
        self._flying: defaultdict[TrialKey, list[float]] = defaultdict(list)
        self._lock = threading.RLock()
        self._budget = Budget(inf if plan.budget_usd is None else plan.budget_usd)

    @property
    def spent_usd(self) -> float | None:
        """The cost of the judges so far, of unknown costs the most; None if none was queried."""
        with self._lock:
            unknowns = UnknownCosts.sum(self._unknowns.values())
            if self._known_usd is None and not unknowns.requests:
                return None
            return (self._known_usd or 0.0) + (unknowns.most_usd or 0.0)

    @property
    def unknown_costs(self) -> int:
        """The number of ended requests of unknown cost."""
        with self._lock:
            return UnknownCosts.sum(self._unknowns.values()).requests

    @property
    def refusal(self) -> str:
        """The reason why the budget can't pay a judge; empty if it could so far."""
        return self._budget.refusal

    def jury_for(self, key: TrialKey, task: TaskFolder) -> WantedJury | None:
        """The judges of a trial; None if the plan has no judge, or the task no rubric."""
        if not self._plan.judges or not has_rubrics(task.task):
            return None
        attempt = _attempt_of(key)
        return replace(
            self._wanted,
            open_budget=lambda: _TrialBudget(self, attempt, self._budget.most_usd),
            unknown_costs=partial(self._unknowns_of, attempt),
        )

    def admit(self, attempt: TrialKey, worst_usd: float) -> BudgetDecision:
        """Decide on a request of a trial; one that fits is counted as sent."""
        with self._lock:
            agents_usd = 0.0 if self._gateway is None else self._gateway.spending.agents_usd
            self._budget.spent_usd = agents_usd + (self.spent_usd or 0.0)
            decision = self._budget.admit(worst_usd)
            if decision is BudgetDecision.YES:
                self._flying[attempt].append(worst_usd)
                self._put(attempt)
            return decision

    def settle(self, attempt: TrialKey, worst_usd: float, cost_usd: float | None) -> None:
        """Count a returned request with its cost; if that is unknown, with the most."""
        unknown = UnknownCosts() if cost_usd is not None else self._costs_of([worst_usd])
        with self._lock, self._store.write_transaction():
            self._budget.settle(worst_usd, cost_usd)
            self._flying[attempt].remove(worst_usd)
            if cost_usd is None:
                earlier = self._unknowns.get(attempt, UnknownCosts())
                self._unknowns[attempt] = UnknownCosts.sum((earlier, unknown))
            else:
                self._known_usd = (self._known_usd or 0.0) + cost_usd
                self._store.agent_trials.add_judge_cost(self._series, cost_usd)
            self._put(attempt)
        if self._gateway is not None:
            count = self._gateway.spending.add_judge_cost
            with suppress(RuntimeError):  # the series has ended, and its loop is closed
                self._loop.call_soon_threadsafe(count, cost_usd or 0.0, unknown)

    def _put(self, attempt: TrialKey) -> None:
        self._store.agent_trials.put_judge_unknowns(attempt, self._unknowns_of(attempt))

    def _unknowns_of(self, attempt: TrialKey) -> UnknownCosts:
        """The requests of unknown cost of a trial, those in progress included."""
        with self._lock:
            earlier = self._unknowns.get(attempt, UnknownCosts())
            return UnknownCosts.sum((earlier, self._costs_of(self._flying[attempt])))

    def _costs_of(self, most: Sequence[float]) -> UnknownCosts:
        """Requests by the most that each can cost.

        A budget refuses models without a price; without one, 0 may stand for an unknown price.
        """
        has_prices = self._plan.budget_usd is not None
        return UnknownCosts.of(usd if usd or has_prices else None for usd in most)


class _TrialBudget(Budget):
    """The budget of a verification: what the series has left."""

    def __init__(self, judges: SeriesJudges, attempt: TrialKey, most_usd: float) -> None:
        super().__init__(most_usd)
        self._judges, self._attempt = judges, attempt

    def admit(self, worst_usd: float) -> BudgetDecision:
        """See :meth:`SeriesJudges.admit`."""
        decision = self._judges.admit(self._attempt, worst_usd)
        self.refusal = self._judges.refusal
        return decision

    def settle(self, worst_usd: float, cost_usd: float | None) -> None:
        """See :meth:`SeriesJudges.settle`."""
        self._judges.settle(self._attempt, worst_usd, cost_usd)


def _attempt_of(key: TrialKey) -> TrialKey:
    """The key of an attempt, whatever its try."""
    return key._replace(attempt_try=1)


def wanted_jury(
    plan: AgentSeriesPlan, environ: dict[str, str], dotenv: Path | None, home: Path
) -> WantedJury:
    """The judges of a plan, with their keys."""
    return WantedJury(judges=plan.judges, environ=environ, dotenv=dotenv, home=home)
