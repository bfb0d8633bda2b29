"""Deduplication by id, over the lines, files and sessions of an import.

Logs repeat records. Streamed answers are written line by line under one message id; subagents and
resumed sessions begin with a copy of their parent's history. A record with an id counts once, for
the first session that has it; of several rows of one answer the largest counts.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from typing import Any, Final

from benchmaker.arenas.agentic.sessions.memory_tables import (
    Calls,
    Changes,
    CountedAnswer,
    KeyedTable,
    Origins,
    Requests,
)
from benchmaker.record.submissions.submission import COUNTED_ROWS

_ALONE: Final = frozenset({"UserTurn", "Compaction", "Interruption", "Occurrence"})
COUNTED_ALONE: Final = tuple(name for name, row in COUNTED_ROWS.items() if row.event in _ALONE)
"""The figures that count events of which nothing else is kept."""

UNIQUE_FROM = 16
"""Minimum length of a globally unique id; shorter ones (``call_1``) are unique per session only."""
_ALL = 2**64 - 1


@dataclass(slots=True)
class SeenRecords:
    """The records seen, by the digest of their ids; shared by one import.

    It takes about 0.1 kB per model answer with its tool call, and stores no texts except names and
    paths, each only once.
    """

    requests: Requests = field(default_factory=Requests)
    calls: Calls = field(default_factory=Calls)
    errors: Origins = field(default_factory=Origins)
    counted: dict[str, Origins] = field(
        default_factory=lambda: {name: Origins() for name in COUNTED_ALONE}
    )
    """The origins of events that are only counted, by figure."""
    changes: Changes = field(default_factory=Changes)
    _anonymous: "count[int]" = field(default_factory=lambda: count(1))

    def key(self, kind: str, given: str | None, session: int) -> int:
        """Return the digest of an id in 64 bits, odd if the id is globally unique.

        A record without an id gets its own key.
        """
        if not given:
            return -2 * next(self._anonymous) & _ALL
        if len(given) >= UNIQUE_FROM:
            return _digest(kind, given) | 1
        return _digest(f"{kind} {session}", given) & ~1

    def forget(self, keys: AbstractSet[int], answers: Mapping[int, CountedAnswer]) -> None:
        """Remove records counted elsewhere; of larger answers only the counted part."""
        for known in self.tables if keys else ():
            known.forget(keys)
        self.requests.deduct(answers)

    @property
    def has_common_ids(self) -> bool:
        """True if any record has an id that others may share."""
        keys = (table.key(row) for table in self.tables for row in table.rows())
        return any(means_the_same_everywhere(key) for key in keys)

    # Any: the rows of each are of a kind of their own.
    @property
    def tables(self) -> tuple[KeyedTable[Any], ...]:
        """All tables of records with a session, by kind."""
        return (
            self.requests,
            self.calls,
            self.errors,
            *self.counted.values(),
            self.changes,
        )


def means_the_same_everywhere(key: int) -> bool:
    """True if a key is of an id that is unique beyond its session."""
    return key & 1 == 1


def failed_in_other_session(key: int) -> int:
    """Return the marker key of a session whose call of that key failed in another one."""
    return _digest("failed elsewhere", str(key)) | 1


def _digest(kind: str, given: str) -> int:
    raw = f"{kind}\0{given}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(raw, digest_size=8).digest())
