"""The judges of a workspace by rubrics: live ones, or recorded replies."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.engine.requests.budget import Budget, refuse_unpriced
from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import UnknownCosts
from benchmaker.spec.suites.judge import JudgeSpec
from benchmaker.spec.tasks.criterion import LlmRubric
from benchmaker.spec.tasks.task import Task
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.verify import Jury
    from benchmaker.providers.base import Provider
    from benchmaker.providers.recorded_judge import RecordedJudge

SUBMISSION = "submission"
"""The judged model in a file of replies; the case is ``TASK/CRITERION``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedJury:
    """The judges by name, or the file of their replies, and where keys are.

    ``open_budget`` returns the budget of a verification, None for none; a finite one refuses models
    without a price. ``unknown_costs`` returns its requests whose cost is unknown so far.
    """

    judges: Sequence[str] = ()
    recorded: str | Path | None = None
    environ: Mapping[str, str] | None = None
    dotenv: Path | None = None
    home: Path | None = None
    open_budget: "Callable[[], Budget | None]" = lambda: None
    unknown_costs: Callable[[], UnknownCosts] = UnknownCosts

    @property
    def is_named(self) -> bool:
        """True if there is a judge."""
        return bool(self.judges or self.recorded)


def has_rubrics(task: Task) -> bool:
    """True if a criterion of the task needs a judge."""
    return any(isinstance(one, LlmRubric) for one in task.criteria)


def check_judges(wanted: WantedJury, task: Task, *, has_budget: bool) -> None:
    """Open the judges of a task, and query none.

    Raises:
        SpecError: an invalid model.
        PrerequisiteError: a key is missing, or a price under a budget.
    """

    async def check() -> None:
        budget = Budget(0.0) if has_budget else None
        async with _source(wanted, _own_judges(task)) as (models, source):
            _refuse_unpriced(source, (*models, *_own_judges(task)), budget)

    with ThreadPoolExecutor(1) as thread:  # the caller may have a loop of its own
        thread.submit(asyncio.run, check()).result()


def _own_judges(task: Task) -> list[str]:
    """The judges that criteria name themselves."""
    return [one.judge for one in task.criteria if isinstance(one, LlmRubric) and one.judge]


def _refuse_unpriced(
    source: "Provider | RecordedJudge", models: Sequence[str], budget: Budget | None
) -> None:
    from benchmaker.providers.recorded_judge import RecordedJudge  # noqa: PLC0415  seldom

    has_limit = budget is not None and isfinite(budget.most_usd)
    if has_limit and not isinstance(source, RecordedJudge):
        refuse_unpriced(source, models)


@asynccontextmanager
async def open_jury(store: Store, task: Task, wanted: WantedJury) -> "AsyncIterator[Jury | None]":
    """Open the jury for a task, with replies stored; None if no judge is configured.

    Raises:
        SpecError: a judge without a rubric, or an invalid file of replies.
        PrerequisiteError: a judge's key is missing, or a price under a budget.
    """
    if not wanted.is_named:
        yield None
        return
    if not has_rubrics(task):
        raise SpecError(
            f"no criterion of task {task.id!r} uses a judge.",
            hint="Remove the judge, or add an llm_rubric to the task.",
        )
    from benchmaker.arenas.agentic.verify import Jury  # noqa: PLC0415  only with a workspace
    from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk  # noqa: PLC0415  as above
    from benchmaker.engine.judges.replies import JudgmentContext  # noqa: PLC0415  as above
    from benchmaker.store import Writer  # noqa: PLC0415  as above

    budget = wanted.open_budget()
    async with _source(wanted, _own_judges(task)) as (models, source):
        _refuse_unpriced(source, (*models, *_own_judges(task)), budget)
        with Writer(store, max_delay_s=0) as writer:
            client = JudgeClient(store, writer, source, budget=budget)
            spec = JudgeSpec.model_validate({"models": list(models)})
            try:
                yield Jury(
                    ScorerAsk(client, JudgmentContext(None, SUBMISSION), repeats_unreadable=True),
                    spec,
                )
            finally:
                await client.close()


@asynccontextmanager
async def _source(
    wanted: WantedJury, own: Sequence[str]
) -> "AsyncIterator[tuple[tuple[str, ...], Provider | RecordedJudge]]":
    """Open the judges and the source of replies; ``own`` are the judges in criteria."""
    if wanted.recorded is not None:
        from benchmaker.providers.recorded_judge import RecordedJudge  # noqa: PLC0415  seldom

        recorded = RecordedJudge.open(wanted.recorded)
        try:
            yield tuple(wanted.judges) or recorded.judges, recorded
        finally:
            recorded.close()
        return
    from benchmaker.providers.live import Live  # noqa: PLC0415  loads the network

    models = tuple(dict.fromkeys((*wanted.judges, *own)))
    live = Live(
        list(models), environ=wanted.environ, dotenv=wanted.dotenv, home=wanted.home, stream=False
    )
    try:
        yield tuple(wanted.judges), live
    finally:
        closing = live.close()
        if inspect.isawaitable(closing):
            await closing
