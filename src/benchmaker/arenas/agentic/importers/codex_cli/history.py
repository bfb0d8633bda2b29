"""The part of a rollout copied from its parent's rows, rewritten with new times."""

from collections.abc import Iterable
from pathlib import Path

from benchmaker.arenas.agentic.importers.codex_cli.rows import ROWS, Row
from benchmaker.arenas.agentic.importers.codex_cli.threads import Thread, uuid_time
from benchmaker.arenas.agentic.logs.lenient_json import loose_lines, quiet_options
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds

_PAUSE_S = 1.0
_CLOSING = {"token_count", "task_complete", "turn_aborted", "agent_message", "agent_reasoning"}
_OPENING = {"message", "user_message", "task_started", "turn_started"}


def inherited_lines(path: Path, thread: Thread, options: Options) -> int:
    """The number of the last line that is another thread's; 0 where all are its own."""
    if not thread.has_history:
        return 0
    return _last_inherited(loose_lines(path, quiet_options(options), ROWS), thread)


def _last_inherited(rows: Iterable[tuple[int, Row]], thread: Thread) -> int:
    """By the turns, whose ids tell when they began; without such ids by the times of the rows.

    A copy is written in one go, while an answer of a model takes its time.
    """
    copied = last = 0
    before: float | None = None
    has_turns = False
    for line, row in rows:
        began = uuid_time(row.payload.turn_id) if row.payload else None
        if began is not None and thread.started_at is not None:
            if began >= thread.started_at:
                return last if has_turns else copied
            has_turns = True
        at = seconds(row.timestamp)
        if not has_turns and _is_later(at, before, thread):
            return copied
        last, before = line, at if at is not None else before
        copied = line if _closes(row) else copied
    return last if has_turns else copied


def _is_later(at: float | None, before: float | None, thread: Thread) -> bool:
    """True if it was written after a pause, and not before the thread began."""
    if at is None or before is None or at - before <= _PAUSE_S:
        return False
    return thread.started_at is None or at > thread.started_at + _PAUSE_S


def _closes(row: Row) -> bool:
    """True if it is the output of a model or a tool, so that everything before it is history."""
    kind = row.payload.type if row.payload else None
    if row.type == "session_meta" or kind in _OPENING or row.type == "turn_context":
        return False
    return kind in _CLOSING or row.type in ("response_item", "compacted")
