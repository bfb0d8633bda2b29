"""The table of the check, and the page of the documentation that has the last one."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from drift.comparing import Line

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "agent-logs" / "drift.md"
MARK = "<!-- below: python benchmarks/agent_drift.py FOLDER --docs -->"
HEADS = ("tool", "version", "form", "reader", "prompts", "answers", "calls", "tokens", "result")
_RIGHT = {"prompts", "answers", "calls", "tokens"}


def table(lines: Sequence[Line]) -> Iterator[str]:
    """The lines as Markdown."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'|'.join('--:' if it in _RIGHT else '---' for it in HEADS)}|"
    for it in lines:
        figures = (it.prompts, it.answers, it.calls, it.tokens)
        reader = f"`{it.reader}`" if it.reader else ""
        cells = (it.tool, it.version, it.form, reader, *figures, result(it))
        yield f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |"


def result(line: Line) -> str:
    """What came of it, in words."""
    if line.not_run:
        return f"not run: {line.not_run}"
    if line.faults:
        return f"**lost**: {'; '.join((*line.faults, *line.notes))}"
    return "; ".join(("all read", *line.notes))


def write(lines: Sequence[Line], day: date) -> None:
    """Put the table into the page, below the line that says so."""
    above, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    text = "\n".join([above + MARK, "", f"Run on {day.isoformat()}.", "", *table(lines)])
    PAGE.write_text(text + "\n", encoding="utf-8")
