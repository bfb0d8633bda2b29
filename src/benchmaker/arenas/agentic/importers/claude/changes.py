"""Requests to Claude's tools: file changes and subagents; certain with the result."""

from typing import Literal, NamedTuple

from benchmaker.arenas.agentic.importers.claude.rows import INPUTS, Block, ToolOutcome
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import FileChange

_TOOLS = {"Write", "Edit", "MultiEdit", "NotebookEdit"}

Change = Literal["created", "modified"]


class _PendingChange(NamedTuple):
    tool: str
    path: str
    lines: int | None


class Changes:
    """Calls that would change a file, waiting for their result.

    A call without a result, such as an interrupted one, has no change confirmed by the log.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, _PendingChange] = {}

    def remember_call(self, block: Block) -> None:
        """Remember a call, if it would change a file."""
        if block.id is None or block.name not in _TOOLS:
            return
        try:
            call_input, _ = INPUTS.decode(block.input)
        except DecodingError:
            return
        path = call_input.file_path or call_input.notebook_path
        if path:
            lines = None if call_input.content is None else len(call_input.content.splitlines())
            self._waiting[block.id] = _PendingChange(block.name, path, lines)

    def confirm(
        self, block: Block, outcome: ToolOutcome | None, *, place: EventPlace
    ) -> FileChange | None:
        """Return the change that a result confirms, or reports as failed."""
        pending = self._waiting.pop(block.tool_use_id or "", None)
        if pending is None:
            return None
        added, removed = _lines(outcome)
        change = _kind(pending, block, outcome)
        if change == "created" and not (added or removed):
            added, removed = pending.lines, 0
        return FileChange(
            **place,
            call_id=block.tool_use_id,
            path=(outcome and outcome.file_path) or pending.path,
            change=change,
            added=added,
            removed=removed,
            failed=bool(block.is_error),
        )


def subagent_name(block: Block) -> str | None:
    """Return the kind of subagent that a call requests, or else its instructions."""
    try:
        call_input, _ = INPUTS.decode(block.input)
    except DecodingError:
        return None
    return call_input.subagent_type or call_input.description


def _kind(change: _PendingChange, block: Block, outcome: ToolOutcome | None) -> Change:
    """Return the kind of change: created or overwritten; by default a written file is new."""
    if change.tool != "Write":
        return "modified"
    if outcome is not None and outcome.type in ("create", "update"):
        return "created" if outcome.type == "create" else "modified"
    return "modified" if b"has been updated" in bytes(block.content)[:2_000] else "created"


def _lines(outcome: ToolOutcome | None) -> tuple[int | None, int | None]:
    """Lines added and removed, where the outcome carries the diff."""
    if outcome is None or outcome.structured_patch is None:
        return None, None
    lines = [line for hunk in outcome.structured_patch for line in hunk.lines]
    added = sum(line.startswith("+") for line in lines)
    return added, sum(line.startswith("-") for line in lines)
