"""A table row with stated figures, and its events."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    Session,
    SessionEnd,
    SessionPart,
    Totals,
)


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A row with figures and facts, and nothing to count or price.

    ``figures`` are those of ``totals`` that are known, by name.
    """

    part: SessionPart
    session: Session
    moments: tuple[float, ...]
    totals: Totals
    figures: dict[str, Any]
    ended: SessionEnd | None

    def events(self) -> Iterator[Event]:
        """The same as the events of a session."""
        yield self.part
        yield self.session
        yield from (Activity(at=at) for at in self.moments)
        yield self.totals
        if self.ended is not None:
            yield self.ended

    @property
    def trace_events(self) -> tuple[Event, ...]:
        """The events that its trace keeps."""
        ended = () if self.ended is None else (self.ended,)
        return (self.session, self.totals, *ended)
