"""Imports the new logs of all tools from the folders where the tools keep them.

A file that has not changed since the last import is not read again. The data folder keeps the size
and time of each file, by the store that its sessions went into.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.logs.tool_places import SUFFIXES, LogFolder, log_folders
from benchmaker.arenas.agentic.sessions.importing import Imported, take_in
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.scan import FoundSession, importers
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.spec.documents.files import Signature, signature, write_whole
from benchmaker.store.home import Home
from benchmaker.structs import resolve_type

FILE = "logs-seen.json"
"""The file in the data folder that lists the logs imported so far."""

_JOURNAL = "-wal"
"""The suffix of a database's write-ahead log, which changes before the database does."""

Signatures = dict[str, Signature]


class _Signatures(msgspec.Struct):
    """The signatures of all files at their last import, by the digest of the store's address."""

    stores: dict[str, Signatures] = {}


def collect(
    environ: Mapping[str, str],
    *,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Imported:
    """Import new and extended sessions from every folder in which tools keep logs.

    Args:
        environ: the environment variables, some of which move these folders.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Raises:
        StoreError: the store is unusable.
    """
    place = Home.of(home, store)
    folders = log_folders(environ)
    now = {str(path): seen for folder in folders for path, seen in _files(folder.path)}
    known = _read(place.home)
    name = sha256(str(place.address).encode()).hexdigest()[:16]
    before = known.stores.get(name, {}) if place.is_there() else {}
    changed = {path for path, seen in now.items() if before.get(path) != seen}
    if not changed:
        return Imported()
    taken = _take(place, _units(folders, changed), changed, clock)
    known.stores[name] = now
    _write(place.home, known)
    return taken


def _take(
    place: Home, units: Sequence[Path], changed: set[str], clock: Callable[[], float]
) -> Imported:
    skips = Skips()
    fresh = {name.removesuffix(_JOURNAL) for name in changed}

    def is_new(found: FoundSession) -> bool:
        return any(str(path) in fresh for path in found.ref.files)

    return take_in(
        units,
        place.open_store(),
        readers=importers(),
        options=Options(skip=skips),
        skips=skips,
        pricer=lambda: Pricer(Prices(place.home), now=clock()),
        earlier_files=True,
        wanted=is_new,
        clock=clock,
    )


def _units(folders: Sequence[LogFolder], changed: set[str]) -> list[Path]:
    """The folders with changes, each of which is imported as a whole."""
    found: dict[Path, None] = {}
    for name in sorted(changed):
        path = Path(name)
        folder = next(it for it in folders if path.is_relative_to(it.path.resolve()))
        root = folder.path.resolve()
        below = path.relative_to(root).parts[:-1][: folder.depth]
        found[root.joinpath(*below)] = None
    return list(found)


def _files(root: Path) -> Iterator[tuple[Path, Signature]]:
    """The logs below a folder with their signatures; links are not followed.

    Empty files are skipped, such as the journal that opening a database creates.
    """
    for folder, _, names in os.walk(root.resolve()):
        for name in names:
            path = Path(folder, name)
            if name.removesuffix(".gz").endswith(SUFFIXES) and not path.is_symlink():
                with suppress(SpecError):
                    if (seen := _stamp(path)).size:
                        yield path, seen


def _stamp(path: Path) -> Signature:
    """The file's signature; a journal's without ``changed_ns``, since SQLite resets its owner."""
    seen = signature(path)
    return seen._replace(changed_ns=0) if path.name.endswith(_JOURNAL) else seen


def _read(home: Path) -> _Signatures:
    """The signatures of the last import; none where the file can't be read."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((home / FILE).read_bytes(), type=resolve_type(_Signatures))
    return _Signatures()


def _write(home: Path, seen: _Signatures) -> None:
    """Write the signatures; where the folder is read-only, the next import takes longer."""
    with suppress(OSError):
        write_whole(home / FILE, msgspec.json.encode(seen))
