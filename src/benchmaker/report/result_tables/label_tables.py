"""The tables of labels: each label for files, and the labels of each person."""

from typing import Final, NamedTuple, TypeAlias

from benchmaker.analysis.judges.label_status import LabelStatus, Person
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.redact import Redactor
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration


class LabelExport(NamedTuple):
    """Labels for a file; ``redactor`` removes secrets from their remarks."""

    labels: tuple[Label, ...]
    redactor: Redactor


LabelColumn: TypeAlias = TableColumn[LabelExport, Label]

_SCALE: Final[LabelColumn] = TableColumn(
    name="scale", keys=("scale_min", "scale_max"), value=lambda label, _: label.scale
)

LABELS: TableDeclaration[LabelExport, Label] = TableDeclaration(
    "labels",
    (
        TableColumn(name="run", value=lambda label, _: label.run_id),
        TableColumn(name="case", value=lambda label, _: label.case_id),
        TableColumn(name="model", value=lambda label, _: label.model),
        TableColumn(name="id", value=lambda label, _: label.blind_id),
        TableColumn(name="source", value=lambda label, _: label.source),
        TableColumn(name="by", value=lambda label, _: label.actor),
        TableColumn(name="score", value=lambda label, _: label.score),
        TableColumn(name="raw_score", value=lambda label, _: label.raw_score),
        _SCALE,
        TableColumn(name="known", value=lambda label, _: label.known),
        TableColumn(name="version", value=lambda label, _: label.version),
        TableColumn(name="created_at", value=lambda label, _: label.created_at),
        TableColumn(name="note", value=lambda label, made: made.redactor.text(label.note)),
    ),
    rows=lambda made: made.labels,
)
"""Every label; ``id`` is the blind one, and scores are from 0 to 1."""

LABELLERS: TableDeclaration[LabelStatus, Person] = TableDeclaration(
    "people",
    (
        TableColumn(
            name="name", title="Person", text=lambda one, _: name(one.name), is_right=False
        ),
        TableColumn(name="random", title="Drawn at\nrandom", text=lambda one, _: f"{one.random:,}"),
        TableColumn(name="targeted", title="Targeted", text=lambda one, _: f"{one.targeted:,}"),
        TableColumn(name="traps", title="Traps", text=lambda one, _: f"{one.traps:,}"),
        TableColumn(
            name="traps_failed", title="Failed", text=lambda one, _: f"{one.traps_failed:,}"
        ),
    ),
    rows=lambda status: status.people,
    caption=lambda status: f"{count(status.answers, 'answer')} with a label",
)
"""The number of answers that each person labelled, by their source."""
