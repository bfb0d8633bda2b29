"""Facts of a Claude Code log about the session, reported as soon as known."""

import re
from collections.abc import Iterator

from benchmaker.arenas.agentic.importers.claude.rows import Message, Row
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import Metric, Session
from benchmaker.arenas.agentic.logs.options import Options

HARNESS = "claude-code"

_RECORDS: frozenset[Metric] = frozenset(
    {"llm_calls", "tool_calls", "tool_errors", "compactions", "interruptions", "file_changes"}
)
_NO_MODEL = "<synthetic>"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Facts:
    """Version, folder, mode and first model: each is reported once, the model last."""

    def __init__(self, session_id: str, options: Options) -> None:
        self._name = session_id
        self._model = options.model
        self._known: dict[str, str] = {}

    def update(self, row: Row, place: EventPlace) -> Iterator[Session]:
        """Yield a Session event if the row has new facts."""
        if "model" in self._known or place["agent"]:
            return
        found = {name: value for name, value in self._row_facts(row).items() if value}
        new = {name: value for name, value in found.items() if name not in self._known}
        if not new and self._known:
            return
        self._known |= new
        yield Session(
            **place,
            session_id=new.get("session", ""),
            harness=HARNESS,
            harness_version=new.get("version"),
            model=new.get("model"),
            provider="anthropic",
            mode=new.get("mode"),
            cwd=new.get("cwd"),
            records=_RECORDS,
        )

    def finish(self) -> Iterator[Session]:
        """The file's name, where no row has named the session."""
        if "session" not in self._known:
            yield Session(session_id=self._name, harness=HARNESS)

    def _row_facts(self, row: Row) -> dict[str, str | None]:
        model = row.message.model if isinstance(row.message, Message) else row.model
        return {
            "session": self._session(row),
            "version": row.version or row.stream_version,
            "cwd": row.cwd,
            "model": None if model == _NO_MODEL else model,
            "mode": _mode(row),
        }

    def _session(self, row: Row) -> str | None:
        """The file's name where it is an id: resumed sessions hold rows of the one before."""
        if _UUID.fullmatch(self._name):
            return self._name
        return row.session_id or row.stream_session_id


def _mode(row: Row) -> str | None:
    """Return whether a person used it interactively; rows before version 2.1 lack this."""
    if row.stream_session_id:
        return "headless"
    if row.entrypoint is None:
        return None
    return "headless" if row.entrypoint.startswith("sdk") else "interactive"
