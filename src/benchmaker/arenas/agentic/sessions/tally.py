"""One session while it is read: counted records are shared, the rest is kept here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.durations import EventTimes
from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Event,
    FileChange,
    Interruption,
    LlmCall,
    Occurrence,
    Session,
    SessionEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
    WholeSubmission,
)
from benchmaker.arenas.agentic.logs.usage_checks import drop_implausible
from benchmaker.arenas.agentic.sessions.deduplication import SeenRecords
from benchmaker.arenas.agentic.sessions.facts import Facts
from benchmaker.record.submissions.metrics import FIGURES_REFUSED
from benchmaker.record.submissions.submission import CountName, Submission


@dataclass(slots=True)
class Tally:
    """The session of that number; events are added in the order of its log."""

    number: int
    seen: SeenRecords
    facts: Facts = field(default_factory=Facts)
    moments: EventTimes = field(default_factory=EventTimes)
    agents: set[str] = field(default_factory=set)
    threads: set[str] = field(default_factory=set)
    """The agents with events of their own."""
    flags: set[str] = field(default_factory=set)
    turns: int = 0
    identified: int = 0
    """Rows of answers and calls that have an id."""
    first_key: int | None = None
    """The key of the first of these."""
    given: Submission | None = None
    """The whole submission, if the file holds one."""
    _is_answered: bool = False

    def add(self, event: Event) -> None:
        """Count an event."""
        if event.at is not None:
            self.moments.add(event.at, (event.file, event.agent))
        if event.agent:
            self.agents.add(event.agent)
            self.threads.add(event.agent)
        take = _TAKERS.get(type(event))
        if take is not None:
            take(self, event)

    def end(self) -> None:
        """Finish the session."""
        self._close_turn()

    def _close_turn(self) -> None:
        self.turns += self._is_answered
        self._is_answered = False

    def _session(self, event: Session) -> None:
        self.facts.session(event)

    def _llm_call(self, event: LlmCall) -> None:
        call = self._drop_implausible(event)
        key = self.seen.key("request", event.id, self.number)
        self.seen.requests.note(key, call, self.number)
        if event.id is not None:
            self._identify(key)
        self._is_answered |= not event.agent

    def _drop_implausible(self, event: LlmCall) -> LlmCall:
        usage = None if event.usage is None else drop_implausible(event.usage)
        if usage is event.usage:
            return event
        self.flags.add(FIGURES_REFUSED)
        return msgspec.structs.replace(event, usage=usage)

    def _tool_call(self, event: ToolCall) -> None:
        key = self.seen.key("call", event.id, self.number)
        self.seen.calls.note(key, event, self.number)
        self._identify(key)

    def _identify(self, key: int) -> None:
        self.identified += 1
        if self.first_key is None:
            self.first_key = key

    def _tool_result(self, event: ToolResult) -> None:
        if event.is_error:
            key = self.seen.key("call", event.call_id, self.number)
            self.seen.errors.note(key, session=self.number, is_main=not event.agent)

    def _user_turn(self, event: UserTurn) -> None:
        if event.agent:
            return
        self._close_turn()
        key = self.seen.key("turn", event.id, self.number)
        self.seen.counted["iterations"].note(key, session=self.number, is_main=True)

    def _compaction(self, event: Compaction) -> None:
        self._count("compactions", "compaction", event)

    def _interruption(self, event: Interruption) -> None:
        self._count("interruptions", "interruption", event)

    def _occurrence(self, event: Occurrence) -> None:
        self._count(event.figure, event.figure, event)

    def _count(
        self, figure: CountName, kind: str, event: Compaction | Interruption | Occurrence
    ) -> None:
        key = self.seen.key(kind, event.id, self.number)
        self.seen.counted[figure].note(key, session=self.number, is_main=not event.agent)

    def _subagent_start(self, event: SubagentStart) -> None:
        self.agents.add(event.id)

    def _file_change(self, event: FileChange) -> None:
        key = self.seen.key(f"change {event.path}", event.call_id, self.number)
        self.seen.changes.note(key, event, self.number)

    def _totals(self, event: Totals) -> None:
        usage = None if event.usage is None else drop_implausible(event.usage)
        if usage is not event.usage:
            self.flags.add(FIGURES_REFUSED)
        self.facts.total(msgspec.structs.replace(event, usage=usage))

    def _take_submission(self, event: WholeSubmission) -> None:
        self.given = event.submission

    def _take_end(self, event: SessionEnd) -> None:
        self.facts.end(event)


# Any: each taker has the event of its own kind.
_TAKERS: dict[type, Callable[[Tally, Any], None]] = {
    Session: Tally._session,  # noqa: SLF001  the class's own
    LlmCall: Tally._llm_call,  # noqa: SLF001
    ToolCall: Tally._tool_call,  # noqa: SLF001
    ToolResult: Tally._tool_result,  # noqa: SLF001
    UserTurn: Tally._user_turn,  # noqa: SLF001
    Compaction: Tally._compaction,  # noqa: SLF001
    Interruption: Tally._interruption,  # noqa: SLF001
    Occurrence: Tally._occurrence,  # noqa: SLF001
    SubagentStart: Tally._subagent_start,  # noqa: SLF001
    FileChange: Tally._file_change,  # noqa: SLF001
    Totals: Tally._totals,  # noqa: SLF001
    WholeSubmission: Tally._take_submission,  # noqa: SLF001
    SessionEnd: Tally._take_end,  # noqa: SLF001
}
