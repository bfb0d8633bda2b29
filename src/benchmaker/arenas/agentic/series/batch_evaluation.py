"""Evaluation of the submissions of a series in batches, beside the trials."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, evaluate_submissions
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.errors import Conflict
from benchmaker.stats.quantiles import t_quantile
from benchmaker.store import Store

BATCH: Final = 16
"""Number of finished trials that are evaluated together; and all at the end of a series."""


class BatchEvaluation:
    """Evaluates submissions a batch at a time, in a thread of its own."""

    def __init__(self, store: Store, options: EvaluationOptions, pricer: Pricer) -> None:
        self._store, self._options, self._pricer = store, options, pricer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="series-evaluation")
        self._thread.submit(_load)
        self._waiting: list[str] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """The number of submissions that are not evaluated yet."""
        return len(self._waiting)

    def add(self, submission_ids: Iterable[str]) -> None:
        """Evaluate these with the next batch."""
        self._waiting += submission_ids
        is_free = self._task is None or self._task.done()
        if len(self._waiting) >= BATCH and is_free:
            self._task = asyncio.create_task(self._evaluate())

    async def finish(self) -> None:
        """Evaluate all that wait; they go on waiting if another process evaluates for too long."""
        if self._task is not None:
            await self._task
        if self._waiting:
            await self._evaluate()
        self._thread.shutdown()

    async def _evaluate(self) -> None:
        batch, self._waiting = self._waiting, []
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._work, batch)
        except Conflict:  # another process evaluates now
            self._waiting = batch + self._waiting

    def _work(self, batch: list[str]) -> None:
        found = self._store.agentic.submissions_of(batch)
        evaluate_submissions(
            self._store, self._options, found, None, None, pricer=self._pricer, ids=batch
        )


def _load() -> None:
    """Load what evaluations import on first use, while the first agents run."""
    t_quantile(1, 0.95)
