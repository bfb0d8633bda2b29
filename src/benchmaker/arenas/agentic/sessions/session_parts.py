"""Sessions in files that belong to a larger session.

A subagent, a continuation or a summary may have a file of its own, which the larger session reads,
too. Imported alone, such a file is a submission until the larger session is imported. The digests
of the files of each session are stored with its trace, so that this works from any folder.

A session whose log states no id is named for its file. A copy under another file name is the same
session, and keeps the name under which it was first imported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

from benchmaker.arenas.agentic.logs.digests import BEGINNING_BYTES
from benchmaker.arenas.agentic.logs.sources import beginning_hashes, is_unique, source_hash
from benchmaker.arenas.agentic.sessions.assembling import FROM_TOTAL, UNKNOWN_TOOL
from benchmaker.arenas.agentic.sessions.deduplication import UNIQUE_FROM
from benchmaker.arenas.agentic.sessions.scan import FoundSession, Scan
from benchmaker.arenas.agentic.sessions.session_intake import Intake, SessionReading
from benchmaker.arenas.agentic.sessions.stored_events import BEGINNINGS, FILES, THREADS
from benchmaker.record.submissions.submission import LOCAL, SourceFile, Submission
from benchmaker.store import Store

_DIGEST_BYTES = 32

Digests = frozenset[bytes]
"""The SHA-256 of each file of a session."""


def files_read_before(store: Store, found: Scan) -> list[Path]:
    """The files from which the found sessions, or larger ones with them, were read before.

    Without those found now.
    """
    named = (name for it in found.found for name in (it.ref.session, *it.ref.unread))
    sessions = sorted(set(filter(None, named)))
    files = {file.resolve() for it in found.found for file in it.ref.files}
    stored = chain(
        store.agentic.submissions_of_sessions(sessions), _whole_sessions(store, found.found)
    )
    sources = (it.path for one in stored for it in one.sources)
    paths = {Path(name) for name in sources if Path(name).is_absolute()}
    return sorted(path for path in paths if path not in files and _is_file(path))


def _is_file(path: Path) -> bool:
    """True if it is a readable file; False for one without access."""
    with suppress(OSError):
        return path.is_file()
    return False


def follow_moved_files(store: Store, read: Sequence[Submission]) -> None:
    """Store the paths of unchanged sessions whose files were moved since their first import.

    Other forms of these sessions are read together with the files, see :func:`files_read_before`.
    """
    by_id = {it.id: it.sources for it in read}
    for stored in store.agentic.submissions_of(list(by_id)):
        pairs = list(zip(stored.sources, by_id[stored.id], strict=False))
        sources = tuple(new if _was_moved(old, new) else old for old, new in pairs)
        if len(pairs) == len(stored.sources) and sources != stored.sources:
            store.agentic.put_sources(stored.id, sources)


def _was_moved(old: SourceFile, new: SourceFile) -> bool:
    """True if a file is gone from its place on this machine, and has the same content elsewhere."""
    are_local = Path(old.path).is_absolute() and Path(new.path).is_absolute()
    return are_local and old.sha256 == new.sha256 and not _is_file(Path(old.path))


def _whole_sessions(store: Store, found: Sequence[FoundSession]) -> Iterator[Submission]:
    """Yield the stored submissions of sessions that started the found ones, or have their files."""
    names = frozenset(digest for it in found for digest in _names(it))
    named = [
        origin.id
        for origin, chunk in (store.trace_parts(THREADS) if names else ())
        if names & _unpack_digests(chunk)
    ]
    yield from store.agentic.submissions_of(named)
    parents = sorted({it.ref.parent for it in found if it.ref.parent})
    yield from store.agentic.submissions_of_sessions(parents)


def _names(found: FoundSession) -> Iterator[bytes]:
    """The digests of the names under which another session may name this one, or its threads."""
    ref = found.ref
    if ref.part:
        return iter(())
    places = map(str, (ref.files[0], *ref.files[0].parents))
    return (
        _digest_of_name(it)
        for it in (ref.id, ref.parent, *ref.unread, *places)
        if len(it) >= UNIQUE_FROM
    )


def _digest_of_name(name: str) -> bytes:
    return sha256(name.encode("utf-8", "replace")).digest()


def packed_threads(reading: SessionReading) -> list[bytes]:
    """The digests of a session's threads as one chunk; none if it has none."""
    names = {it for it in reading.found.ref.threads if len(it) >= UNIQUE_FROM}
    return [b"".join(sorted(map(_digest_of_name, names)))] if names else []


def packed_files(reading: SessionReading) -> list[bytes]:
    """The digests of a session's files as one chunk; none if it shares its files with others."""
    return [b"".join(map(_digest, reading.sources))] if _has_own_files(reading) else []


def packed_beginnings(reading: SessionReading) -> list[bytes]:
    """The digests of a log's beginnings as one chunk, in their order; none for most logs."""
    return [b"".join(reading.beginnings)] if reading.beginnings else []


def _unpack_digests(chunk: bytes) -> Digests:
    """The digests of a stored chunk."""
    return frozenset(_pieces(chunk, _DIGEST_BYTES))


def _pieces(chunk: bytes, size: int) -> Iterator[bytes]:
    ends = range(size, len(chunk) + 1, size)
    return (chunk[end - size : end] for end in ends)


def _digest(source: SourceFile) -> bytes:
    return bytes.fromhex(source.sha256)


def _has_own_files(reading: SessionReading) -> bool:
    """True if all that is in the session's files is its own."""
    return not reading.found.ref.part and reading.row is None and reading.tally.given is None


def relate_to_stored(store: Store | None, intake: Intake, ids: Sequence[str]) -> frozenset[str]:
    """Find the readings that are parts of stored sessions, and the stored parts of the readings.

    A session with only some of the files of another is a part of it, and so is one that the other
    names as its thread, if the other was read with it or its log's totals contain it. Submitter and
    task have to be the same; a part may have no task. The results are in ``is_part_of_stored``,
    ``parts`` and ``unread_parts`` of the readings.

    Returns: the ids of all stored parts.
    """
    own = [
        _Own(reading, name, frozenset(map(_digest, reading.sources)))
        for reading, name in zip(intake.readings, ids, strict=True)
        if _has_own_files(reading)
    ]
    states = [
        _Own(reading, name)
        for reading, name in zip(intake.readings, ids, strict=True)
        if reading.beginnings
    ]
    _relate_facts(store, intake, own)
    if store is None or not (own or states):
        return frozenset()
    _relate_files(store, intake, own)
    for it in own:
        for stored in _stored_threads(store, it.reading):
            if _may_merge(intake, it, part=stored):
                is_read = stored.session_id in it.reading.tally.threads
                (it.reading.parts if is_read else it.reading.unread_parts).add(stored.id)
    _relate_names(store, intake, own)
    _relate_states(store, intake, states)
    _relate_older_states(store, intake, states)
    parts = frozenset(name for it in (*own, *states) for name in it.reading.parts)
    held = store.agentic.held_submissions(sorted(parts))
    for it in (*own, *states):
        it.reading.parts -= held
    return parts - held


@dataclass(frozen=True, slots=True)
class _Own:
    """A reading with its id and its files."""

    reading: SessionReading
    id: str
    files: Digests = field(default_factory=frozenset)


def _relate_facts(store: Store | None, intake: Intake, own: Sequence[_Own]) -> None:
    """Find readings of mere facts whose session is stored with its answers, or read with them."""
    facts = [it for it in own if _has_only_facts(it.reading)]
    read = {it.reading.session_id for it in own if it not in facts}
    for it in facts:
        name = it.reading.session_id
        stored = store.agentic.submissions_of_sessions([name]) if store else ()
        it.reading.is_part_of_stored |= name in read or any(
            one.llm_calls and _is_part_of(intake, it, one) for one in stored
        )


def _has_only_facts(reading: SessionReading) -> bool:
    """True if a file only has facts of the session that it names, whose answers are elsewhere."""
    return bool(reading.session_id) and reading.found.ref.parent == reading.session_id


def _relate_files(store: Store, intake: Intake, own: Sequence[_Own]) -> None:
    by_file: dict[bytes, set[int]] = {}
    for number, it in enumerate(own):
        for one in it.files:
            by_file.setdefault(one, set()).add(number)
    for origin, chunk in store.trace_parts(FILES):
        files = _unpack_digests(chunk)
        for number in {n for one in files for n in by_file.get(one, ())}:
            it = own[number]
            if files <= it.files and origin.id != it.id:
                stored, is_equal = store.submission(origin.id), files == it.files
                if _is_earlier(intake, it, stored, is_equal=is_equal):
                    it.reading.parts.add(origin.id)
            elif it.files < files and not _replaces_texts(intake, it, origin.id):
                stored = store.submission(origin.id)
                it.reading.is_part_of_stored |= _is_part_of(intake, it, stored)


def _relate_names(store: Store, intake: Intake, own: Sequence[_Own]) -> None:
    """Find readings whose tokens are in the totals of a stored session that names them."""
    names: dict[bytes, list[_Own]] = {}
    for it in own:
        if len(name := it.reading.found.ref.id) >= UNIQUE_FROM:
            names.setdefault(_digest_of_name(name), []).append(it)
    ids = {it.id for it in own}
    for origin, chunk in store.trace_parts(THREADS):
        named = [it for digest in _unpack_digests(chunk) for it in names.get(digest, ())]
        if not named or origin.id in ids:
            continue
        stored = store.submission(origin.id)
        for it in named:
            is_part = states_more(stored) and _is_part_of(intake, it, stored)
            it.reading.is_part_of_stored |= is_part


def _relate_states(store: Store, intake: Intake, states: Sequence[_Own]) -> None:
    """Find earlier states of the readings among the stored logs, and later ones.

    A log with the same messages as a stored one is a later state. One of several sessions in a
    file is a copy of it instead, since its file may have grown by other sessions.
    """
    known: dict[bytes, list[_Own]] = {}
    for it in states:
        for digest in it.reading.beginnings:
            known.setdefault(digest, []).append(it)
    for origin, chunk in store.trace_parts(BEGINNINGS) if known else ():
        stored = tuple(_pieces(chunk, BEGINNING_BYTES))
        for it in known.get(stored[-1], ()):
            is_equal = it.reading.beginnings[-1] == stored[-1]
            earlier = None if origin.id == it.id else store.submission(origin.id)
            if earlier and is_equal and _is_copied_part(intake, it, earlier):
                it.reading.is_part_of_stored = True
            elif earlier and _is_earlier(intake, it, earlier, is_equal=is_equal):
                it.reading.parts.add(origin.id)
        for it in _ending_in(stored[:-1], known):
            is_part = _is_part_of(intake, it, store.submission(origin.id))
            it.reading.is_part_of_stored |= is_part


def _relate_older_states(store: Store, intake: Intake, states: Sequence[_Own]) -> None:
    """Find earlier states of the readings that a version without digests of beginnings stored.

    They are found if the file still begins with all bytes of the stored one. A document that is
    written again as a whole does not.
    """
    by_tool: dict[str, dict[Path, list[_Own]]] = {}
    for it in states:
        files = by_tool.setdefault(_tool_of(it.reading), {})
        files.setdefault(it.reading.found.ref.files[0], []).append(it)
    for tool, files in by_tool.items():
        older = [it for it in _without_beginnings(store, tool) if it.sources]
        for path, own in files.items() if older else ():
            sizes = (one.sources[0].bytes for one in older)
            hashes = beginning_hashes(path, sizes, intake.options)
            begun = [it for it in older if hashes.get(it.sources[0].bytes) == it.sources[0].sha256]
            for it in own:
                it.reading.parts |= {one.id for one in begun if _is_older(intake, it, one)}


def _without_beginnings(store: Store, tool: str) -> list[Submission]:
    """The stored submissions of a tool without a unique session id and without digests."""
    sessions = store.agentic.session_ids_without_part(BEGINNINGS, harness=tool)
    return store.agentic.submissions_of([it for it in sessions if not is_unique(sessions[it])])


def _is_older(intake: Intake, own: _Own, stored: Submission) -> bool:
    """True if a reading replaces a stored submission from the beginning of its file."""
    ref = own.reading.found.ref
    is_same_part = stored.source_sha256 == source_hash(stored.sources, ref.part)
    is_same_reader = stored.importer == own.reading.found.importer.id
    is_equal = bool(ref.part) or stored.source_sha256 == own.reading.source
    is_own = is_same_part and is_same_reader
    return is_own and _is_earlier(intake, own, stored, is_equal=is_equal)


def _is_earlier(intake: Intake, own: _Own, stored: Submission, *, is_equal: bool) -> bool:
    """True if a reading replaces a stored submission; one of equal content only for its task."""
    has_same_task = stated_task_of(stored) == intake.stated_task(own.reading)
    return _may_merge(intake, own, part=stored) and (has_same_task or not is_equal)


def _is_copied_part(intake: Intake, own: _Own, stored: Submission) -> bool:
    """True if a reading of one of several sessions in a file adds nothing to its stored copy."""
    has_same_task = stated_task_of(stored) == intake.stated_task(own.reading)
    is_addition = intake.options.drop_content or not has_same_task
    return bool(own.reading.found.ref.part) and not is_addition and _is_part_of(intake, own, stored)


def _ending_in(
    beginnings: Sequence[bytes], known: Mapping[bytes, Sequence[_Own]]
) -> Iterator[_Own]:
    """The sessions whose last digest is among these."""
    for digest in beginnings:
        yield from (it for it in known.get(digest, ()) if it.reading.beginnings[-1] == digest)


def states_more(submission: Submission) -> bool:
    """True if the totals in a session's log differ from its answers': those of threads are in."""
    return submission.cost.method == FROM_TOTAL


def _replaces_texts(intake: Intake, own: _Own, stored: str) -> bool:
    """True if the import has to remove the texts of that submission."""
    return intake.options.drop_content and own.id == stored


def _stored_threads(store: Store, reading: SessionReading) -> Iterator[Submission]:
    """The stored submissions of the threads that a session started, by their unique ids."""
    names = {*filter(is_unique, reading.tally.threads)}
    names |= {it for it in reading.found.ref.threads if len(it) >= UNIQUE_FROM}
    found = store.agentic.submissions_of_sessions(sorted(names - {reading.session_id}))
    return (it for it in found if it.row_id is None)


def _may_merge(intake: Intake, own: _Own, *, part: Submission) -> bool:
    """True if a stored submission may become a part of a reading's."""
    task = stated_task_of(part)
    tasks = (None, intake.task_of(own.reading))
    return part.id != own.id and part.submitter == (intake.submitter or LOCAL) and task in tasks


def _is_part_of(intake: Intake, own: _Own, whole: Submission) -> bool:
    """True if a reading may be a part of a stored submission."""
    task = intake.stated_task(own.reading)
    tasks = (None, whole.task.id if whole.task else None)
    return whole.submitter == (intake.submitter or LOCAL) and task in tasks


def keep_stored_names(store: Store | None, intake: Intake) -> None:
    """Name copies of stored sessions as these, if only their file's name differs."""
    unnamed = [it for it in intake.readings if _is_named_by_its_file(intake, it)]
    if store is None or not unnamed:
        return
    by_content = {(it.found.importer.id, it.source): it for it in unnamed}
    stored: dict[tuple[str, str], list[Submission]] = {}
    for one in _with_the_content(store, unnamed):
        if (one.importer, one.source_sha256) in by_content and _is_copy(intake, one):
            stored.setdefault((one.importer, one.source_sha256), []).append(one)
    for key, copies in stored.items():
        if by_content[key].session_id not in {it.session_id for it in copies}:
            _rename(by_content[key], copies[0])


def stated_task_of(submission: Submission) -> str | None:
    """The task of a stored submission; None if only its file's name suggests one."""
    task = submission.task.id if submission.task else None
    return None if task == submission.session_id else task


def _is_named_by_its_file(intake: Intake, reading: SessionReading) -> bool:
    is_session = reading.row is None and reading.tally.given is None and not reading.found.ref.part
    return is_session and intake.stated_task(reading) is None


def _with_the_content(store: Store, readings: Iterable[SessionReading]) -> Iterator[Submission]:
    """The stored submissions of the same tool whose log has the content of one of these."""
    sources: dict[str, list[str]] = {}
    for it in readings:
        sources.setdefault(_tool_of(it), []).append(it.source)
    for tool, of_tool in sources.items():
        yield from store.agentic.submissions_with_content(of_tool, harness=tool)


def _tool_of(reading: SessionReading) -> str:
    return reading.tally.facts.get("harness") or UNKNOWN_TOOL


def _is_copy(intake: Intake, stored: Submission) -> bool:
    is_own = stored.submitter == (intake.submitter or LOCAL)
    return is_own and stored.row_id is None and stated_task_of(stored) is None


def _rename(reading: SessionReading, stored: Submission) -> None:
    task = stored.task.id if stored.task else None
    reading.found = FoundSession(replace(reading.found.ref, task_id=task), reading.found.importer)
    reading.tally.facts.stated["session_id"] = stored.session_id
