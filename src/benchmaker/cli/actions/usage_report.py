"""Usage as the command prints it: as tables, JSON or CSV, once or on every change."""

import io
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TextIO

from benchmaker.analysis.usage.blocks import UsageBlock, UsageBlocks
from benchmaker.analysis.usage.session_usage import IN_ORDER, ExcludedUsage, UsageRow, UsageTable
from benchmaker.arenas.agentic.sessions.collection import collect
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, usage_blocks_of, usage_table
from benchmaker.arenas.agentic.unknown_names import unknown_in_usage
from benchmaker.cli.actions.log_intake import no_logs_found
from benchmaker.cli.context import Context, is_terminal
from benchmaker.cli.database import existing_store
from benchmaker.cli.options.name_lookup import refuse
from benchmaker.cli.output.figures import dollars, grouped_count, seconds
from benchmaker.cli.output.output import json_text, say, say_wrapped, tell
from benchmaker.cli.output.table import format_table, window_width
from benchmaker.cli.server.audit_log import write_down
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.report.sentences.usage_words import cost_sums, outside_window, without_time
from benchmaker.report.tables.table import Column, Table
from benchmaker.report.tables.usage_columns import write_blocks_csv, write_usage_csv
from benchmaker.store import Store

_FIGURES = {
    "sessions": 6, "cost": 0, "active": 5, "tokens": 0, "input": 3, "cache read": 1,
    "cache write": 1, "output": 4,
}  # fmt: skip
"""The columns of figures; narrow terminals leave out the lowest numbers first, 0 never."""
_OF_SESSION = ("tool", "last answer", "project")
_BLOCK_HEADS = ("block", "tool", "cost", "tokens", "left", "tokens/min", "$/hour", "at its end")
_INDENT = "  "
_UNDIVIDED = "Active time with a plus excludes sessions over several {by}, whose times are unknown."
_CLEAR = "\x1b[2J\x1b[H"


@dataclass(frozen=True, slots=True)
class UsageReport:
    """A usage query and the form in which its result is printed."""

    context: Context
    query: UsageQuery
    has_blocks: bool = False
    active_only: bool = False
    breakdown: bool = False
    as_csv: bool = False
    collects: bool = True

    def say(self) -> None:
        """Import new logs and print the report."""
        text, notes = self.render()
        self.say_rendered(text, notes)

    def say_rendered(self, text: str, notes: list[str]) -> None:
        """Print the report, and below it the notes on its figures; beside CSV on stderr."""
        say(text)
        for note in notes:
            (tell if self.as_csv else say_wrapped)(note)

    def render(self) -> tuple[str, list[str]]:
        """Return the report, and the notes on its figures.

        Raises:
            SpecError: nothing is stored, and no logs were found; or an unknown tool or task.
        """
        self.query.window(time.time())  # refuse a wrong day before any log is read
        if self.collects:
            _collect(self.context)
        store = existing_store(self.context)
        if store is None:
            raise self._no_sessions()
        with store:
            if not store.agentic.count_submissions():
                raise self._no_sessions()
            return self._of_blocks(store) if self.has_blocks else self._of_groups(store)

    def _no_sessions(self) -> SpecError:
        """The error of an empty store, with the folders that were searched."""
        searched = no_logs_found(self.context.environ) if self.collects else ""
        return SpecError(
            f"no sessions stored{f', and {searched}' if searched else '.'}",
            hint=f"Import logs with: {self.context.line('import', 'PATH')}",
        )

    def _of_groups(self, store: Store) -> tuple[str, list[str]]:
        made = usage_table(store, self.query, self.context.home, now=time.time())
        if not made.rows:
            refuse(unknown_in_usage(store, self.query))
        left_out = list(self._left_out(made.left_out))
        if self.context.use_json:
            return json_text(made.to_dict()), []
        if self.as_csv:
            text = _csv(lambda stream: write_usage_csv(made, stream, breakdown=self.breakdown))
            return text, left_out
        text = "\n".join(self._lines(made)) if made.rows else "No sessions."
        return text, [*self._undivided_time(made), *_notes(made), *left_out]

    def _of_blocks(self, store: Store) -> tuple[str, list[str]]:
        made = usage_blocks_of(
            store,
            self.query,
            self.context.home,
            now=time.time(),
            active_only=self.active_only,
        )
        if not made.blocks:
            refuse(unknown_in_usage(store, self.query))
        left_out = list(self._left_out(made.left_out))
        if self.context.use_json:
            return json_text(made.to_dict()), []
        if self.as_csv:
            return _csv(lambda stream: write_blocks_csv(made.blocks, stream)), left_out
        if not made.blocks:
            return ("No active block." if self.active_only else "No sessions."), left_out
        return "\n".join(_block_lines(made, self.query.zone)), left_out

    def _lines(self, made: UsageTable) -> list[str]:
        is_session = made.by == "session"
        total = (made.total,) if len(made.rows) > 1 else ()
        rows = [cells for row in (*made.rows, *total) for cells in self._rows(row)]
        columns = (
            Column(made.by, is_right=False, is_whole=made.by in IN_ORDER),
            *(Column(head, gives_way=rank) for head, rank in _FIGURES.items()),
            *(Column(head, is_right=False, gives_way=1) for head in _OF_SESSION if is_session),
        )
        return Table(columns, tuple(rows)).text(width=window_width()).splitlines()

    def _rows(self, row: UsageRow) -> Iterator[tuple[str, ...]]:
        """A row, and with ``breakdown`` one for each model below it."""
        is_session = self.query.by == "session"
        yield (*_cells(row.key, row), *(_of_session(row, self.query.zone) if is_session else ()))
        for model in row.models if self.breakdown else ():
            yield (*_cells(_INDENT + model.key, model), *(("",) * 3 if is_session else ()))

    def _undivided_time(self, made: UsageTable) -> Iterator[str]:
        """Say why a model has no active time."""
        models = (model for row in made.rows for model in row.models)
        if self.breakdown and any(one.active_s is None for one in models):
            yield "Active time of sessions with several models is not divided among them."
        elif any(one.active_s_at_least is not None for one in (*made.rows, made.total)):
            yield _UNDIVIDED.format(by="models" if made.by == "model" else f"{made.by}s")

    def _left_out(self, left_out: ExcludedUsage) -> Iterator[str]:
        if left_out.imported_text:
            line = self.context.line("usage", "--benchmarks")
            yield f"Not in these sums: {left_out.imported_text}. Show them: {line}"
        if left_out.without_folder_text:
            yield f"Not in these sums: {left_out.without_folder_text}."
        if self.has_blocks and left_out.sessions_without_time:
            yield f"Not in these blocks: {without_time(left_out, dollars)}."
        elif said := outside_window(left_out, dollars):
            yield said


def follow(
    report: UsageReport, interval_s: float, *, wait: Callable[[float], None] = time.sleep
) -> None:
    """Print the report on every change, on a cleared terminal, until Ctrl-C."""
    before = ""
    while True:
        text, notes = report.render()
        if text != before:
            if is_terminal(sys.stdout):
                sys.stdout.write(_CLEAR)
            report.say_rendered(text, notes)
        before = text
        wait(interval_s)


def _collect(context: Context) -> None:
    """Import the new logs of all tools."""
    taken = collect(context.environ, home=context.home, store=context.store_url)
    counts = {name: n for name, n in taken.counts.items() if name != "unchanged"}
    if counts:
        write_down(context, "submission.add", ", ".join(taken.kept))
        tell(f"Sessions imported: {', '.join(f'{n:,} {name}' for name, n in counts.items())}.")
    if taken.skipped:
        tell(f"Unreadable places in the logs: {taken.skipped:,}.")


def _notes(made: UsageTable) -> Iterator[str]:
    """Yield the basis of a table's figures."""
    if made.total.sessions_without_tokens:
        number = count(made.total.sessions_without_tokens, "session")
        yield f"Without tokens: {number}. The sums include their known cost, time and calls."
    if made.total.sessions_unpriced:
        named = ", ".join(
            f"{name} ({grouped_count(n)} tokens)" for name, n in made.unpriced.items()
        )
        yield f"Cost unknown, not in the sums: {named}"
    if said := cost_sums(made.total, dollars):
        yield said
    if made.total.divided_usd:
        yield (
            f"{dollars(made.total.divided_usd)} is reported only for whole sessions and divided "
            "among their answers."
        )


def _csv(write: Callable[[TextIO], None]) -> str:
    stream = io.StringIO(newline="")
    write(stream)
    return stream.getvalue().rstrip("\r\n")


def _cells(key: str, row: UsageRow) -> tuple[str, ...]:
    writes = [n for n in (row.usage.cache_write_5m, row.usage.cache_write_1h) if n is not None]
    return (
        key,
        grouped_count(row.sessions),
        _cost(row),
        _active(row),
        grouped_count(row.total_tokens),
        grouped_count(row.usage.input_uncached),
        grouped_count(row.usage.cache_read),
        grouped_count(sum(writes) if writes else None),
        grouped_count(row.usage.output),
    )


def _cost(row: UsageRow) -> str:
    is_partial = row.sessions_unpriced and row.cost_usd is not None
    return dollars(row.cost_usd) + ("+" if is_partial else "")


def _active(row: UsageRow) -> str:
    """The active time; with a plus, that of the sessions whose time is known."""
    if row.active_s is None and row.active_s_at_least is not None:
        return f"{seconds(row.active_s_at_least)}+"
    return seconds(row.active_s)


def _of_session(row: UsageRow, zone: tzinfo | None) -> tuple[str, ...]:
    if row.key == "total":
        return ("", "", "")
    last = _minute(row.last_at, zone) if row.last_at else "–"
    return (", ".join(row.tools), last, ", ".join(row.projects))


def _block_lines(made: UsageBlocks, zone: tzinfo | None) -> list[str]:
    rows = [_block_row(block, zone) for block in made.blocks]
    total = ("total", "", _cost(made.total), grouped_count(made.total.total_tokens), "", "", "", "")
    return format_table(_BLOCK_HEADS, [*rows, total], right=range(2, len(_BLOCK_HEADS)))


def _block_row(block: UsageBlock, zone: tzinfo | None) -> tuple[str, ...]:
    rate, ahead = block.burn_rate, block.projection
    per_minute = rate.tokens_per_minute if rate else None
    return (
        _minute(block.start, zone),
        block.tool,
        _cost(block.totals),
        grouped_count(block.totals.total_tokens),
        seconds(ahead.remaining_minutes * 60) if ahead else ("active" if block.is_active else "–"),
        "–" if per_minute is None else grouped_count(round(per_minute)),
        dollars(rate.usd_per_hour) if rate else "–",
        f"{dollars(ahead.cost_usd)}, {grouped_count(ahead.total_tokens)}" if ahead else "–",
    )


def _minute(at: str, zone: tzinfo | None) -> str:
    return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d %H:%M}"
