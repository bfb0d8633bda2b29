"""The paths of Claude Code's files, and their grouping.

``~/.claude/projects/<folder>/<session>.jsonl`` with ``<session>/subagents/agent-<id>.jsonl``;
before version 2.1 the agents' files are next to the session's.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Loose
from benchmaker.arenas.agentic.logs.opening import opened_log
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.errors import SpecError

_AGENT = "agent-"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BEGINNING = 64 * 2**10


class _First(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    stream_session_id: str | None = msgspec.field(default=None, name="session_id")


_FIRST = Loose(_First)


def agent_of(path: Path) -> str:
    """The subagent whose file it is; empty for a session's own file."""
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    return name.removeprefix(_AGENT) if name.startswith(_AGENT) else ""


def session_of(path: Path) -> str:
    """The session whose file it is: by the name, for an agent's file by folder or first row."""
    if not agent_of(path):
        return path.name.removesuffix(".gz").removesuffix(".jsonl")
    if path.parent.name == "subagents":
        return path.parent.parent.name
    return _session_in(path) or path.stem


def named_in(path: Path) -> str:
    """The session of a log: its name if that is an id, else that of the first row with one."""
    name = session_of(path)
    return name if _UUID.fullmatch(name) else _session_in(path) or ""


def printed_in(path: Path) -> str:
    """The session whose output a file holds; empty for any other file."""
    try:
        first = _read(path, path.stat().st_mtime_ns)
    except OSError:
        return ""
    return first.stream_session_id or ""


def agents_beside(path: Path) -> Iterator[Path]:
    """The files of the agents that this session started."""
    session = session_of(path)
    yield from sorted((path.parent / session / "subagents").glob(f"**/{_AGENT}*.jsonl"))
    yield from _agents_in(path.parent, path.parent.stat().st_mtime_ns).get(session, ())


@lru_cache(maxsize=1_000)
def _agents_in(folder: Path, _changed_ns: int) -> dict[str | None, list[Path]]:
    """The files of agents in a folder of sessions, by session."""
    found: dict[str | None, list[Path]] = {}
    for file in sorted(folder.glob(f"{_AGENT}*.jsonl")):
        found.setdefault(_session_in(file), []).append(file)
    return found


def _session_in(path: Path) -> str | None:
    """The session that the first row with one names."""
    try:
        return _read(path, path.stat().st_mtime_ns).session_id
    except OSError:
        return None


@lru_cache(maxsize=10_000)
def _read(path: Path, _changed_ns: int) -> _First:
    """The first row that names a session."""
    try:
        with opened_log(path, Options(skip=lambda _: None)) as stream:
            beginning = stream.read(_BEGINNING)
    except SpecError:
        return _First()
    for line in beginning.split(b"\n"):
        try:
            row, _ = _FIRST.decode(line)
        except DecodingError:
            continue
        if row.session_id or row.stream_session_id:
            return row
    return _First()
