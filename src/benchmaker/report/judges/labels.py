"""Labels as files, and the labelling status as text."""

import re
from collections.abc import Iterable
from typing import Any, TextIO

import msgspec

from benchmaker.analysis.judges.label_status import TRAP_TOLERANCE, LabelStatus
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.redact import Redactor
from benchmaker.report.result_tables.label_tables import LABELLERS, LABELS, LabelExport
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_BROKEN = re.compile("[\0\ud800-\udfff]")


def write_labels(
    labels: Iterable[Label], stream: TextIO, *, form: str, redactor: Redactor | None = None
) -> None:
    """Write the labels, one per line: JSON lines keep all, CSV escapes formulas.

    Args:
        labels: the labels.
        stream: text, written as UTF-8.
        form: ``csv`` or ``jsonl``.
        redactor: removes further secrets; texts that look like keys are removed from remarks.
    """
    made = LabelExport(tuple(labels), redactor or Redactor())
    if form != "jsonl":
        LABELS.write_csv(made, stream)
        return
    for record in LABELS.records(made):
        row = {at: _replace_surrogates(value) for at, value in record.items()}
        stream.write(f"{msgspec.json.encode(row).decode()}\n")


def _replace_surrogates(value: Any) -> Any:  # noqa: ANN401  a text, a number, or nothing
    """Halves of surrogate pairs, which no file can hold, replaced."""
    return _BROKEN.sub("�", value) if isinstance(value, str) else value


def status_text(status: LabelStatus, *, width: int = WIDTH, styled: bool = False) -> str:
    """Return the labels per person, the agreement of people, and of the judge with them."""
    if not status.people:
        return "No labels yet.\n"
    table = LABELLERS.table(status).text(width=width, styled=styled)
    return (
        f"{table}\n{wrap_paragraphs([*_people(status), *_judge(status), *_traps(status)], width)}"
    )


def _people(status: LabelStatus) -> list[str]:
    alpha = status.people_alpha
    if alpha is None or alpha.value is None:
        return [f"Agreement between people: unknown ({status.people_reason})."]
    value = _value_with_interval(alpha.value, alpha.interval)
    told = f"alpha {value} over {count(alpha.n, 'answer')}"
    return [f"Agreement between people: {told}. This is the upper limit for any judge."]


def _judge(status: LabelStatus) -> list[str]:
    beside = status.judge
    if beside is None:
        return []
    alpha, r = beside.alpha, beside.correlation
    parts = [
        f"alpha {_value_with_interval(alpha.value, alpha.interval)}"
        if alpha and alpha.value is not None
        else "",
        f"correlation {_value_with_interval(r.value, r.interval)}"
        if r and r.value is not None
        else "",
        f"bias {_points(beside.bias.mean, beside.bias.interval, signed=True)}",
        f"mean absolute error {_points(beside.error.mean, beside.error.interval)}",
    ]
    told = "; ".join(part for part in parts if part)
    answers = count(beside.n, "answer")
    return [f"Judge against people, {answers} drawn at random: {told} (scores 0–100)."]


def _traps(status: LabelStatus) -> list[str]:
    if not any(one.traps for one in status.people):
        return []
    far = f"more than {TRAP_TOLERANCE:.0%} of the scale off"
    return [f"A trap fails when its score is {far}. Failed traps exclude no labels."]


def _value_with_interval(value: float, ends: tuple[float, float] | None) -> str:
    low, high = (numbers.limit(end, 2) for end in ends) if ends else ("", "")
    around = f" (95% CI {low} to {high})" if ends else ""
    return f"{numbers.fixed_point(value, 2)}{around}"


def _points(value: float, ends: tuple[float, float] | None, *, signed: bool = False) -> str:
    shown = numbers.difference(value) if signed else numbers.score(value)
    around = f" (95% CI {numbers.end(ends[0])} to {numbers.end(ends[1])})" if ends else ""
    return f"{shown}{around}"
