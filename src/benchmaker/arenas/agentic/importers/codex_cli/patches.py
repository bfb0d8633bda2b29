"""The files that a patch in Codex's own format changes."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from benchmaker.arenas.agentic.importers.codex_cli.rows import Change

_BEGIN = "*** Begin Patch"
_HEADER = re.compile(r"\*\*\* (Add File|Update File|Delete File|Move to): (.+)")
_END = "*** End Patch"

Kind = Literal["created", "modified", "deleted"]
_KINDS: dict[str, Kind] = {
    "Add File": "created",
    "Update File": "modified",
    "Delete File": "deleted",
}
_TYPES: dict[str, Kind] = {"add": "created", "delete": "deleted"}


class Patched(NamedTuple):
    """One file, with lines added and removed where they are known."""

    path: str
    change: Kind
    added: int | None
    removed: int | None


def patch_in(arguments: bytes) -> str:
    """Return the patch in a call's arguments: a text, possibly nested JSON, of any shape."""
    if _BEGIN.encode() not in arguments:
        return ""
    try:
        return _text(msgspec.json.decode(arguments))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def _text(value: object) -> str:
    """The first text in it that holds a patch."""
    if isinstance(value, str):
        if value.lstrip().startswith(("{", "[")) and _BEGIN in value:
            return _text(msgspec.json.decode(value))
        return value if _BEGIN in value else ""
    if isinstance(value, dict):
        value = list(value.values())
    parts = value if isinstance(value, list) else []
    return next((text for part in parts if (text := _text(part))), "")


def patched_files(text: str) -> Iterator[Patched]:
    """Yield the files in a patch, possibly inside a shell command."""
    if _BEGIN not in text:
        return
    kind, path, added, removed = "", "", 0, 0
    for line in text.split(_BEGIN, 1)[1].split(_END, 1)[0].splitlines():
        header = _HEADER.match(line)
        if header is None:
            added += line.startswith("+")
            removed += line.startswith("-")
        elif header[1] == "Move to":
            yield Patched(path, "deleted", None, None)
            kind, path = "Add File", header[2].strip()
        else:
            if kind:
                yield _to_patched(kind, path, added, removed)
            kind, path, added, removed = header[1], header[2].strip(), 0, 0
    if kind:
        yield _to_patched(kind, path, added, removed)


def applied_files(changes: dict[str, Change]) -> Iterator[Patched]:
    """Yield the files in a report of applied changes."""
    for path, change in changes.items():
        if change.type is None:
            kind = "created" if change.add else "deleted" if change.delete else "modified"
        else:
            kind = _TYPES.get(change.type, "modified")
        yield Patched(path, kind, *_lines(change))  # type: ignore[arg-type]  # one of the three


def _to_patched(header: str, path: str, added: int, removed: int) -> Patched:
    kind = _KINDS[header]
    return Patched(path, kind, added, None if kind == "deleted" else removed)


def _lines(change: Change) -> tuple[int | None, int | None]:
    if change.unified_diff is not None:
        lines = change.unified_diff.splitlines()
        added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
        removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
        return added, removed
    if change.type == "add" and change.content is not None:
        return len(change.content.splitlines()), 0
    return None, None
