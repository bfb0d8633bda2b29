"""The judges of a workspace by rubrics: live ones, or recorded replies."""

import inspect
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.errors import SpecError
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
    """The judges by name, or the file of their replies, and where keys are."""

    judges: Sequence[str] = ()
    recorded: str | Path | None = None
    environ: Mapping[str, str] | None = None
    home: Path | None = None

    @property
    def is_named(self) -> bool:
        """True if there is a judge."""
        return bool(self.judges or self.recorded)


@asynccontextmanager
async def open_jury(store: Store, task: Task, wanted: WantedJury) -> "AsyncIterator[Jury | None]":
    """Open the jury for a task, with replies stored; None if no judge is configured.

    Raises:
        SpecError: a judge without a rubric, or an invalid file of replies.
        PrerequisiteError: a judge's key is missing.
    """
    if not wanted.is_named:
        yield None
        return
    rubrics = [one for one in task.criteria if isinstance(one, LlmRubric)]
    if not rubrics:
        raise SpecError(
            f"no criterion of task {task.id!r} uses a judge.",
            hint="Remove the judge, or add an llm_rubric to the task.",
        )
    from benchmaker.arenas.agentic.verify import Jury  # noqa: PLC0415  only with a workspace
    from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk  # noqa: PLC0415  as above
    from benchmaker.engine.judges.replies import JudgmentContext  # noqa: PLC0415  as above
    from benchmaker.store import Writer  # noqa: PLC0415  as above

    async with _source(wanted, [one.judge for one in rubrics if one.judge]) as (models, source):
        with Writer(store, max_delay_s=0) as writer:
            client = JudgeClient(store, writer, source)
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
    live = Live(list(models), environ=wanted.environ, home=wanted.home, stream=False)
    try:
        yield tuple(wanted.judges), live
    finally:
        closing = live.close()
        if inspect.isawaitable(closing):
            await closing
