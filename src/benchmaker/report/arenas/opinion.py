"""Second opinions as text, Markdown, CSV and HTML."""

from collections.abc import Sequence
from typing import Any, TextIO

from benchmaker.analysis.opinion.opinion import SecondOpinion
from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.result_tables.opinion_findings import OPINION_FINDINGS
from benchmaker.report.sentences.opinion_words import opinion_finding_sentence, opinion_sentences
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.table import write_rows


def opinion_report(made: Sequence[SecondOpinion]) -> ReportDocument:
    """Return the figures in sentences, and the findings of each task as a table."""
    number = sum(len(one.findings) for one in made)
    found = count(number, "finding") if number else "no finding"
    return ReportDocument(
        title="Second opinion",
        facts=(count(len(made), "task"), found),
        verdict=tuple(said for one in made for said in opinion_sentences(one)),
        sections=tuple(_section(one, len(made)) for one in made if one.findings),
        legend=tuple(
            dict.fromkeys(
                said for one in made for said in OPINION_FINDINGS.legend(one, Surface.REPORT)
            )
        ),
    )


def _section(made: SecondOpinion, tasks: int) -> Section:
    notes = tuple(map(opinion_finding_sentence, made.findings))
    head = (f"{made.task}, {made.model}:",) if tasks > 1 else ()
    return Section(OPINION_FINDINGS.table(made), notes=(*head, *notes))


def opinion_data(made: Sequence[SecondOpinion]) -> dict[str, Any]:
    """Return the first opinion as plain data, and all of them as ``opinions``."""
    listed = [one.to_dict() for one in made]
    return {**(listed[0] if listed else {}), "opinions": listed}


def write_opinion_csv(made: Sequence[SecondOpinion], stream: TextIO) -> None:
    """Write a row for each finding of every task."""
    rows = (row for one in made for row in OPINION_FINDINGS.records(one))
    write_rows(stream, OPINION_FINDINGS.keys, rows)
