"""Reports faults in values of a suite at their locations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.messages import FieldFault, faults, refused_fields
from benchmaker.spec.documents.source_map import Path, SourceMap
from benchmaker.spec.suites.suite_form import SUITE_PARTS


class ValidValues(NamedTuple):
    """The values to which there is no objection, and the names of the fields that were refused."""

    values: dict[str, Any]
    refused: frozenset[str]


@dataclass(frozen=True, slots=True)
class Objections:
    """Puts findings at the places of a suite's values."""

    places: SourceMap
    findings: Findings

    def add(self, path: Path, message: str, hint: str = "") -> None:
        """Object to the value at a path."""
        self.findings.add(self.places.locate(path), message, hint)

    def validate(
        self, model: type[BaseModel], values: Mapping[str, Any], above: Path = ()
    ) -> ValidValues:
        """Return the values that a model accepts; report the others.

        ``above`` is the path of the values.
        """
        try:
            model.model_validate(values)
        except ValidationError as exc:
            self.take(faults(exc, model, SUITE_PARTS), above)
            refused = refused_fields(exc, model, values)
            known = model.model_fields.keys() - refused
            return ValidValues({k: v for k, v in values.items() if k in known}, refused)
        return ValidValues(dict(values), frozenset())

    def take(self, found: Iterable[FieldFault], above: Path = ()) -> None:
        """Report the faults of a validation of values below a path."""
        for fault in found:
            path = (*above, *fault.path)
            place = self.places.locate_key(path) if fault.is_key else self.places.locate(path)
            self.findings.add(place, fault.message, fault.hint)

    def refuse(self, unfit: Iterable[tuple[Path, str]], above: Path = ()) -> None:
        """Object to texts that can't be kept."""
        for path, message in unfit:
            self.add((*above, *path), message, "Remove it.")

    def text_at(self, above: Path) -> Callable[[Path], str]:
        """Return a function that gives the source text of a scalar below a path."""
        return lambda path: self.places.text((*above, *path))
