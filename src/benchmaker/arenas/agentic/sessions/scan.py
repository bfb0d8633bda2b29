"""Finding logs: which files are whose logs, and which sessions they contain."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmaker import plugins
from benchmaker.arenas.agentic.importers.base import (
    FileHead,
    HeaderImporter,
    Importer,
    SessionRef,
    ThreadImporter,
)
from benchmaker.arenas.agentic.importers.rows.fields import TELLING
from benchmaker.arenas.agentic.importers.rows.shapes import columns_in
from benchmaker.arenas.agentic.importers.sniffing import BLANK, head_of
from benchmaker.arenas.agentic.logs.opening import reason
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.sessions.deduplication import UNIQUE_FROM
from benchmaker.arenas.agentic.sessions.forms import JoinedImporter, Member, join_members
from benchmaker.errors import SpecError, TranscriptError
from benchmaker.spec.documents.files import SAVE_AS_UTF8, wide_encoding
from benchmaker.spec.documents.foreign_files import recognise_format

_TEXT = 64
_SHOWN = 300
MOST_FILES = 1_000_000
_COLUMN = re.compile(r"[\w .%()/-]+")
"""A name that a column may have, and not a part of some text."""

_ZIP, _ZIP_FORMATS = b"PK\x03\x04", frozenset({".eval", ".xlsx"})
_FIRST_PARTS = re.compile(rb"_journal/|samples/[^/]*_epoch_|header\.json")
"""The first names in an Inspect log, which may have any file name; they begin at byte 30."""

_TAR, _TAR_AT = b"ustar", 257
_EMPTY = re.compile(rb"\[\s*\]|\{\s*\}")
_PASSED_OVER = frozenset({".git", ".hg", ".venv", "node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session and its importer."""

    ref: SessionRef
    importer: Importer


@dataclass(slots=True)
class Scan:
    """The sessions at some paths, in the order of their files.

    No importer recognises the ``unknown`` files, and no session includes them. ``repeats`` are
    contained in another file of their session, byte by byte.
    """

    found: list[FoundSession] = field(default_factory=list)
    repeats: list[Path] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)


def importers(only: str | None = None) -> tuple[Importer, ...]:
    """Return every available importer, or only the one with that id.

    Raises:
        SpecError: unknown id.
        PluginError: it cannot be loaded.
    """
    if only is not None:
        made: Importer = plugins.load("importer", only)()
        return (made,)
    listed = (it for it in plugins.list_plugins("importer") if it.error is None)
    return tuple(plugins.load("importer", it.id)() for it in listed)


def scan(
    paths: Sequence[Path],
    options: Options,
    *,
    readers: Sequence[Importer],
    keep_going: bool = False,
) -> Scan:
    """Find the sessions in files and below folders.

    Folders are walked without following links out of them. A file that belongs to another's session
    is not listed separately. In a folder, unrecognised files are skipped; a single reader accepts
    any named file. An unreadable path is reported as skipped if there are several, or to
    ``keep_going``.

    Raises:
        TranscriptError: the only path does not exist, or is an unrecognised file; a folder has too
            many files.
    """
    result = Scan()
    for path in paths:
        if path.is_dir():
            root = path.resolve()
            for file in _files(root, options):
                _look(file, root, result, options, readers)
        elif keep_going or len(paths) > 1:
            _look_or_skip(path, result, options, readers)
        else:
            _look_at_one(path, result, options, readers)
    result.unknown = list(_never_read(result))
    joined = _join_sessions(_without_members(result.found), result.repeats)
    result.found = _join_threads(joined)
    return result


def _look_or_skip(path: Path, result: Scan, options: Options, readers: Sequence[Importer]) -> None:
    try:
        _look_at_one(path, result, options, readers)
    except TranscriptError as exc:
        options.skip(Skipped(path, 0, exc.message))


def _look_at_one(path: Path, result: Scan, options: Options, readers: Sequence[Importer]) -> None:
    try:
        head = head_of(path)
    except SpecError as exc:
        raise TranscriptError(reason(exc), file=str(path)) from exc
    is_chosen = len(readers) == 1 and not _archive_reason(head)
    reader = readers[0] if is_chosen else best_importer(head, readers)
    if reader is None:
        raise TranscriptError(_unrecognised_reason(head, readers), file=str(path))
    _take(reader, path.resolve(), path.resolve().parent, result, options)


_TOP_KEY = re.compile(rb"^([A-Za-z_]+):", re.MULTILINE)
"""The keys at the top of a YAML file."""


_EVALS_ENTRY = re.compile(rb"^\s+class:\s*[\"']?evals\.", re.MULTILINE)
"""The class of an entry in the registry of OpenAI evals."""


_GOLDENS = (re.compile(rb'"input"\s*:'), re.compile(rb'"expected_?[oO]utput"\s*:'))
"""The question and the key of a golden."""


def _unrecognised_reason(head: FileHead, readers: Sequence[Importer]) -> str:
    if known := _archive_reason(head) or _later_part_reason(head, readers):
        return known
    text = head.start.strip(BLANK)
    if not text or _EMPTY.fullmatch(text):
        return "the file is empty"
    if encoding := _foreign_encoding(head.start):
        return f"the file is {encoding}. {SAVE_AS_UTF8}"
    if foreign := _foreign_reason(head.start):
        return foreign
    names = columns_in(head.start)
    if not names or not all(map(_COLUMN.fullmatch, names)):
        return "unrecognised log format. List the importers with: benchmaker plugins"
    return (
        f"unrecognised log format. Columns in this file: {', '.join(names)[:_SHOWN]}. "
        f"A table needs at least two of these columns: {', '.join(sorted(TELLING))}"
    )


def _foreign_reason(start: bytes) -> str:
    """What a file of another tool is, and what to do with it; empty for any other file."""
    if _EVALS_ENTRY.search(start):
        return (
            "entries of the OpenAI evals registry, not results. Write a suite of them with: "
            "benchmaker convert FILE"
        )
    if all(name.search(start) for name in _GOLDENS):
        return (
            "goldens of DeepEval, not results. Write a suite of them with: benchmaker convert FILE"
        )
    keys = (key.decode() for key in _TOP_KEY.findall(start))
    foreign = recognise_format(dict.fromkeys(keys))
    return f"{foreign.kind}, not a log of an agent. {foreign.hint}" if foreign else ""


def why_unreadable(path: Path) -> str:
    """Return why a file holds nothing to read: it is missing, empty, an archive or no UTF-8.

    Empty for any other file.
    """
    try:
        head = head_of(path)
    except SpecError as exc:
        return reason(exc)
    if not head.start.strip(BLANK):
        return "the file is empty"
    encoding = _foreign_encoding(head.start)
    return _archive_reason(head) or (f"the file is {encoding}. {SAVE_AS_UTF8}" if encoding else "")


def _archive_reason(head: FileHead) -> str:
    """Why an archive of files is not read; empty for any other file."""
    is_format = head.path.suffix.lower() in _ZIP_FORMATS or _FIRST_PARTS.match(head.start[30:])
    is_zip = head.start.startswith(_ZIP) and not is_format
    is_tar = head.start[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR
    kind = "ZIP" if is_zip else "tar" if is_tar else ""
    return f"the file is a {kind} archive. Unpack it, and import the folder" if kind else ""


def _foreign_encoding(start: bytes) -> str:
    """The encoding of a text that is not read; empty where it is one that is, or no text."""
    is_text = 2 * start[:_TEXT].count(b"\0") >= len(start[:_TEXT]) - 1
    return wide_encoding(start) if is_text else ""


def _look(
    path: Path, root: Path, result: Scan, options: Options, readers: Sequence[Importer]
) -> None:
    try:
        head = head_of(path)
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
        return
    reader = best_importer(head, readers)
    if reader is not None:
        _take(reader, path, root, result, options)
    elif known := _archive_reason(head) or _later_part_reason(head, readers):
        options.skip(Skipped(path, 0, known))
    else:
        result.unknown.append(path)


def _later_part_reason(head: FileHead, readers: Sequence[Importer]) -> str:
    """Why a log without its first row is not read; empty for any other file."""
    for reader in readers:
        if isinstance(reader, HeaderImporter) and _is_later_part(reader, head):
            return (
                f"rows of {reader.title} without the first row, which names the session. "
                "Append them to the file with that row"
            )
    return ""


def _is_later_part(reader: HeaderImporter, head: FileHead) -> bool:
    with suppress(Exception):  # a foreign importer must not stop the others
        return reader.is_later_part(head)
    return False


def _never_read(result: Scan) -> Iterator[Path]:
    """The unrecognised files that do not belong to a session, or to a database that was read."""
    read = {file.resolve() for it in result.found for file in it.ref.files}
    for path in result.unknown:
        own = path.with_name(path.name.removesuffix("-wal").removesuffix("-shm"))
        if read.isdisjoint((path.resolve(), own.resolve())):
            yield path


def best_importer(head: FileHead, readers: Sequence[Importer]) -> Importer | None:
    """The importer that is surest of a file; of two equally sure the first by id.

    None for an archive of files, unless an importer reads its format by definition.
    """
    if _archive_reason(head):
        return None
    sure = [(_sniff_safely(reader, head), reader) for reader in readers]
    top = max((score for score, _ in sure), default=0.0)
    return next((reader for score, reader in sure if score == top), None) if top > 0 else None


def _sniff_safely(reader: Importer, head: FileHead) -> float:
    try:
        return reader.sniff(head)
    except Exception:  # noqa: BLE001  a foreign importer must not stop the others
        return 0.0


def _take(reader: Importer, path: Path, root: Path, result: Scan, options: Options) -> None:
    try:
        refs = list(reader.scan(path))
    except Exception as exc:  # noqa: BLE001  a foreign importer may raise anything
        options.skip(Skipped(path, 0, f"{reader.id} can't list it: {type(exc).__name__}: {exc}"))
        return
    if not refs:
        options.skip(Skipped(path, 0, f"{reader.id} finds no session in it; it may be cut off"))
    for ref in refs:
        outside = [file for file in ref.files if not file.resolve().is_relative_to(root)]
        for file in outside:
            options.skip(Skipped(file, 0, "outside the imported folder"))
        if not outside:
            result.found.append(FoundSession(ref, reader))


def _without_members(found: list[FoundSession]) -> list[FoundSession]:
    """Without the sessions whose first file is another's further file, by path and part."""
    own = {(it.ref.files[0].resolve(), it.ref.part, it.importer.id): it for it in _main_ones(found)}
    return [own[key] for key in sorted(own, key=str)]


def _main_ones(found: list[FoundSession]) -> list[FoundSession]:
    """Those whose first file is no further file of another, in the same order."""
    members = {file.resolve() for it in found for file in it.ref.files[1:]}
    return [it for it in found if it.ref.files[0].resolve() not in members]


def add_earlier(
    result: Scan, paths: Iterable[Path], options: Options, readers: Sequence[Importer]
) -> None:
    """Add only the parts of these files that belong to the found sessions, or contain them."""
    others = Scan()
    for path in paths:
        with suppress(TranscriptError):
            _look_at_one(path, others, options, readers)
    names = {_session(it) for it in result.found if it.ref.session}
    files = {file.resolve() for it in result.found for file in it.ref.files}
    threads = _related_threads(result.found, others.found)
    more = [
        it
        for it in others.found
        if (it.ref.session and _session(it) in names)
        or files & {*map(Path.resolve, it.ref.files)}
        or _thread(it) in threads
    ]
    if more:
        members = _main_ones([*_split_members(result.found), *more])
        result.found = _join_threads(_join_sessions(members, []))


_Thread = tuple[str, str]
"""A thread: its importer and its id."""


def _thread(found: FoundSession) -> _Thread:
    return found.importer.id, found.ref.id


def _unread(found: FoundSession) -> Iterator[_Thread]:
    """The threads of a session whose files are not among its own."""
    if isinstance(found.importer, ThreadImporter):
        unique = (it for it in found.ref.unread if len(it) >= UNIQUE_FROM)
        yield from ((found.importer.id, it) for it in unique)


def _related_threads(found: list[FoundSession], others: list[FoundSession]) -> set[_Thread]:
    """The threads among others that belong to found sessions, or to which these belong."""
    related: set[_Thread] = set()
    names = {it for one in found for it in (_thread(one), *_unread(one))}
    while True:
        more = [it for it in others if _thread(it) in names or not names.isdisjoint(_unread(it))]
        new = {_thread(it) for it in more} - related
        if not new:
            return related
        related |= new
        names |= {it for one in more for it in (_thread(one), *_unread(one))}


def _join_threads(found: list[FoundSession]) -> list[FoundSession]:
    """Join the sessions that others name by id to these."""
    wanted = {name for it in found for name in _unread(it)}
    threads: dict[_Thread, list[FoundSession]] = {}
    for it in found:
        if _thread(it) in wanted:
            threads.setdefault(_thread(it), []).append(it)
    joined = {id(it): _with_threads(it, threads) for it in found if _thread(it) not in threads}
    read = {name for _, names in joined.values() for name in names}
    return [
        joined[id(it)][0] if id(it) in joined else it
        for it in found
        if id(it) in joined or _thread(it) not in read
    ]


def _with_threads(
    found: FoundSession, threads: dict[_Thread, list[FoundSession]]
) -> tuple[FoundSession, set[_Thread]]:
    """A session with the files of its threads, and of theirs; and the names of all these."""
    read: set[_Thread] = set()
    while missing := next((it for it in _unread(found) if it in threads and it not in read), None):
        read.add(missing)
        thread = _nearest(found, threads[missing])
        if isinstance(found.importer, ThreadImporter):
            ref = found.importer.with_thread(found.ref, thread.ref)
            found = FoundSession(ref, found.importer)
    return found, read


def _nearest(found: FoundSession, threads: list[FoundSession]) -> FoundSession:
    """The first in the folder of a session, else the first."""
    folder = found.ref.files[0].parent
    return next((it for it in threads if it.ref.files[0].parent == folder), threads[0])


def _session(found: FoundSession) -> tuple[str, str]:
    return found.ref.importer, found.ref.session


def _split_members(found: list[FoundSession]) -> Iterator[FoundSession]:
    """The members of each session separately again."""
    for it in found:
        if isinstance(it.importer, JoinedImporter):
            yield from (FoundSession(member.ref, member.importer) for member in it.importer.members)
        else:
            yield it


def _join_sessions(found: list[FoundSession], repeats: list[Path]) -> list[FoundSession]:
    """Join all that belongs to one session, at the position of its first part."""
    groups: dict[object, list[FoundSession]] = {}
    for it in found:
        name = _session(it) if it.ref.session else id(it)
        groups.setdefault(name, []).append(it)
    return [_as_one(group, repeats) for group in groups.values()]


def _as_one(group: list[FoundSession], repeats: list[Path]) -> FoundSession:
    """Join a group, without members that another one contains byte by byte."""
    members: list[tuple[Member, FoundSession]] = []
    for it in group:
        new = Member(it.ref, it.importer)
        if any(new.is_within(other) for other, _ in members):
            repeats.append(it.ref.files[0])
            continue
        older = [one for one in members if one[0].is_within(new)]
        repeats += [found.ref.files[0] for _, found in older]
        members = [*(one for one in members if one not in older), (new, it)]
    first, found = members[0]
    if len(members) == 1 and first.importer.id == first.ref.importer:
        return found
    return FoundSession(*join_members([member for member, _ in members]))


def _files(root: Path, options: Options) -> Iterator[Path]:
    """Yield the regular files below a folder by path; report links outside, skip others."""
    count = 0
    for folder, folders, names in os.walk(root, onerror=partial(_tell, options)):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        for name in sorted((*folders, *names)):
            path = Path(folder, name)
            if path.is_symlink():
                if not _stays(path, root):
                    options.skip(Skipped(path, 0, "link out of the folder, not followed"))
            elif path.is_file():
                count += 1
                if count > MOST_FILES:
                    raise TranscriptError(f"more than {MOST_FILES:,} files", file=str(root))
                yield path


def _stays(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _tell(options: Options, error: OSError) -> None:
    path = Path(error.filename or ".")
    options.skip(Skipped(path, 0, error.strerror or "unreadable folder"))
