"""Rows that are already stored: under the same identity, under another, or under an older id.

Before version 2 the importer of tables identified a row by the content of its file and by its id
or number in it. Such ids are computed again from the hashes of these files, which the store keeps.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from benchmaker.arenas.agentic.logs.options import Skipped
from benchmaker.arenas.agentic.logs.sources import submission_id
from benchmaker.arenas.agentic.sessions.assembling import UNKNOWN_TOOL
from benchmaker.arenas.agentic.sessions.session_intake import Intake, SessionReading
from benchmaker.record.submissions.submission import Cost, Submission
from benchmaker.store import Store
from benchmaker.store.agentic.row_ids import (
    Namesake,
)
from benchmaker.store.agentic.submission_listing import OWN_FORM

_LISTED: Final = 10


@dataclass(slots=True)
class KnownRows:
    """The older ids under which the read rows are stored.

    ``older`` has them by identity, in order of storage. They did not include the tool, and some
    denote a number in a file: those only count for a row of equal content.
    """

    older: dict[str, list[str]] = field(default_factory=dict)

    @property
    def ids(self) -> frozenset[str]:
        """All older ids."""
        return frozenset(one for names in self.older.values() for one in names)

    def names(
        self, reading: SessionReading, submission: Submission, store: Store | None
    ) -> list[str]:
        """The older ids under which this very row is stored, in the order of storing."""
        if store is None:
            return []
        is_same = _has_the_same_tool if _is_named(reading) else _says_the_same
        names = self.older.get(submission.id, ())
        return [it for it in names if is_same(store.submission(it), submission)]


def known_rows(store: Store | None, intake: Intake, ids: Iterable[str]) -> KnownRows:
    """Look up the older ids of rows; ``ids`` are those of all readings, in their order."""
    found = KnownRows()
    if store is None or intake.source:  # rows with older ids have no named source
        return found
    sources: dict[str, tuple[str, ...]] = {}
    names: dict[str, list[str]] = {}
    for reading, identity in zip(intake.readings, ids, strict=True):
        importer = reading.found.importer.id
        if reading.row is None:
            continue
        if importer not in sources:
            sources[importer] = store.agentic.older_sources(importer)
        for source in sources[importer]:
            names.setdefault(_older_id(intake, reading, source), []).append(identity)
    for name in store.agentic.sort_by_arrival(list(names)):
        for identity in names[name]:
            found.older.setdefault(identity, []).append(name)
    return found


def _older_id(intake: Intake, reading: SessionReading, source: str) -> str:
    return submission_id(
        reading.found.importer.id,
        session_id=reading.tally.facts.get("session_id") or "",
        source=source,
        part=reading.found.ref.part,
        task=intake.task_of(reading) or "",
        submitter=intake.submitter or "",
    )


def _is_named(reading: SessionReading) -> bool:
    """True if a row has its own id, not just a number in its file."""
    return reading.row is not None and reading.found.ref.part == reading.row.id


def _has_the_same_tool(known: Submission, row: Submission) -> bool:
    return known.system.harness == row.system.harness


def _says_the_same(known: Submission, row: Submission) -> bool:
    return _figures(known) == _figures(row)


def _figures(submission: Submission) -> Submission:
    """The part of a submission that the row itself determines."""
    return replace(
        submission,
        id="",
        created_at="",
        revision=1,
        row_id=None,
        source="",
        session_id="",
        importer_version="",
        source_sha256="",
        sources=(),
        provenance={},
        flags=(),
        cost=Cost(reported_usd=submission.cost.reported_usd),
        usage_by_model=(),
    )


def tables_without_rows(intake: Intake) -> Iterator[Skipped]:
    """A note on each table that has no rows, not even any that could not be read."""
    for reading in intake.readings:
        path = reading.found.ref.files[0]
        is_table = reading.found.importer.id == OWN_FORM
        if is_table and reading.is_untouched and not intake.skips.count_in(path):
            why = "the table has no rows; add one row for each submission"
            yield Skipped(path, 0, why, is_note=True)


def _tool(reading: SessionReading) -> str:
    return reading.tally.facts.get("harness") or UNKNOWN_TOOL


def _stored_namesakes(store: Store | None, intake: Intake) -> Iterator[Namesake]:
    if store is None:
        return
    row_ids = dict.fromkeys(it.row.id for it in intake.readings if it.row and it.row.id)
    yield from store.agentic.namesakes(list(row_ids))


def other_identities(store: Store | None, intake: Intake, ids: Iterable[str]) -> Iterator[Skipped]:
    """A note on each file with row ids that are stored with another task or tool."""
    by_id: dict[str, dict[str, str]] = {}
    for one in _stored_namesakes(store, intake):
        by_id.setdefault(one.row_id, {})[one.id] = one.place
    said: dict[Path, list[str]] = {}
    for reading, identity in zip(intake.readings, ids, strict=True):
        if reading.row is None or not reading.row.id:
            continue
        known = by_id.setdefault(reading.row.id, {})
        place = f"{intake.task_of(reading) or 'no task'}, {_tool(reading)}"
        others = [it for name, it in known.items() if name != identity and it != place]
        if identity not in known and others:
            path = reading.found.ref.files[0]
            said.setdefault(path, []).append(f"{reading.row.id} ({place}; before: {others[0]})")
        known[identity] = place
    for path, rows in said.items():
        which = _first_rows(rows)
        why = f"ids also used with another task or tool, kept as separate submissions: {which}"
        yield Skipped(path, 0, why, is_note=True)


def repeated_rows(intake: Intake, ids: Iterable[str]) -> Iterator[Skipped]:
    """A note on each file in which several rows are one submission."""
    places: dict[tuple[Path, str], list[tuple[int, int]]] = {}
    names: dict[tuple[Path, str], str] = {}
    for reading, identity in zip(intake.readings, ids, strict=True):
        if reading.row is not None:
            key = reading.found.ref.files[0], identity
            places.setdefault(key, []).append((reading.line, reading.row.number))
            names[key] = reading.row.id or "rows without an id and with the same content"
    said: dict[Path, list[str]] = {}
    for key, found in places.items():
        if len(found) > 1:
            said.setdefault(key[0], []).append(f"{names[key]} ({_row_positions(found)})")
    for path, rows in said.items():
        why = f"several rows of one submission, the last one counts: {_first_rows(rows)}"
        yield Skipped(path, 0, why, is_note=True)


def _row_positions(places: list[tuple[int, int]]) -> str:
    """The lines of rows; their numbers where a line holds several."""
    lines, numbers = zip(*places, strict=True)
    is_by_line = len(set(lines)) == len(lines)
    at = ", ".join(map(str, (lines if is_by_line else numbers)[:_LISTED]))
    return f"{'lines' if is_by_line else 'rows'} {at}"


def _first_rows(rows: list[str]) -> str:
    more = f" and {len(rows) - _LISTED:,} more" if len(rows) > _LISTED else ""
    return ", ".join(rows[:_LISTED]) + more
