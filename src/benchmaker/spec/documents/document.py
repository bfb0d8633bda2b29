"""A document that a person wrote, as plain data with the place of each value."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation, SourceMark


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and the marks of its values."""

    data: Any  # whatever stands in the file: text, numbers, lists and mappings
    root: SourceMark


def as_document(given: Any) -> Any:  # noqa: ANN401  any value passed from Python
    """Return a value passed from Python with the containers of a document: dicts and lists.

    >>> as_document({"tags": ("a", "b")})
    {'tags': ['a', 'b']}
    """
    match given:
        case Mapping():
            return {key: as_document(value) for key, value in given.items()}
        case list() | tuple() | Iterator():
            return [as_document(value) for value in given]
        case _:
            return given


def number(text: str) -> int | float:
    """Return the finite number a literal represents; the ValueError says why it is not one.

    >>> number("1e3")
    1000.0
    """
    try:
        value = float(text) if any(sign in text for sign in ".eE") else int(text)
    except ValueError:
        raise ValueError(f"the number is too long ({len(text)} digits).") from None
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large.")
    return value


@dataclass(slots=True)
class Budget:
    """The remaining limits of a document's reader, and the faults found so far."""

    file: str
    limits: Limits
    findings: Findings
    values: int = field(default=0)

    def place(self, line: int, column: int) -> SourceLocation:
        """A place in this file."""
        return SourceLocation(self.file, line, column)

    def spend(self, values: int, place: SourceLocation) -> None:
        """Count values; SpecError when there are more than the limit."""
        self.values += values
        if self.values > self.limits.values:
            message = f"the document has more than {self.limits.values:,} values."
            raise refusal(place, message, "Move the cases to a .jsonl file.")

    def check_depth(self, depth: int, place: SourceLocation) -> None:
        """SpecError where values are nested too deeply."""
        if depth > self.limits.depth:
            raise self.stop(place, f"values are nested more than {self.limits.depth} deep.")

    def stop(self, place: SourceLocation, message: str, hint: str = "") -> SpecError:
        """Return the error for a fault that ends reading."""
        return refusal(place, message, hint)

    def number(self, text: str, place: SourceLocation) -> int | float:
        """Return the number a literal represents; report others and return :data:`NO_NUMBER`."""
        try:
            return number(text)
        except ValueError as exc:
            self.findings.add(place, str(exc), QUOTE_IT)
            return NO_NUMBER


NO_NUMBER = 1
"""Stands in for what is no number and was objected to: no field objects to it a second time."""
QUOTE_IT = "If you mean text, put it in quotes."
