"""What a rule finds, and what it is told."""

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
    """One thing that is suspicious: its kind, and what shows it, with its place in the log."""

    kind: str
    evidence: str


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What the rules know beside the events: the submission, its figures, and its task.

    ``task`` is the task's file as plain data; empty where the task is not stored.
    """

    submission: Submission
    row: Metrics
    task: Mapping[str, Any]

    def place(self, event: Event) -> str:
        """Where the event stands, in words: ``session.jsonl:214``."""
        sources = self.submission.sources
        name = PurePath(sources[event.file].path).name if event.file < len(sources) else "log"
        return f"{name}:{event.line}" if event.line else name

    def clue(self, kind: str, event: Event, text: str) -> Clue:
        """A clue with its place."""
        return Clue(kind, f"{self.place(event)}: {excerpt(text)}")


class Rule(Protocol):
    """Looks at the events of one session as they pass."""

    def see(self, event: Event) -> Iterator[Clue]:
        """What is suspicious about this event."""

    def end(self) -> Iterator[Clue]:
        """What is suspicious about all of them."""


def excerpt(text: str) -> str:
    """The text on one line, not too long."""
    flat = " ".join(text[: _SHOWN * 4].split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
