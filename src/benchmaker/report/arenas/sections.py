"""The result of a command: sentences and tables, as text, Markdown and one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from benchmaker.redact import Redactor
from benchmaker.report.runs.html import Theme, policy_of, source_of, template_of
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table, bullets, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its caption; ``plots`` are drawn next to its rows, ``drawing`` above it.

    The ``legend`` says how its figures are made.

    Plots are SVG made by this package; they show the table's values.
    """

    table: Table
    plots: tuple[str, ...] = ()
    axis: str = ""
    drawing: str = ""
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """Title, facts, summary sentences, tables, notes, and the meaning of columns and methods."""

    title: str
    facts: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()

    def text(self, *, explain: bool = False, width: int = WIDTH, styled: bool = False) -> str:
        """For the terminal: the verdict first; the legend if explained."""
        head = " · ".join([self.title, *self.facts])
        parts = [wrap_paragraphs(map(sanitise, [*self.verdict, head]), width)]
        for one in self.sections:
            table = one.table.text(width=width, styled=styled) if one.table.rows else ""
            said = (*one.notes, *(one.legend if explain else ()))
            parts += [table + wrap_paragraphs(map(sanitise, said), width)]
        has_legend = self.legend or any(one.legend for one in self.sections)
        hint = ["Methods and columns: add --explain."] if has_legend else []
        below = [*self.notes, *(self.legend if explain else hint)]
        parts.append(wrap_paragraphs(map(sanitise, below), width))
        return "\n".join(part for part in parts if part)

    def markdown(self) -> str:
        """For pull requests."""
        parts = [bullets(map(sanitise, (" · ".join([self.title, *self.facts]), *self.verdict)))]
        for one in self.sections:
            table = one.table.markdown() if one.table.rows else ""
            parts.append(
                "\n".join(
                    it for it in (table, bullets(map(sanitise, (*one.notes, *one.legend)))) if it
                )
            )
        parts.append(bullets(map(sanitise, (*self.notes, *self.legend))))
        return "\n".join(part for part in parts if part)

    def write_html(
        self, stream: TextIO, *, theme: Theme = "auto", redactor: Redactor | None = None
    ) -> None:
        """Write one page without scripts and external resources; all content is escaped."""
        hide = (redactor or Redactor()).text
        css = "".join(source_of(name) for name in ("tokens.css", "report.css", "sections.css"))
        content: dict[str, Any] = {
            "css": css,
            "policy": policy_of(css),
            "theme": theme,
            "title": sanitise(hide(self.title)),
            "facts": [sanitise(hide(it)) for it in self.facts],
            "verdict": [sanitise(hide(it)) for it in self.verdict],
            "notes": [sanitise(hide(it)) for it in (*self.notes, *self.legend)],
            "sections": [_section(one, hide) for one in self.sections],
        }
        stream.writelines(template_of("sections.html.jinja").generate(content))
        stream.write("\n")


def _name_of(table: Table) -> int:
    """Return the column that names a row: the first left-aligned one."""
    return next((at for at, column in enumerate(table.columns) if not column.is_right), 0)


def _section(one: Section, hide: Any) -> dict[str, Any]:  # noqa: ANN401  a function of texts
    table = one.table
    plots: Sequence[str] = one.plots or [""] * len(table.rows)
    return {
        "caption": sanitise(hide(table.caption)),
        "columns": [
            {"label": column.heading, "right": column.is_right} for column in table.columns
        ],
        "plot_after": _name_of(table),
        "rows": [
            {"cells": [sanitise(hide(cell)) for cell in row], "plot": plot}
            for row, plot in zip(table.rows, plots, strict=True)
        ],
        "has_plots": bool(one.plots),
        "axis": one.axis,
        "drawing": one.drawing,
        "notes": [sanitise(hide(it)) for it in (*one.notes, *one.legend)],
    }
