"""The owner of a rollout: its first row, and the threads it spawned."""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmaker.arenas.agentic.importers.codex_cli.rows import ROWS, Payload
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.opening import opened_log
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.errors import SpecError

_BEGINNING = 512 * 2**10
_FIRST_LINES = 50
_DAY = re.compile(r"\d{2}")
_UUID = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class Thread(NamedTuple):
    """The first row. ``parent`` is the thread that spawned it, ``origin`` the one it split from."""

    id: str
    started_at: float | None
    parent: str | None
    origin: str | None
    name: str | None

    @property
    def has_history(self) -> bool:
        """True if the file may begin with a copy of another thread's rows."""
        return self.parent is not None or self.origin is not None


def thread_of(meta: Payload) -> Thread:
    """The thread that a ``session_meta`` row describes."""
    return Thread(
        id=meta.id or "",
        started_at=uuid_time(meta.id) or seconds(meta.timestamp),
        parent=meta.parent_thread_id or _spawner(meta.source),
        origin=meta.forked_from_id,
        name=meta.agent_role or meta.agent_nickname,
    )


def uuid_time(uuid: str | None) -> float | None:
    """When a time-ordered UUID (version 7) was made; None for other ids."""
    found = _UUID.fullmatch(uuid or "")
    return int(found[1] + found[2], 16) / 1e3 if found else None


def first_thread(path: Path) -> Thread | None:
    """The thread of a file: by its first row, or, if that is lost, by the first that names one."""
    try:
        return _read_thread(path, path.stat().st_mtime_ns)
    except OSError:
        return None


def sent_out_by(path: Path) -> Iterator[Path]:
    """The files of the threads that this one sent out, and those that they sent out in turn.

    They are looked for in its folder and, where folders are days, in that of the next day.
    """
    thread = first_thread(path)
    waiting = [thread.id] if thread is not None and thread.id else []
    family = {path}
    while waiting:
        parent = waiting.pop(0)
        for folder in _folders(path):
            for child, file in _children(folder, folder.stat().st_mtime_ns).get(parent, ()):
                if file not in family:
                    family.add(file)
                    waiting.append(child)
                    yield file


@lru_cache(maxsize=1_000)
def _children(folder: Path, _changed_ns: int) -> dict[str, list[tuple[str, Path]]]:
    """The threads in a folder that were sent out, by who sent them."""
    found: dict[str, list[tuple[str, Path]]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        thread = first_thread(file)
        if thread is not None and thread.parent is not None:
            found.setdefault(thread.parent, []).append((thread.id, file))
    return found


@lru_cache(maxsize=100_000)
def _read_thread(path: Path, _changed_ns: int) -> Thread | None:
    try:
        with opened_log(path, Options(skip=lambda _: None)) as stream:
            return _named_in(iter(partial(stream.readline, _BEGINNING), b""))
    except SpecError:
        return None


def _named_in(lines: Iterator[bytes]) -> Thread | None:
    """The thread of the first row; where that is lost, the one that an early row names."""
    for number, line in enumerate(islice(lines, _FIRST_LINES)):
        try:
            row, _ = ROWS.decode(line)
        except DecodingError:
            continue
        payload = row.payload or Payload()
        if row.type == "session_meta" and not number:
            return thread_of(payload)
        if payload.thread_id:
            return thread_of(Payload(id=payload.thread_id))
    return None


def _folders(path: Path) -> Iterator[Path]:
    folder = path.parent
    yield folder
    if _DAY.fullmatch(folder.name):
        following = folder.parent / f"{int(folder.name) + 1:02d}"
        if following.is_dir():
            yield following


def _spawner(source: object) -> str | None:
    """Return the parent thread from rows that have it only inside ``source``."""
    for step in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(step) if isinstance(source, dict) else None
    return source if isinstance(source, str) else None
