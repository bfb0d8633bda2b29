"""The records that stored sessions already count, as far as an import could count them again.

A stored answer may be incomplete: its log was read while the answer was streamed, and another log
has its last row. The import then counts what that row adds, so that the sum is the same in any
order of import.
"""

from array import array
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from benchmaker.arenas.agentic.logs.sources import known_by
from benchmaker.arenas.agentic.sessions.memory_tables import CountedAnswer
from benchmaker.arenas.agentic.sessions.session_intake import Intake
from benchmaker.arenas.agentic.sessions.stored_events import (
    KEYS,
    REQUESTS,
    answer_keys,
    requests_of,
    unpacked_keys,
)
from benchmaker.store import Store


@dataclass(slots=True)
class CountedBefore:
    """The ``keys`` of records that stored sessions count, and of the ``answers`` how much.

    ``owners`` gives the submission that counts the first record of a session, by its key.
    """

    keys: set[int] = field(default_factory=set)
    answers: dict[int, CountedAnswer] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)


def counted_before(store: Store | None, intake: Intake, ids: AbstractSet[str]) -> CountedBefore:
    """The usage that other stored sessions count; empty if no record of the import is among it.

    A copy of the same session, stored for another task or submitter, takes nothing from it.
    """
    found = CountedBefore()
    if store is None or not intake.reducer.seen.has_common_ids:
        return found
    sources = {reading.source for reading in intake.readings}
    sessions = {known_by(reading.session_id, reading.source) for reading in intake.readings}
    firsts = {key for it in intake.readings if (key := it.tally.first_key) is not None}
    answers: dict[str, array[int]] = {}
    for origin, chunk in store.trace_parts(KEYS):
        is_other = known_by(origin.session_id, origin.source_sha256) not in sessions
        if origin.id in ids:
            answers[origin.id] = answer_keys(chunk)
        elif origin.source_sha256 not in sources and is_other:
            answers[origin.id], keys = answer_keys(chunk), unpacked_keys(chunk)
            found.keys.update(keys[len(answers[origin.id]) :])
            found.owners.update(dict.fromkeys(firsts.intersection(keys), origin.id))
    own = {name: keys for name, keys in answers.items() if name in ids}
    others = {name: keys for name, keys in answers.items() if name not in ids}
    _add_answers(found.answers, store, others, intake.reducer.seen.requests.keys())
    _add_answers(found.answers, store, own, tuple(found.answers), is_own=True)
    return found


def _add_answers(
    found: dict[int, CountedAnswer],
    store: Store,
    keys: Mapping[str, "array[int]"],
    wanted: Collection[int],
    *,
    is_own: bool = False,
) -> None:
    """Add the wanted answers of stored submissions; several may count a part of one answer."""
    among = frozenset(wanted if any(keys.values()) else ())
    for name, of_session in keys.items():
        if among.isdisjoint(of_session):
            continue
        requests = requests_of(store.trace(name, REQUESTS))
        for key, request in zip(of_session, requests, strict=True):
            if key in among:
                known = found.get(key, CountedAnswer())
                found[key] = known.with_request(request, is_own=is_own)
