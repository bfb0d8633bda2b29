"""The locations of coding tools' logs: default folders, and variables that override them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "BENCHMAKER_LOGS"
"""A comma-separated list of folders to search instead of the default ones; empty for none."""

SUFFIXES = (".jsonl", ".json", ".db", ".db-wal", ".sqlite", ".sqlite-wal")
"""File name suffixes of logs."""


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """The location of one tool's logs.

    ``defaults`` are folders below the user's home; ``$DATA`` and ``$CONFIG`` stand for the XDG
    folders. The first of ``variables`` that is set replaces the defaults: it is a comma-separated
    list of folders, and the logs are in their subfolders ``below``. Sessions whose files share a
    folder at ``depth`` below the log folder are read together.
    """

    tool: str
    defaults: tuple[str, ...]
    variables: tuple[str, ...] = ()
    below: tuple[str, ...] = ("",)
    depth: int = 1


PLACES = (
    ToolPlace(
        "Claude Code",
        ("$CONFIG/claude/projects", ".claude/projects"),
        ("CLAUDE_CONFIG_DIR",),
        ("projects",),
    ),
    ToolPlace(
        "Codex",
        (".codex/sessions", ".codex/archived_sessions"),
        ("CODEX_HOME",),
        ("sessions", "archived_sessions"),
        depth=3,
    ),
    ToolPlace("Gemini CLI", (".gemini/tmp",), ("GEMINI_CLI_HOME",), (".gemini/tmp",)),
    ToolPlace("Qwen Code", (".qwen/projects", ".qwen/tmp")),
    ToolPlace("Copilot CLI", (".copilot/session-state",), ("COPILOT_HOME",), ("session-state",)),
    ToolPlace("Cline", (".cline/data",), ("CLINE_DIR",), ("data",), depth=2),
    ToolPlace("OpenCode", ("$DATA/opencode",), ("OPENCODE_DATA_DIR",), depth=0),
    ToolPlace("Kilo Code", ("$DATA/kilo",), ("KILO_DATA_DIR",), depth=0),
    ToolPlace(
        "Goose", ("$DATA/goose/sessions",), ("GOOSE_PATH_ROOT",), ("data/sessions",), depth=0
    ),
    ToolPlace("Kimi CLI", (".kimi/sessions",), ("KIMI_SHARE_DIR",), ("sessions",), depth=2),
    ToolPlace(
        "Pi", (".pi/agent/sessions",), ("PI_CODING_AGENT_DIR", "PI_AGENT_DIR"), ("sessions", "")
    ),
    ToolPlace("OpenClaw", (".openclaw/agents",), ("OPENCLAW_STATE_DIR",), ("agents",), depth=2),
    ToolPlace("Amp", ("$DATA/amp/threads",), ("AMP_DATA_DIR",), ("threads",), depth=0),
    ToolPlace("Droid", (".factory/sessions",), ("DROID_SESSIONS_DIR",)),
    ToolPlace("OpenHands", (".openhands/conversations",)),
    ToolPlace("mini-swe-agent", ("$CONFIG/mini-swe-agent",), depth=0),
)
"""Every tool whose logs are searched for."""


@dataclass(frozen=True, slots=True)
class LogFolder:
    """An existing folder, and the tool whose logs it has."""

    tool: str
    path: Path
    depth: int = 1


def log_folders(environ: Mapping[str, str]) -> tuple[LogFolder, ...]:
    """The existing folders in which coding tools keep their logs on this machine, each once.

    ``environ`` has the environment variables, including ``HOME``.
    """
    found = possible_folders(environ)
    there = {it.path.resolve(): it for it in found if it.path.is_dir()}
    return tuple(there.values())


def possible_folders(environ: Mapping[str, str]) -> list[LogFolder]:
    """The folders in which logs are searched for, whether they exist or not."""
    given = environ.get(VARIABLE)
    if given is not None:
        return [LogFolder("logs", path) for path in _paths(given, environ)]
    return [it for place in PLACES for it in _folders_of(place, environ)]


def _folders_of(place: ToolPlace, environ: Mapping[str, str]) -> Iterator[LogFolder]:
    """The folders that a variable names, else the default ones."""
    name = next((it for it in place.variables if environ.get(it, "").strip()), None)
    if name is None:
        for text in place.defaults:
            yield LogFolder(place.tool, _expand(text, environ), place.depth)
        return
    for root in _paths(environ[name], environ):
        for below in place.below:
            is_itself = bool(below) and root.name == below
            yield LogFolder(place.tool, root if is_itself else root / below, place.depth)


def _paths(text: str, environ: Mapping[str, str]) -> Iterator[Path]:
    for one in filter(None, map(str.strip, text.split(","))):
        yield _home(environ) / one[2:] if one.startswith("~/") else Path(one)


def _expand(text: str, environ: Mapping[str, str]) -> Path:
    home = _home(environ)
    first, _, rest = text.partition("/")
    match first:
        case "$DATA":
            return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / rest
        case "$CONFIG":
            return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / rest
        case _:
            return home / text


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
