"""The table in the terminal."""

import io
import os
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TextIO

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.tables.sanitize import make_encodable
from benchmaker.report.tables.table import omitted_columns_note

WIDTH = 80
"""Number of columns if the output is not a terminal."""

_WITH_COST = 104
_NAME = 8
"""A name is never folded to less."""
_GAP = 2
"""Columns between two figures."""
_GIVE_WAY: Final = ("cost", "sd")
"""What is left out first, one after the other, to save the longest name from being folded.

The last thing to go, where even the shortest name leaves it no room, is the second of two figures
with its interval: none ever stands without. In the table of a suite whose answers are right or
wrong, the last thing is the SD.
"""


def write_text(
    summary: Summary, stream: TextIO, *, width: int | None = None, styled: bool | None = None
) -> None:
    """Write the table of a run or series with its notes.

    Args:
        summary: what to show.
        stream: the target; signs outside its encoding are written in plain ASCII.
        width: width in columns; None for the terminal's, or 80 without one.
        styled: bold headings; None to use them on terminals.
    """
    wide = width or width_of(stream)
    bold = stream.isatty() if styled is None else styled
    stream.write(make_encodable(summary_text(summary, width=wide, styled=bold), stream.encoding))


def summary_text(summary: Summary, *, width: int = WIDTH, styled: bool = False) -> str:
    """The table of a run or series as text; every line ends with a line feed."""
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    columns = _columns(summary, width)
    legend = [
        line
        for line in notes.summary_legend(summary)
        if not line.startswith(_hidden_legend_heads(columns))
    ]
    below = [
        _left_out(summary, columns, width),
        *notes.summary_notes(summary),
        *legend,
        notes.reproducibility_line(summary),
    ]
    head = _wrap([f"{title}: {', '.join(notes.summary_facts(summary))}"], width)
    table = _table(summary, columns, width, styled=styled)
    return (
        f"{head}\n{table}\n{_wrap(below, width)}{_corrected_means(summary, width, styled=styled)}"
    )


def _hidden_legend_heads(columns: "Sequence[_Column]") -> tuple[str, ...]:
    """Return the first words of the legend's lines about hidden columns."""
    shown = {column.what for column in columns}
    heads = {"sd": ("SD",), "strict": ("Strict:",), "mean": ("Mean:", "Checks:")}
    return tuple(head for what, told in heads.items() if what not in shown for head in told)


def _left_out(summary: Summary, columns: "Sequence[_Column]", width: int) -> str:
    """A note on the columns that don't fit next to the names; empty if all fit."""
    shown = {column.what for column in columns}
    heads = {"sd": "SD", "strict": notes.strict_head(summary), "mean": notes.mean_head(summary)}
    missing = [
        heads[what]
        for what in dict.fromkeys(column.what for column in _all_columns(summary, width))
        if what in heads and what not in shown
    ]
    return omitted_columns_note(missing, width)


def _corrected_means(summary: Summary, width: int, *, styled: bool) -> str:
    if summary.corrected is None:
        return ""
    from benchmaker.report.runs.correction import corrected_text  # noqa: PLC0415  few runs have labels

    return f"\n{corrected_text(summary.corrected, width=width, styled=styled)}"


def _table(summary: Summary, columns: "Sequence[_Column]", width: int, *, styled: bool) -> str:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  a heavy import
    from rich.console import Console  # noqa: PLC0415  a heavy import
    from rich.table import Table  # noqa: PLC0415  a heavy import
    from rich.text import Text  # noqa: PLC0415  a heavy import

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("Model", overflow="fold", min_width=_NAME)
    for column in columns:
        table.add_column(column.head, justify="right", no_wrap=True)
    for model in summary.models:
        cells = [column.cell(model) for column in columns]
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


class _Column(NamedTuple):
    """A column of figures: its content, its heading, and its cell for a model."""

    what: str
    head: str
    cell: Callable[[ModelSummary], str]

    def width(self, models: Sequence[ModelSummary]) -> int:
        """Return its width on the screen, with the gap before it."""
        texts = [*self.head.split("\n"), *map(self.cell, models)]
        return _GAP + max(map(_cells, texts))


def _columns(summary: Summary, width: int) -> Sequence[_Column]:
    """The columns from left to right, as many as leave room for the longest name.

    Where no choice leaves enough, names are folded, and only what must gives way.
    """
    every = _all_columns(summary, width)
    second = "strict" if summary.metric == "mean" else "mean"
    give_way = _GIVE_WAY if summary.is_right_or_wrong else (*_GIVE_WAY, second)
    narrower = [
        [column for column in every if column.what not in give_way[:number]]
        for number in range(len(give_way) + 1)
    ]
    name = max((_cells(notes.name(model.model)) for model in summary.models), default=0)
    for least, choices in ((max(name, _NAME), narrower[:-1]), (_NAME, narrower)):
        for columns in choices:
            if least + sum(column.width(summary.models) for column in columns) <= width:
                return columns
    return narrower[-1]


def _all_columns(summary: Summary, width: int) -> list[_Column]:
    over = "runs" if summary.is_series else "cases"
    costs = width >= _WITH_COST and any(model.cost_known_trials for model in summary.models)
    sd = _Column("sd", f"SD\n{over}", _sd)
    strict = [
        _Column("strict", f"{notes.strict_head(summary)}\n", _strict_cell),
        _Column("strict", "95% CI\ncases", lambda model: _interval(model.strict_ci95)),
    ]
    mean = [
        _Column("mean", f"{notes.mean_head(summary)}\n0-100", _mean),
        _Column("mean", "95% CI\ncases", lambda model: _interval(model.ci95)),
        sd,
    ]
    if summary.is_right_or_wrong:
        figures = [*strict, sd] if summary.is_series else strict
    else:
        figures = [*mean, *strict] if summary.metric == "mean" else [*strict, *mean]
    return [
        *figures,
        _Column("scored", "Scored\ntrials", scored_count),
        *([_Column("cost", "Cost\n", notes.model_cost)] if costs else []),
    ]


def _cells(text: str) -> int:
    """Return the number of terminal columns of a text."""
    from rich.cells import cell_len  # noqa: PLC0415  a heavy import

    return cell_len(text)


def _mean(model: ModelSummary) -> str:
    return missing_figures.optional_score(model.mean)


def _sd(model: ModelSummary) -> str:
    return missing_figures.sd(model.sd)


def _strict_cell(model: ModelSummary) -> str:
    return missing_figures.optional_share(model.strict_accuracy)


def _interval(ends: tuple[float, float] | None) -> str:
    return missing_figures.optional_interval(ends)


def scored_count(model: ModelSummary) -> str:
    """Return the number of scored trials that count, and the total if some are missing."""
    of = model.n_counted
    return f"{model.n_scored:,}" if of == model.n_scored else f"{model.n_scored:,}/{of:,}"


def _wrap(paragraphs: list[str], width: int) -> str:
    from textwrap import fill  # noqa: PLC0415  beside its only use

    return "".join(
        f"{fill(text, width, break_long_words=False, break_on_hyphens=False)}\n"
        for text in paragraphs
        if text
    )


def width_of(stream: TextIO) -> int:
    """The columns of the stream's terminal; 80 without one, or where it does not know its size."""
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns or WIDTH)
    except (OSError, ValueError, AttributeError):
        return WIDTH
