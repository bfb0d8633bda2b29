"""Answers made ready to be judged by the hands of a crew, where whoever makes them ready can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from benchmaker import plugins
from benchmaker.engine.executors.workers import TaskRunnerSource
from benchmaker.engine.judges.judge_makers import Judges


@asynccontextmanager
async def prepare_remotely(
    crew: TaskRunnerSource | None, judges: Judges | None
) -> AsyncIterator[Judges | None]:
    """The judges, whose answers a crew makes ready; as they are without one.

    What makes answers ready names in ``elsewhere`` the class that does the same by way of a crew.
    """
    path = getattr(judges.prepare, "elsewhere", "") if judges is not None else ""
    if crew is None or judges is None or not path:
        yield judges
        return
    prepare = plugins.resolve(path)(judges.prepare, crew)
    try:
        yield replace(judges, prepare=prepare)
    finally:
        await prepare.close()
