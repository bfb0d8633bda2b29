"""From an answer to its durable row."""

from benchmaker.engine.answer import Answer
from benchmaker.engine.clock import Clock
from benchmaker.engine.mark import Marker
from benchmaker.engine.plan import Task
from benchmaker.engine.progress import Meter
from benchmaker.engine.question import Question
from benchmaker.record import INFRASTRUCTURE, MODEL_STOPPED, Run, Trial
from benchmaker.store import Put, Writer

STREAM_FALLBACK = "stream_fallback"
"""The flag of an answer that came in one piece though a stream was asked for at first."""


class Keeper:
    """Marks what was answered, hands it to the writer, and counts it.

    ``durable`` is the number of rows that were acknowledged.
    """

    def __init__(
        self, run: Run, *, marker: Marker, writer: Writer, meter: Meter, clock: Clock
    ) -> None:
        self._run = run
        self._marker = marker
        self._writer = writer
        self._meter = meter
        self._clock = clock
        self.durable = 0

    async def keep(
        self, task: Task, question: Question, answer: Answer, *, flags: tuple[str, ...] = ()
    ) -> None:
        """Write one ended trial down; it counts once it is durable."""
        trial = await self._marker.mark(self._unmarked(task, question, answer, flags), task.case)
        self._writer.put(trial, on_durable=self._note_durable)
        self._meter.count(trial)

    def _unmarked(
        self, task: Task, question: Question, answer: Answer, flags: tuple[str, ...]
    ) -> Trial:
        case = task.case
        if answer.stops_model and answer.outcome in INFRASTRUCTURE:
            flags = (*flags, MODEL_STOPPED)
        return Trial(
            run_id=self._run.id,
            case_id=case.id,
            model=task.model,
            position=task.position,
            outcome=answer.outcome,
            completion=answer.completion,
            attempts=answer.attempts,
            messages_hash=question.messages_hash,
            weight=case.weight,
            category=case.category,
            difficulty=case.difficulty,
            tags=case.tags,
            group=case.group,
            error_type=answer.error_type,
            error=answer.error,
            flags=flags,
            finished_at=self._clock.now_utc(),
        )

    def _note_durable(self, _: Put) -> None:
        self.durable += 1
