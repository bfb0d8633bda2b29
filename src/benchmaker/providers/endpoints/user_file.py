"""A YAML file that the user keeps in the data folder, checked against its form."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import faults, kind
from benchmaker.spec.documents.source_map import SourceLocation, SourceMap
from benchmaker.spec.documents.yaml import read_yaml

Form = TypeVar("Form", bound=BaseModel)


def read_user_file(
    path: Path, form: type[Form], parts: Mapping[str, type[BaseModel]]
) -> tuple[Form, SourceMap] | None:
    """Return the file's content with the locations of its values; None if it does not exist.

    ``parts`` are the models of nested values of the form, by field.

    Raises:
        SpecError: all faults together, each with line and column.
    """
    if not path.exists():
        return None
    limits = Limits()
    findings = Findings()
    text = read_text(path, limits=limits, cap=limits.document_bytes)
    document = read_yaml(text, str(path), limits=limits, findings=findings)
    places = SourceMap(str(path), document.root)
    data = {} if document.data is None else document.data
    if not isinstance(data, dict):
        findings.add(
            SourceLocation(str(path), 1, 1), f"the file must be a mapping, not {kind(data)}."
        )
        findings.raise_if_any()
    try:
        checked = form.model_validate(data)
    except ValidationError as exc:
        for fault in faults(exc, form, parts):
            place = places.locate_key(fault.path) if fault.is_key else places.locate(fault.path)
            findings.add(place, fault.message, fault.hint)
        findings.raise_if_any()
        raise  # pragma: no cover  a form that is not kept leaves a finding
    findings.raise_if_any()
    return checked, places
