"""The judges of a series: their replies are paid for out of its budget."""

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

from benchmaker.arenas.agentic.gateway.gateway import Gateway
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury, has_rubrics
from benchmaker.engine.requests.budget import Budget
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store


class SeriesJudges:
    """Gives the trials of a series their judges, and counts what these cost.

    Each verification may spend what the budget of the series has left when it begins; of parallel
    ones each may. Verifications run in threads, the gateway in ``loop``.
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
        self._wanted = replace(wanted, open_budget=self._budget, on_spent=self._note)
        self._gateway, self._loop = gateway, loop
        self._spent_usd = store.agent_trials.series(series).judge_usd
        self._lock = threading.Lock()
        self._budgets: list[Budget] = []

    @property
    def spent_usd(self) -> float | None:
        """The cost of the judges so far; None if none was queried."""
        return self._spent_usd

    @property
    def refusal(self) -> str:
        """The reason why the budget can't pay a judge; empty if it could so far."""
        return next((it.refusal for it in self._budgets if it.refusal), "")

    def jury_for(self, task: TaskFolder) -> WantedJury | None:
        """The judges of a task; None if the plan has no judge, or the task no rubric."""
        return self._wanted if self._plan.judges and has_rubrics(task.task) else None

    def _budget(self) -> Budget | None:
        if self._plan.budget_usd is None:
            return None
        if self._gateway is not None:
            spent = self._gateway.spending.cost_usd
        else:
            spent = self._spent_usd or 0.0
        budget = Budget(self._plan.budget_usd, spent_usd=spent)
        self._budgets.append(budget)
        return budget

    def _note(self, usd: float) -> None:
        self._store.agent_trials.add_judge_cost(self._series, usd)
        with self._lock:
            self._spent_usd = (self._spent_usd or 0.0) + usd
        if self._gateway is not None:
            self._loop.call_soon_threadsafe(self._gateway.add_judge_cost, usd)


def wanted_jury(
    plan: AgentSeriesPlan, environ: dict[str, str], dotenv: Path | None, home: Path
) -> WantedJury:
    """The judges of a plan, with their keys."""
    return WantedJury(judges=plan.judges, environ=environ, dotenv=dotenv, home=home)
