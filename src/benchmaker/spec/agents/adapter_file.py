"""Agent adapters out of their TOML files."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.agents.adapter import AgentAdapter
from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import FieldFault, faults

SUFFIX: Final = ".toml"
_HINT: Final = "See: benchmaker schema agent"
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


def load_adapter(path: str | Path) -> AgentAdapter:
    """Load an adapter from its TOML file.

    Raises:
        SpecError: all faults together, each with file and line.
    """
    file, limits = Path(path), Limits()
    text = read_text(file, limits=limits, cap=limits.document_bytes)
    data = _parse(text, file)
    try:
        return AgentAdapter.model_validate(data)
    except ValidationError as exc:
        found = faults(exc, AgentAdapter, {})
        raise SpecError.of([_finding(one, text, file) for one in found]) from exc


def _parse(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        message = str(exc)
        place = _PLACE.search(message)
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        what = f"no valid TOML: {_PLACE.sub('', message)}."
        raise SpecError.of([Finding(str(file), line, column, what, _HINT)]) from exc


def _finding(fault: FieldFault, text: str, file: Path) -> Finding:
    line = next((at for key in reversed(fault.path) if (at := _line_of(str(key), text))), 0)
    return Finding(str(file), line, int(line > 0), fault.message, fault.hint or _HINT)


def _line_of(key: str, text: str) -> int:
    """The first line that gives this key a value, or opens its table; 0 if there is none."""
    name = rf"[\"']?{re.escape(key)}[\"']?"
    pattern = re.compile(rf"\s*(?:\[{name}\]|{name}\s*[=.])")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), 0)
