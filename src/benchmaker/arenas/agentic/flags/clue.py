"""The findings of rules, and their input."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import Submission

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Clue:
    """One suspicious finding: its kind, and its evidence, with its place in the log."""

    kind: str
    evidence: str


@dataclass(frozen=True, slots=True)
class RuleContext:
    """The context of the rules besides events: the submission, its figures, and its task.

    ``task`` is the task's file as plain data; empty if the task is not stored.
    """

    submission: Submission
    row: Metrics
    task: Mapping[str, Any]

    def place(self, event: Event) -> str:
        """Return the place of the event, in words: ``session.jsonl:214``."""
        sources = self.submission.sources
        name = PurePath(sources[event.file].path).name if event.file < len(sources) else "log"
        return f"{name}:{event.line}" if event.line else name

    def clue(self, kind: str, event: Event, text: str) -> Clue:
        """A clue with its place."""
        return Clue(kind, f"{self.place(event)}: {excerpt(text)}")


class Rule(Protocol):
    """Looks at the events of one session as they pass."""

    def see(self, event: Event) -> Iterator[Clue]:
        """Yield suspicious findings about this event."""

    def end(self) -> Iterator[Clue]:
        """Yield suspicious findings about all events."""


def excerpt(text: str) -> str:
    """The text on one line, not too long."""
    flat = " ".join(text[: _SHOWN * 4].split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
