"""The last row of ``claude -p --output-format stream-json``: cost, times and how it ended."""

from collections.abc import Iterator
from functools import reduce

from benchmaker.arenas.agentic.events import Ended, Event, Totals, UserTurn
from benchmaker.arenas.agentic.importers.claude.prompts import is_prompt
from benchmaker.arenas.agentic.importers.claude.rows import Message, Row
from benchmaker.arenas.agentic.importers.claude.usage import usage_of_model
from benchmaker.arenas.agentic.place import Place
from benchmaker.record.submission import Status, TokenUsage

_ENDS = {
    "success": Status.COMPLETED,
    "error_max_turns": Status.BUDGET,
    "error_max_budget_usd": Status.BUDGET,
}


class Stream:
    """Gathers the closing rows: one for each prompt, whose costs and tokens are running sums."""

    def __init__(self) -> None:
        self._last: Row | None = None
        self._name = ""
        self._began: float | None = None
        self._at: float | None = None
        self._is_asked = False
        self._wall_ms = 0.0
        self._api_ms = 0.0

    def passed(self, row: Row, place: Place) -> Iterator[UserTurn]:
        """Follow a row: a run begins with a prompt, which is only printed if it is replayed."""
        self._at = place["at"] or self._at
        self._began = self._began or self._at
        if not row.stream_session_id:
            return
        self._name = self._name or row.uuid or ""
        if row.subtype == "init":
            self._is_asked = True
        elif row.type == "user" and isinstance(row.message, Message):
            self._is_asked = self._is_asked and not is_prompt(row, row.message)
        elif row.type == "assistant" and self._is_asked and not place["agent"]:
            self._is_asked = False
            yield UserTurn(**place, id=f"prompt before {row.uuid}")

    def ended(self, row: Row) -> None:
        """Take in a closing row."""
        self._last = row
        self._wall_ms += row.duration_ms or 0.0
        self._api_ms += row.duration_api_ms or 0.0

    def closing(self) -> Iterator[Event]:
        """The final figures; nothing where the log has no closing row."""
        row = self._last
        if row is None:
            return
        yield Totals(
            at=self._at,
            began=self._began,
            run=self._name or row.stream_session_id or "",
            usage=_usage(row),
            cost_usd=row.total_cost_usd,
            wall_s=self._wall_ms / 1e3 or None,
            llm_s=self._api_ms / 1e3 or None,
        )
        yield Ended(status=_status(row), exit_status=row.subtype)


def _status(row: Row) -> Status:
    if (row.terminal_reason or "").startswith("aborted"):
        return Status.CANCELLED
    return Status.FAILED if row.is_error else _ENDS.get(row.subtype or "", Status.FAILED)


def _usage(row: Row) -> TokenUsage | None:
    """The rows of a stream are cut at their beginning; only the closing one has every token."""
    used = [usage_of_model(total) for total in (row.model_usage or {}).values()]
    return reduce(TokenUsage.__add__, used) if used else None
