"""A trace in the terminal."""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from benchmaker.arenas.agentic.traces.steps import ToolUse, TraceStep
from benchmaker.arenas.agentic.traces.trace import Trace
from benchmaker.record.counts import count
from benchmaker.report.sentences import trace_words as words
from benchmaker.report.sentences.figures import metric_value, submission_facts
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_NAME = Column("", is_right=False)
_FIGURE = Column("")
_TOOLS: Final = 8
_AGENTS: Final = 8
_DEEPEST: Final = 6
"""Subagents below are no longer moved to the right."""


def trace_text(
    trace: Trace,
    *,
    steps: Iterable[TraceStep] | None = None,
    limit: int | None = None,
    width: int = WIDTH,
    styled: bool = False,
) -> str:
    """Return totals, time and cost by part, the tool's behaviour, and the steps, cut to the width.

    Args:
        trace: the trace.
        steps: the steps to show; all by default.
        limit: maximum number of steps; the number of further ones is stated.
        width: width in columns.
        styled: with bold and colour for a terminal.
    """
    chosen = iter(trace.walk() if steps is None else steps)
    shown = list(chosen if limit is None else islice(chosen, limit))
    more = sum(1 for _ in chosen)
    parts = [
        _head(trace, width),
        _time(trace, width, styled=styled),
        _money(trace, width, styled=styled),
        _metrics(trace, width, styled=styled),
        _steps(shown, width, styled=styled) if trace.steps else "",
    ]
    if more:
        parts.append(f"{count(more, 'more step')}: --limit {len(shown) + more}\n")
    return "\n".join(part for part in parts if part)


def _head(trace: Trace, width: int) -> str:
    lines = [
        *submission_facts(trace.submission),
        words.session_counts(trace),
        words.session_tokens(trace),
        words.clock(trace),
        words.session_cost(trace),
        *words.warnings(trace),
    ]
    return wrap_paragraphs(lines, width)


def _time(trace: Trace, width: int, *, styled: bool) -> str:
    rows = [row[:3] for row in words.time_rows(trace)]
    if not rows:
        return ""
    columns = (_NAME, Column("Time"), Column("Share"))
    table = Table(columns, tuple(rows), caption="Time by activity").text(width=width, styled=styled)
    return (
        table + "\n" + _tools(trace, width, styled=styled) + wrap_paragraphs([words.OVERLAP], width)
    )


def _tools(trace: Trace, width: int, *, styled: bool) -> str:
    rows = tuple(
        (
            sanitise(it.name),
            f"{it.calls:,}",
            f"{it.errors:,}",
            f"{it.repeated:,}",
            "" if it.seconds is None else numbers.duration(it.seconds),
        )
        for it in trace.tools[:_TOOLS]
    )
    if not rows:
        return ""
    columns = (
        Column("Tool", is_right=False),
        *(Column(head) for head in ("Calls", "Failed", "Repeated", "Time")),
    )
    more = len(trace.tools) - _TOOLS
    left = f"{count(more, 'more tool')}.\n" if more > 0 else ""
    return Table(columns, rows).text(width=width, styled=styled) + left + "\n"


def _money(trace: Trace, width: int, *, styled: bool) -> str:
    it = trace.money
    if not it.by_model:
        return ""
    groups = (
        ("By model", it.by_model),
        ("By kind of token", it.by_part),
        ("By agent", it.by_agent),
    )
    rows: list[tuple[str, ...]] = []
    for name, of in groups:
        if of and (name != "By agent" or len(of) > 1):
            rows.append((f"{name}", "", "", ""))
            rows += [(f"  {row[0]}", *row[1:4]) for row in words.money_rows(trace, of[:_AGENTS])]
    caption = words.money_title(trace)
    columns = (_NAME, Column("Tokens"), Column("Dollars"), Column("Share"))
    table = Table(columns, tuple(rows), caption=caption).text(width=width, styled=styled)
    dearest = ", ".join(
        f"#{step.number} {numbers.money(usd)}" for step, usd in words.costliest_steps(trace)
    )
    return table + wrap_paragraphs([f"Most expensive steps: {dearest}." if dearest else ""], width)


def _metrics(trace: Trace, width: int, *, styled: bool) -> str:
    rows = tuple((it.label, metric_value(it)) for it in trace.metrics)
    columns = (_NAME, Column("", is_right=False))
    return Table(columns, rows, caption="Tool metrics").text(width=width, styled=styled)


def _steps(steps: Sequence[TraceStep], width: int, *, styled: bool) -> str:
    from rich.console import Console  # noqa: PLC0415  a heavy import
    from rich.text import Text  # noqa: PLC0415  a heavy import

    page = io.StringIO()
    console = Console(
        file=page,
        width=width,
        height=25,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(Text("Steps, times in UTC", style="bold") if steps else Text("No such steps."))
    for step in steps:
        for style, line in _lines(step, width):
            console.print(
                Text(truncate_line(line, width), style=style), no_wrap=True, overflow="crop"
            )
    return "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines())


def _lines(step: TraceStep, width: int) -> Iterator[tuple[str, str]]:
    """The lines of a step with their styles."""
    pad = "  " * min(step.depth, _DEEPEST)
    yield ("bold" if not step.marks else "bold red"), pad + _head_line(step)
    told = [it for it in (words.request_tokens(step), words.price(step)) if it]
    if told:
        yield "dim", f"{pad}   {', '.join(told)}"
    if step.reasoning:
        yield "dim italic", f"{pad}   (reasoning) {step.reasoning}"
    if step.text:
        yield "", f"{pad}   {step.text}"
    for note in words.edit_notes(step):
        yield "dim", f"{pad}   {note}"
    for call in step.calls:
        yield from _call(call, f"{pad}   ", width)


def _head_line(step: TraceStep) -> str:
    told = [f"#{step.number}", words.time_of_day(step.at), words.gap(step), words.title(step)]
    told += [f"[{step.name}]"] if step.agent else []
    told += [step.model] if step.model else []
    marks = [mark.value for mark in step.marks if mark.value != step.kind.value]
    told += [f"({', '.join(marks)})"] if marks else []
    told += ["(counted elsewhere)"] if not step.counted else []
    return " ".join(it for it in told if it)


def _call(call: ToolUse, pad: str, width: int) -> Iterator[tuple[str, str]]:
    name = call.name or "(a call not in the log)"
    notes = ", ".join(words.call_notes(call))
    behind = f"  [{notes}]" if notes else ""
    front = f"{pad}> {name} {words.arguments(call.arguments)}"
    room = max(width - len(sanitise(behind)), width // 2)
    yield ("red" if call.is_error else "cyan"), truncate_line(front, room) + behind
    if call.output and call.output.strip():
        yield "dim", f"{pad}  = {call.output.strip()}"
    if call.steps:
        yield "dim", f"{pad}  started {call.steps[0].name}: {words.span(call.steps)}"


def truncate_line(line: str, width: int) -> str:
    r"""One line of a hostile text, harmless, cut to the width with an ellipsis.

    >>> truncate_line("first\nsecond \x1b[2J", 15)
    'first second ␛…'
    """
    from rich.cells import cell_len, set_cell_size  # noqa: PLC0415  a heavy import

    start = line[: width * 8]
    indent = start[: len(start) - len(start.lstrip(" "))]
    flat = indent + " ".join(sanitise(start, lines=True).split())
    is_whole = len(start) == len(line) and cell_len(flat) <= width
    return flat if is_whole else set_cell_size(flat, width - 1).rstrip() + "…"
