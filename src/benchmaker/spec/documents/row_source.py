"""Where the rows of cases come from: a data file, or another table that can be read again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmaker.spec.documents.files import Signature, signature
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, Report, read_rows


class RowSource(Protocol):
    """Rows that can be read again and again."""

    @property
    def place(self) -> str:
        """The name of the source in messages."""

    def signature(self) -> Signature | None:
        """Return the mark of the content, which differs once it changes; SpecError without one."""

    def rows(self, *, limits: Limits, report: Report) -> Iterator[DataRow]:
        """Yield the rows; unreadable ones are reported. SpecError if reading cannot continue."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file; ``sheet`` names the sheet of a workbook."""

    path: Path
    sheet: str | None = None

    @property
    def place(self) -> str:
        """The path of the file."""
        return str(self.path)

    def signature(self) -> Signature | None:
        """Return the size and times of the file."""
        return signature(self.path)

    def rows(self, *, limits: Limits, report: Report) -> Iterator[DataRow]:
        """Yield the rows of the file."""
        return read_rows(self.path, limits=limits, report=report, sheet=self.sheet)
