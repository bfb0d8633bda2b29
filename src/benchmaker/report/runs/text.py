"""The table in the terminal."""

import os
from dataclasses import replace
from typing import TextIO

from benchmaker.analysis import Summary
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.sentences import notes
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.sanitize import make_encodable
from benchmaker.report.tables.table import WIDTH, wrap_paragraphs


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
    wide = width or width_of(stream)
    bold = stream.isatty() if styled is None else styled
    stream.write(make_encodable(summary_text(summary, width=wide, styled=bold), stream.encoding))


def summary_text(summary: Summary, *, width: int = WIDTH, styled: bool = False) -> str:
    """The table of a run or series as text; every line ends with a line feed."""
    title = notes.name(summary.run.suite_name) if summary.run else "Scores"
    means = replace(MEANS.table(summary), folds_names=True)
    below = [
        means.omission_note(width),
        *notes.summary_notes(summary),
        *MEANS.legend(summary, Surface.TERMINAL, places=means.fitting_columns(width)),
        notes.reproducibility_line(summary),
    ]
    head = wrap_paragraphs([f"{title}: {', '.join(notes.summary_facts(summary))}"], width)
    table = means.grid_text(width=width, styled=styled)
    corrected = _corrected_means(summary, width, styled=styled)
    return f"{head}\n{table}\n{wrap_paragraphs(below, width)}{corrected}"


def _corrected_means(summary: Summary, width: int, *, styled: bool) -> str:
    if summary.corrected is None:
        return ""
    from benchmaker.report.runs.correction import corrected_text  # noqa: PLC0415  few runs have labels

    return f"\n{corrected_text(summary.corrected, width=width, styled=styled)}"


def width_of(stream: TextIO) -> int:
    """The columns of the stream's terminal; 80 without one, or where it does not know its size."""
    try:
        return max(40, os.get_terminal_size(stream.fileno()).columns or WIDTH)
    except (OSError, ValueError, AttributeError):
        return WIDTH
