"""The table in the terminal."""

import io
import os
from collections.abc import Callable
from typing import TextIO

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report import notes, numbers
from benchmaker.report.inert import encodable

WIDTH = 80
"""Columns where there is no terminal to ask."""

_WITH_COST = 104
_FIGURES = 55
_SD = 7


def write_text(
    summary: Summary, stream: TextIO, *, width: int | None = None, styled: bool | None = None
) -> None:
    """Writes the table of a run or series with what must be said beside it.

    Args:
        summary: what to show.
        stream: where to; signs its encoding can't hold are written in plain ASCII.
        width: in columns; None for the terminal's, or 80 without one.
        styled: bold heads; None for whether the stream is a terminal.
    """
    wide = width or _width_of(stream)
    bold = stream.isatty() if styled is None else styled
    stream.write(encodable(summary_text(summary, width=wide, styled=bold), stream.encoding))


def summary_text(summary: Summary, *, width: int = WIDTH, styled: bool = False) -> str:
    """The table of a run or series as text; every line ends with a line feed."""
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    shown = _shows_sd(summary, width)
    legend = [line for line in notes.legend(summary) if shown or not line.startswith("SD")]
    below = [*notes.notes(summary), *legend, notes.repeatable(summary)]
    head = _wrapped([f"{title}: {', '.join(notes.facts(summary))}"], width)
    return f"{head}\n{_table(summary, width, styled=styled)}\n{_wrapped(below, width)}"


def _table(summary: Summary, width: int, *, styled: bool) -> str:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  a heavy import
    from rich.console import Console  # noqa: PLC0415  a heavy import
    from rich.table import Table  # noqa: PLC0415  a heavy import
    from rich.text import Text  # noqa: PLC0415  a heavy import

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    columns = _columns(summary, width)
    table.add_column("Model", overflow="fold", min_width=8)
    for head, _ in columns:
        table.add_column(head, justify="right", no_wrap=True)
    for model in summary.models:
        cells = [cell(model) for _, cell in columns]
        table.add_row(Text(notes.name(model.model)), *map(Text, cells))
    page = io.StringIO()
    console = Console(
        file=page,
        width=width,
        height=25,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
    )
    console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines() if line.strip())


def _columns(summary: Summary, width: int) -> list[tuple[str, Callable[[ModelSummary], str]]]:
    """Heads and cells, from left to right."""
    with_cost = width >= _WITH_COST and any(model.cost_known_trials for model in summary.models)
    over = "runs" if summary.is_series else "cases"
    return [
        ("Mean\n0-100", _mean),
        ("95% CI\ncases", lambda model: _interval(model.ci95)),
        *([(f"SD\n{over}", _sd)] if _shows_sd(summary, width) else []),
        ("Strict\n", _strict),
        ("95% CI\ncases", lambda model: _interval(model.strict_ci95)),
        ("Scored\ntrials", scored),
        *([("Cost\n", notes.cost)] if with_cost else []),
    ]


def _shows_sd(summary: Summary, width: int) -> bool:
    """The SD gives way where that saves the longest name from being folded."""
    longest = max((len(notes.name(model.model)) for model in summary.models), default=0)
    return not width - _FIGURES < longest <= width - _FIGURES + _SD


def _mean(model: ModelSummary) -> str:
    return "none" if model.mean is None else numbers.score(model.mean)


def _sd(model: ModelSummary) -> str:
    return "none" if model.sd is None else numbers.score(model.sd)


def _strict(model: ModelSummary) -> str:
    return "none" if model.strict_accuracy is None else numbers.share(model.strict_accuracy)


def _interval(ends: tuple[float, float] | None) -> str:
    return numbers.interval(ends) if ends else "none"


def scored(model: ModelSummary) -> str:
    """Scored trials, and of how many where some are missing."""
    of = model.n_trials if model.n_planned is None else model.n_planned
    return f"{model.n_scored:,}" if of == model.n_scored else f"{model.n_scored:,}/{of:,}"


def _wrapped(paragraphs: list[str], width: int) -> str:
    from textwrap import fill  # noqa: PLC0415  beside its only use

    return "".join(
        f"{fill(text, width, break_long_words=False, break_on_hyphens=False)}\n"
        for text in paragraphs
        if text
    )


def _width_of(stream: TextIO) -> int:
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        return WIDTH
