"""From an answer to its durable row."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Protocol

from msgspec.structs import replace

from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.retry import TOOL_CALL
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.log_context import ON_TRIAL
from benchmaker.engine.trials.plan import Task
from benchmaker.engine.trials.question import CaseQuestion
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import StoreError
from benchmaker.record import (
    AWAITING_JUDGE,
    INFRASTRUCTURE,
    MODEL_STOPPED,
    RETRY_REQUESTED,
    Outcome,
    Run,
    Trial,
)
from benchmaker.record.attempt import RECORDED
from benchmaker.spec import Tool
from benchmaker.store import WriteStatus
from benchmaker.store.writer import OnCommit, OnDurable
from benchmaker.structs import shared_fields

STREAM_FALLBACK = "stream_fallback"
"""The flag of an answer that came in one piece although a stream was requested first."""


class RowWriter(Protocol):
    """The destination of rows: a :class:`~benchmaker.store.Writer`, or a proxy of one."""

    @property
    def error(self) -> StoreError | None:
        """The error that ended it; None while it works."""
        ...

    def put(self, trial: Trial, *, on_durable: OnDurable | None = None) -> None:
        """Have the trial written."""
        ...

    def watch(self, on_commit: OnCommit) -> None:
        """Have this called when rows have become durable, or never will."""
        ...


class TrialRecorder:
    """Scores answers, passes them to the writer, and counts them.

    ``durable`` is the number of acknowledged trials. ``on_awaiting`` is called when answers that
    wait for a judge may have become durable. It belongs to the event loop in which it was created.
    """

    def __init__(
        self, run: Run, *, marker: TrialScorer, writer: RowWriter, meter: Meter, clock: Clock
    ) -> None:
        self._run = run
        self._marker = marker
        self._writer = writer
        self._meter = meter
        self._clock = clock
        self.durable = 0
        self.on_awaiting: Callable[[], object] = _do_nothing
        self._is_awaiting = False
        self._on_trial = ON_TRIAL.get()
        self._put = self._written = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._exchanged = 0
        self._is_notified = False
        self._loop = asyncio.get_running_loop()
        writer.watch(self._notify_loop)

    async def keep(
        self,
        task: Task,
        question: CaseQuestion,
        answer: RequestResult,
        *,
        flags: tuple[str, ...] = (),
    ) -> None:
        """Write one ended trial down; it counts once it is durable."""
        trial = self._unscored_trial(task, question, answer, flags)
        self.put(await self._marker.score(trial, task.case, sent=question.messages))

    def keep_steps(
        self,
        task: Task,
        question: CaseQuestion,
        answer: RequestResult,
    ) -> None:
        """Write the steps of a trial down, which goes on or was interrupted."""
        self.put(self._unscored_trial(task, question, answer, (RETRY_REQUESTED,)))

    def put(self, trial: Trial) -> None:
        """Write a marked trial down, or the steps of an unfinished one."""
        if trial.outcome is Outcome.UNFINISHED:
            self._writer.put(trial, on_durable=self._note_steps_durable)
            self._put += 1
            self._meter.count_steps(trial)
            return
        self._is_awaiting |= AWAITING_JUDGE in trial.flags
        self._writer.put(trial, on_durable=self._on_durable(trial))
        self._put += 1
        self._meter.count(trial)

    async def until_durable(self) -> None:
        """Wait until everything that was kept so far is durable.

        Raises:
            StoreError: the writer has stopped, so that it never will be.
        """
        if self._written >= self._put:
            return
        if self._writer.error is not None:
            raise self._writer.error
        future = self._loop.create_future()
        self._waiting.append((self._put, future))
        await future

    async def until_slot_free(self) -> None:
        """Wait until another request may be sent: until as many rows are durable.

        If the row of a waiting worker is durable, and the event loop has not come to that worker
        yet, the caller takes its slot without waiting, and it waits for the caller's row instead.
        So a slot is used at once, however long the loop is busy with other answers. It happens at
        most once per waiting worker before the loop looks again, so that others run, too.

        Raises:
            StoreError: the writer has stopped.
        """
        if self._exchanged < len(self._waiting) and self._waiting[0][0] <= self._written:
            self._exchanged += 1
            _, future = self._waiting.popleft()
            self._waiting.append((self._put, future))
        else:
            await self.until_durable()

    def _unscored_trial(
        self, task: Task, question: CaseQuestion, answer: RequestResult, flags: tuple[str, ...]
    ) -> Trial:
        case = task.case
        if answer.stops_model and answer.outcome in INFRASTRUCTURE:
            flags = (*flags, MODEL_STOPPED)
        recorded = (one.flags for one in answer.attempts if one.status == RECORDED)
        flags = (*flags, *chain.from_iterable(recorded))
        return Trial(
            run_id=self._run.id,
            case_id=case.id,
            model=task.model,
            position=task.position,
            messages_hash=question.messages_hash,
            flags=flags,
            finished_at=self._clock.now_utc(),
            **shared_fields(Trial, case),
            **shared_fields(Trial, _with_call_flag(answer, question.tools)),
        )

    def _on_durable(self, trial: Trial) -> Callable[[WriteStatus], object]:
        tell = self._on_trial
        if tell is None:
            return self._note_durable

        def note(put: WriteStatus) -> None:
            self._note_durable(put)
            tell(self._run, trial)

        return note

    def _note_durable(self, _: WriteStatus) -> None:
        self.durable += 1
        self._written += 1

    def _note_steps_durable(self, _: WriteStatus) -> None:
        self._written += 1

    def _notify_loop(self) -> None:
        """Notify the event loop of durable rows, from the writer's thread.

        A notice that the loop has not come to yet is for these rows, too.
        """
        if self._is_notified:
            return
        self._is_notified = True
        with suppress(RuntimeError):  # the loop was closed, so that nobody waits
            self._loop.call_soon_threadsafe(self._let_go)

    def _let_go(self) -> None:
        """Wake those whose rows are durable, and all of them when no row ever will be."""
        self._is_notified = False
        self._exchanged = 0
        error = self._writer.error
        if self._is_awaiting:
            self.on_awaiting()
        while self._waiting and (error is not None or self._waiting[0][0] <= self._written):
            number, future = self._waiting.popleft()
            if future.done():
                continue  # its worker was cancelled
            if number <= self._written:
                future.set_result(None)
            elif error is not None:
                future.set_exception(error)


def _with_call_flag(answer: RequestResult, tools: tuple[Tool, ...]) -> RequestResult:
    """Return the answer to a case with tools, flagged if it calls one that is not offered."""
    done = answer.completion
    if not tools or done is None or done.transcript is None or TOOL_CALL in done.flags:
        return answer
    names = {tool.name for tool in tools}
    if all(call.name in names for call in done.transcript.tool_calls):
        return answer
    return answer._replace(completion=replace(done, flags=(*done.flags, TOOL_CALL)))


def _do_nothing() -> None:
    """Do nothing, without judges."""
