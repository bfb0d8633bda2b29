"""Facts of a session from its events: facts, final figures, the end."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.events import Metric, Session, SessionEnd, Totals
from benchmaker.record.submissions.submission import Provenance, Status

_KEPT_ONCE = (
    "session_id",
    "harness",
    "harness_version",
    "model",
    "provider",
    "effort",
    "mode",
    "cwd",
    "parent_id",
    "task_id",
)
_EVENT = frozenset(("at", "agent", "line", "file", "run", "began", "counts"))
_TOTALS = tuple(name for name in Totals.__struct_fields__ if name not in _EVENT)


@dataclass(slots=True)
class Facts:
    """The facts of one session; of a fact stated twice the first counts."""

    stated: dict[str, str] = field(default_factory=dict)
    records: set[Metric] = field(default_factory=set)
    provenance: Provenance = Provenance.IMPORTED
    extra: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    ended: SessionEnd | None = None
    runs: dict[str, Totals] = field(default_factory=dict)
    """The figures of each run of the tool that states them, by its name."""

    def session(self, event: Session) -> None:
        """Merge its new facts."""
        for name in _KEPT_ONCE:
            value = getattr(event, name)
            if value and name not in self.stated:
                self.stated[name] = value
        self.records |= event.records
        self.extra |= event.extra
        if event.provenance is not Provenance.IMPORTED:
            self.provenance = event.provenance

    def total(self, event: Totals) -> None:
        """Merge its figures: they replace earlier ones, while those of several runs add up."""
        if event.run:
            self.runs[event.run] = event
            self.totals = _sum_totals(self.runs.values())
            return
        self.totals |= _figures(event)

    def end(self, event: SessionEnd) -> None:
        """Merge the end; gaps of a later one keep the earlier values."""
        self.ended = event if self.ended is None else _merge_ends(self.ended, event)

    def get(self, name: str) -> str | None:
        """A fact, None where the log doesn't state it."""
        return self.stated.get(name)


def _sum_totals(runs: Collection[Totals]) -> dict[str, Any]:
    """The sums over runs, without figures that one of them lacks."""
    first, *others = map(_figures, runs)
    return {
        name: reduce(add, (other[name] for other in others), value)
        for name, value in first.items()
        if all(name in other for other in others)
    }


def _figures(event: Totals) -> dict[str, Any]:
    """The figures that the event has, by name."""
    own = {name: value for name in _TOTALS if (value := getattr(event, name)) is not None}
    return own | event.counts


def _merge_ends(first: SessionEnd, later: SessionEnd) -> SessionEnd:
    stated = {
        name: value
        for name in later.__struct_fields__
        if (value := getattr(later, name)) not in (None, (), Status.UNKNOWN)
    }
    return msgspec.structs.replace(first, **stated)
