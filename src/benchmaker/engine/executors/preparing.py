"""Answers prepared for judging by task runners, if supported."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmaker import plugins
from benchmaker.engine.judges.judge_makers import Judges

if TYPE_CHECKING:  # loaded with a cluster alone
    from benchmaker.engine.executors.workers import TaskRunnerSource


@asynccontextmanager
async def prepare_remotely(
    crew: "TaskRunnerSource | None", judges: Judges | None
) -> AsyncIterator[Judges | None]:
    """Return judges whose answers are prepared by task runners; unchanged without any.

    A preparer names in ``remote`` the class that does the same with task runners.
    """
    path = getattr(judges.prepare, "remote", "") if judges is not None else ""
    if crew is None or judges is None or not path:
        yield judges
        return
    prepare = plugins.resolve(path)(judges.prepare, crew)
    try:
        yield replace(judges, prepare=prepare)
    finally:
        await prepare.close()
