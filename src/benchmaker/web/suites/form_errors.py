"""Faults of a form: each remark at its field, like findings at lines of a file.

A form is treated as a file in which each field has a line, so that the checks of files also apply
to forms.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.documents.yaml import read_yaml

LIMITS = Limits(document_bytes=2**20, values=20_000, findings=20)


class Remark(NamedTuple):
    """A fault of a field, and the remedy; no field for the form as a whole."""

    field: str
    message: str
    hint: str = ""


class FormLines:
    """The fields of a form as lines, from 1."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = tuple(fields)

    def mark(self, field: str) -> SourceMark:
        """Return the location of a field."""
        return SourceMark(self._fields.index(field) + 1, 1, inside={}, keys={})

    def mark_of(self, field: str, values: Mapping[str, Any], inner: str) -> SourceMark:
        """Return the location of a field whose values, except the id, are in another field."""
        mark, inside = self.mark(field), self.mark(inner)
        for name in values:
            mark.inside[name] = mark if name == "id" else inside
            mark.keys[name] = (inside.line, 1)
        return mark

    def remarks(self, findings: Iterable[Finding]) -> Iterator[Remark]:
        """The findings at the fields in which they are."""
        for one in findings:
            field = self._fields[one.line - 1] if one.line else ""
            yield Remark(field, one.message, one.hint)


def read_block(text: str, field: str) -> tuple[Any, tuple[Remark, ...]]:
    """Return the YAML in a field as plain data, None without any; and its faults."""
    if not text.strip():
        return None, ()
    findings = Findings(LIMITS.findings)
    try:
        document = read_yaml(text, field, limits=LIMITS, findings=findings)
    except SpecError as exc:
        said = exc.findings or (Finding(field, 0, 0, exc.message, exc.hint),)
        return None, tuple(_in_block(field, said))
    return document.data, tuple(_in_block(field, findings.items))


def _in_block(field: str, findings: Iterable[Finding]) -> Iterator[Remark]:
    for one in findings:
        line = f"line {one.line}: " if one.line else ""
        yield Remark(field, f"{line}{one.message}", one.hint)


def unique_remarks(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Each remark once, in the order of their first."""
    return tuple(dict.fromkeys(remarks))
