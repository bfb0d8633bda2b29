"""The faults of a suite's files, collected and reported together."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.source_map import SourceLocation


@dataclass(slots=True)
class Findings:
    """Faults in the order found; beyond ``limit`` they are only counted."""

    limit: int = 200
    items: list[Finding] = field(default_factory=list)
    more: int = 0
    is_cut: bool = False
    """True if the search ended before everything was checked."""

    def __len__(self) -> int:
        return len(self.items) + self.more

    @property
    def is_full(self) -> bool:
        """True if further faults are only counted."""
        return len(self.items) >= self.limit

    def add(self, place: SourceLocation, message: str, hint: str = "") -> None:
        """Note a fault at a place."""
        self.put(Finding(place.file, place.line, place.column, message, hint))

    def put(self, finding: Finding) -> None:
        """Note a fault."""
        if self.is_full:
            self.more += 1
        else:
            self.items.append(finding)

    def take(self, findings: Iterable[Finding]) -> None:
        """Note several faults."""
        for finding in findings:
            self.put(finding)

    def stop_after(self, faults: int, place: SourceLocation) -> None:
        """Raise SpecError when there are more faults than anybody would read about."""
        if len(self) > faults:
            raise refusal(place, f"more than {faults:,} errors; reading stopped here.")

    def error(self) -> SpecError:
        """Return one error that lists the faults kept and counts the rest in a last finding."""
        listed = SpecError.of(self.items)
        if not self.more and not self.is_cut:
            return listed
        rest = Finding(listed.findings[0].file, 0, 0, self._rest(), "Fix these first.")
        return SpecError(f"{listed.message}\n{rest}", findings=(*listed.findings, rest))

    def _rest(self) -> str:
        if not self.more:
            return "there may be more errors; checking stopped here."
        return f"{'at least ' if self.is_cut else ''}{self.more:,} more errors are not listed."

    def raise_if_any(self) -> None:
        """Raise the error if there is any fault."""
        if self:
            raise self.error()


def refusal(place: SourceLocation, message: str, hint: str = "") -> SpecError:
    """The error for one fault that ends the reading of a file."""
    return SpecError.of([Finding(place.file, place.line, place.column, message, hint)])
