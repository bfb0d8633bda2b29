"""Times that can't be: tokens faster than any provider serves them, clocks that go backwards."""

from collections.abc import Iterator

from benchmaker.arenas.agentic.flags.clue import Clue, RuleContext
from benchmaker.arenas.agentic.logs.events import Event, LlmCall
from benchmaker.arenas.agentic.logs.timestamps import seconds

FAST, BACKWARDS = "tokens_per_second", "clock_backwards"

MOST_PER_S = 5_000.0
"""Maximum plausible output tokens per second; the fastest service sold has about 3,000."""

_LEAST_TOKENS = 2_000
BACK_S = 3_600.0
"""Seconds that a log's times may go back: sessions are resumed, and lines of several agents mix."""

_DAY_S = 86_400.0


class PaceRule:
    """Compares tokens with seconds, and each moment with the one before."""

    def __init__(self, context: RuleContext) -> None:
        self._context = context
        self._last: dict[tuple[str, int], float] = {}
        self._worst: tuple[float, Event] | None = None
        self._fastest: tuple[float, Event] | None = None

    def see(self, event: Event) -> Iterator[Clue]:
        """Remember the worst."""
        if event.at is not None:
            back = self._last.get((event.agent, event.file), event.at) - event.at
            if back > BACK_S and back > (self._worst[0] if self._worst else 0.0):
                self._worst = back, event
            self._last[event.agent, event.file] = event.at
        if isinstance(event, LlmCall) and event.usage and event.latency_s:
            output = event.usage.output or 0
            rate = output / event.latency_s
            if output > _LEAST_TOKENS and rate > (self._fastest or (MOST_PER_S,))[0]:
                self._fastest = rate, event
        return iter(())

    def end(self) -> Iterator[Clue]:
        """Report impossible times."""
        if self._worst:
            back, event = self._worst
            yield self._context.clue(BACKWARDS, event, f"{back:,.0f} s before the previous line")
        if self._fastest:
            rate, event = self._fastest
            yield self._context.clue(FAST, event, f"{rate:,.0f} output tokens a second")
        yield from self._check_session()

    def _check_session(self) -> Iterator[Clue]:
        submission = self._context.submission
        began, ended = seconds(submission.started_at), seconds(submission.finished_at)
        if began is not None and ended is not None and ended < began:
            yield Clue(BACKWARDS, f"ends {began - ended:,.0f} s before its start")
        read = seconds(submission.created_at)
        if ended is not None and read is not None and ended > read + _DAY_S:
            yield Clue(BACKWARDS, f"ends at {submission.finished_at}, after the import")
        time = submission.time
        spent = time.llm_s or time.wall_s
        output = submission.usage.output or 0
        agents = 1 + (submission.subagents or 0)
        if spent and output > _LEAST_TOKENS and output / spent / agents > MOST_PER_S:
            evidence = f"{output:,} output tokens in {spent:,.1f} s"
            yield Clue(FAST, f"{evidence}: {output / spent:,.0f} a second")
