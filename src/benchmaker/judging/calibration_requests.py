"""Queries to a judge under calibration: as in a run, but never from the cache."""

from msgspec.structs import replace

from benchmaker.scoring.base import Ask, Question, Reply

EDITION = 1_000
"""Repeats of one calibration are counted from here times its number, so that none is answered
from what was replied in an earlier one, while a calibration that was broken off goes on."""


class CalibrationAsk:
    """Forwards queries, and counts the replies.

    ``edition`` is the number of earlier calibrations. ``is_recorded`` replies are looked up by
    their original questions.
    """

    def __init__(self, ask: Ask, *, edition: int = 0, is_recorded: bool = False) -> None:
        self._ask = ask
        self._edition = edition
        self._is_recorded = is_recorded
        self.replies = 0
        self.cost_usd: float | None = 0.0
        self.keys: list[str] = []

    async def ask(self, question: Question) -> Reply:
        """The reply."""
        if not self._is_recorded:
            repeat = question.repeat + EDITION * self._edition
            question = replace(question, repeat=repeat, purpose="calibration")
        reply = await self._ask.ask(question)
        self.replies += 1
        self.keys.append(reply.key)
        paid = reply.cost_usd
        self.cost_usd = None if paid is None or self.cost_usd is None else self.cost_usd + paid
        return reply
