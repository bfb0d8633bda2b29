"""Objecting to values of a suite, at the places where they stand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from benchmaker.spec.case import Case
from benchmaker.spec.findings import Findings
from benchmaker.spec.places import Path, Places
from benchmaker.spec.suite_form import CASE_PARTS, SUITE_PARTS
from benchmaker.spec.wording import faults


@dataclass(frozen=True, slots=True)
class Objections:
    """Puts findings at the places of a suite's values."""

    places: Places
    findings: Findings

    def add(self, path: Path, message: str, hint: str = "") -> None:
        """Object to the value at a path."""
        self.findings.add(self.places.of(path), message, hint)

    def to(
        self, error: ValidationError, model: type[BaseModel], above: Path = ()
    ) -> set[str | int]:
        """Object to what a validation found, and name the fields concerned.

        ``above`` is the path of what was validated as a ``model``.
        """
        parts = CASE_PARTS if model is Case else SUITE_PARTS
        for fault in faults(error, model, parts):
            path = (*above, *fault.path)
            place = self.places.key(path) if fault.is_key else self.places.of(path)
            self.findings.add(place, fault.message, fault.hint)
        return {detail["loc"][0] for detail in error.errors() if detail["loc"]}

    def refuse(self, unfit: Iterable[tuple[Path, str]], above: Path = ()) -> None:
        """Object to texts that can't be kept."""
        for path, message in unfit:
            self.add((*above, *path), message, "Remove it.")

    def text_at(self, above: Path) -> Callable[[Path], str]:
        """How to get at the text of a scalar below a path."""

        def text(path: Path) -> str:
            root = self.places.root
            return (root.at((*above, *path)).source if root else None) or ""

        return text
