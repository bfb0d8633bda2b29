"""Usage as the command prints it: as tables, JSON or CSV, once or on every change."""

import io
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import TextIO

from benchmaker.analysis.usage.blocks import UsageBlocks
from benchmaker.analysis.usage.session_usage import ExcludedUsage, TimeSpan, UsageTable
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.collection import collect
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, usage_blocks_of, usage_table
from benchmaker.arenas.agentic.unknown_names import unknown_in_usage
from benchmaker.cli.actions.log_intake import no_logs_found
from benchmaker.cli.context import Context, is_terminal
from benchmaker.cli.database import existing_store
from benchmaker.cli.options.name_lookup import refuse
from benchmaker.cli.output.output import json_text, say, say_wrapped, tell
from benchmaker.cli.output.table import format_table, window_width
from benchmaker.cli.server.audit_log import write_down
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.report.result_tables.usage_groups import BLOCKS, USAGE, BlocksView, UsageView
from benchmaker.report.sentences.usage_words import (
    active_time_note,
    cost_sums,
    outside_window,
    sessions_in_several,
    unpriced_words,
    without_time,
)
from benchmaker.report.tables.commands import wrap_hint
from benchmaker.report.tables.optional_figures import dollars, grouped_count
from benchmaker.report.tables.width import WIDTH
from benchmaker.store import Store

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
            view = UsageView.of(made, breakdown=self.breakdown)
            return _csv(lambda stream: USAGE.write_csv(view, stream)), left_out
        text = self._table_text(made) if made.rows else self._none_found(store)
        dash = ["–: unknown or not reported."] if "–" in text.split() else []
        several = filter(None, [sessions_in_several(made)])
        return text, [*dash, *several, *self._undivided_time(made), *_notes(made), *left_out]

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
            view = BlocksView.of(made.blocks)
            return _csv(lambda stream: BLOCKS.write_csv(view, stream)), left_out
        if not made.blocks:
            return ("No active block." if self.active_only else self._none_found(store)), left_out
        return "\n".join(_block_lines(made, self.query.zone)), left_out

    def _none_found(self, store: Store) -> str:
        """Say that the window has no sessions, and the day of the newest, which is outside."""
        span = self.query.window(time.time())
        if span == TimeSpan(None, None):
            return "No sessions."
        whole = replace(self.query, since=None, until=None)
        made = usage_table(store, whole, self.context.home, now=time.time())
        newest = seconds(made.total.last_at)
        if newest is None:
            return "No sessions."
        bounds = (("since", span.since), ("before", span.until))
        window = " and ".join(f"{word} {self._day(at)}" for word, at in bounds if at is not None)
        day = self._day(newest)
        show = self.context.line("usage", "--since", day)
        text = f"No sessions {window}; the newest is of {day}. Show it with: {show}"
        return wrap_hint(text, window_width())

    def _day(self, at: float) -> str:
        return f"{datetime.fromtimestamp(at, self.query.zone):%Y-%m-%d}"

    def _table_text(self, made: UsageTable) -> str:
        view = UsageView.of(
            made,
            breakdown=self.breakdown,
            has_total=len(made.rows) > 1,
            zone=self.query.zone,
        )
        width = window_width()
        view = replace(view, has_whole_ids=view.by == "session" and width >= WIDTH)
        return USAGE.table(view).text(width=width).rstrip("\n")

    def _undivided_time(self, made: UsageTable) -> Iterator[str]:
        """Say why an active time is missing or has a plus."""
        models = (model for row in made.rows for model in row.models)
        if self.breakdown and any(one.active_s is None for one in models):
            yield "Active time of sessions with several models is not divided among them."
        elif note := active_time_note(made):
            yield note

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
            f"{unpriced_words(name)} ({grouped_count(n)} tokens)"
            for name, n in made.unpriced.items()
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


def _block_lines(made: UsageBlocks, zone: tzinfo | None) -> list[str]:
    table = BLOCKS.table(BlocksView.of(made.blocks, made.total, zone=zone))
    figures = [at for at, column in enumerate(table.columns) if column.is_right]
    return format_table([column.head for column in table.columns], table.rows, right=figures)
