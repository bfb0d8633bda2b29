"""One submission in the terminal: every figure with where it comes from."""

from benchmaker.record.submissions.submission import Submission
from benchmaker.report.sentences.figures import figures, submission_facts
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_LISTED = 20


def submission_text(submission: Submission, *, width: int = WIDTH, styled: bool = False) -> str:
    """All figures of a submission as a table, then its flags and the files it was read from."""
    rows = tuple((it.label, it.value, it.source) for it in figures(submission))
    columns = (
        Column("Metric", is_right=False),
        Column("Value", is_right=False),
        Column("From", is_right=False),
    )
    head = wrap_paragraphs(submission_facts(submission), width)
    table = Table(columns, rows).text(width=width, styled=styled)
    return f"{head}\n{table}\n{wrap_paragraphs(_notes_below(submission), width)}"


def _notes_below(submission: Submission) -> list[str]:
    tools = ", ".join(f"{name} {n:,}" for name, n in _by_number(submission.tools_by_name))
    files = [*submission.artifacts.files_created, *submission.artifacts.files_modified]
    listed = ", ".join(files[:_LISTED])
    more = f" and {len(files) - _LISTED:,} more" if len(files) > _LISTED else ""
    importer = f"{submission.importer}, version {submission.importer_version}"
    told = (
        f"Tools: {tools}" if tools else "",
        f"Files: {listed}{more}" if files else "",
        f"Flags: {', '.join(submission.flags)}" if submission.flags else "",
        f"Log: {submission.completeness}, read by importer {importer}",
        *(f"From {it.path} ({it.bytes:,} bytes)" for it in submission.sources[:_LISTED]),
    )
    return [sanitise(it) for it in told if it]


def _by_number(tools: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(tools.items(), key=lambda it: (-it[1], it[0]))
