"""Answers waiting for a judge, judged in a separate pool."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk
from benchmaker.engine.judges.replies import JudgmentContext
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import StoreError
from benchmaker.providers.recorded_judge import JudgedAnswer
from benchmaker.record import AWAITING_JUDGE, JUDGE_AGAIN, Run, Trial
from benchmaker.scoring.base import AskingHalted
from benchmaker.store import Store, Writer

if TYPE_CHECKING:
    from benchmaker.engine.requests.preparing import AnswerPreparer

PAGE = 64
"""Number of answers read at once."""

_LOOK_S = 0.25


class _PendingAnswer(NamedTuple):
    seq: int
    trial: Trial


class JudgePool:
    """Workers that take answers from the store as they become durable.

    The models' workers never wait for them: the backlog is in the store, so that memory does not
    grow with a judge's delay. A trial that could not be judged because the client was halted is
    unchanged; so is one whose scorer needs another answer of the run, until no more answers arrive.
    ``on_halt`` is called once the client is halted. If it is halted by a failing judge, answers are
    still prepared, such as rendered.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        *,
        marker: TrialScorer,
        client: JudgeClient,
        writer: Writer,
        meter: Meter,
        on_halt: Callable[[], object],
        preparing: "AnswerPreparer | None" = None,
    ) -> None:
        self._preparing = preparing
        self._store = store
        self._run = run
        self._marker = marker
        self._client = client
        self._writer = writer
        self._meter = meter
        self._on_halt = on_halt
        self._ready: deque[_PendingAnswer] = deque()
        self._in_work: set[int] = set()
        self._last = 0
        self._more = asyncio.Event()
        self._looking = asyncio.Lock()
        self._no_more_answers = False
        self._is_second_pass = False
        self._was_deferred = False

    @property
    def in_flight(self) -> int:
        """The number of questions in flight."""
        return self._client.in_flight

    def look(self) -> None:
        """Check for answers to judge."""
        self._more.set()

    def close(self) -> None:
        """No more answers come."""
        self._no_more_answers = True
        self._more.set()

    def stop(self, reason: str) -> None:
        """Send nothing more."""
        self._client.halt(reason)
        self._more.set()

    async def work(self) -> None:
        """Judge until nothing is left, or no questions may be sent any more."""
        while not self._is_over and (waiting := await self._take_next()) is not None:
            self._in_work.add(waiting.seq)
            try:
                await self._judge(waiting.trial)
            finally:
                self._in_work.discard(waiting.seq)
                self._more.set()
                self._report_halt()
        self._more.set()
        self._report_halt()

    @property
    def _is_over(self) -> bool:
        """True if no questions may be sent, and no answers are to be prepared without a judge."""
        is_preparing = self._preparing is not None and self._client.has_failed
        return bool(self._client.halt_reason) and not is_preparing

    def _report_halt(self) -> None:
        if self._client.halt_reason:
            self._on_halt()

    async def _judge(self, trial: Trial) -> None:
        case = self._store.case(self._run.suite_hash, trial.position)
        ticket = ScorerAsk(
            self._client,
            JudgmentContext(trial.run_id, trial.model, JudgedAnswer.of(trial, self._run)),
            answers=self._answer,
            repeats_unreadable=JUDGE_AGAIN in trial.flags,
            preparing=self._preparing,
        )
        marked = await self._marker.score(trial, case, ticket)
        if ticket.broken is not None:
            raise ticket.broken
        if ticket.halted:
            self._was_deferred |= not self._client.halt_reason
            return
        if marked.score is None:
            return
        flags = tuple(flag for flag in trial.flags if flag not in {AWAITING_JUDGE, JUDGE_AGAIN})
        self._writer.put_score(
            marked.key,
            marked.score,
            outcome=marked.outcome,
            error_type=marked.error_type,
            error=marked.error,
            flags=flags,
        )
        self._meter.count_judged(marked)

    def _answer(self, model: str, case_id: str) -> str | None:
        """Another model's answer to the case."""
        try:
            return self._client.answer_of(self._run.id, model, case_id)
        except StoreError as exc:
            if self._no_more_answers and self._is_second_pass:
                return None
            raise AskingHalted(f"{model} may still answer") from exc

    async def _take_next(self) -> _PendingAnswer | None:
        """The next answer to be judged; waits for it. None when none will come.

        One worker at a time looks for answers, so that many workers read no more often.
        """
        async with self._looking:
            return await self._find_next()

    async def _find_next(self) -> _PendingAnswer | None:
        while not self._is_over:
            if self._ready:
                return self._ready.popleft()
            is_last = self._no_more_answers
            self._more.clear()
            if self._read():
                continue
            if is_last and not self._in_work:
                if not self._was_deferred or self._is_second_pass:
                    self._more.set()
                    return None
                await asyncio.to_thread(self._writer.flush)  # so that none is read twice
                self._is_second_pass, self._last = True, 0
                continue
            await self._wait_for_answers()
        return None

    def _read(self) -> bool:
        """Read a page of what waits; whether there is any."""
        page = self._store.trials_awaiting_judge(self._run.id, after=self._last, limit=PAGE)
        for seq, trial in page:
            self._last = seq
            self._ready.append(_PendingAnswer(seq, trial))
        return bool(page)

    async def _wait_for_answers(self) -> None:
        try:
            await asyncio.wait_for(self._more.wait(), _LOOK_S)
        except TimeoutError:
            return
