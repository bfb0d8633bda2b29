"""A YAML or JSON file of another tool: its data, and the line and text of each value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import Omission
from benchmaker.errors import SpecError
from benchmaker.redact import Redactor
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceMark
from benchmaker.spec.documents.yaml import read_yaml

Keys = tuple[str | int, ...]
FUNCTION = "!function "
"""How the text of a value begins that names a Python function in a task of lm-eval."""

_FUNCTION_TAG = re.compile(r"!function[ ]+(?P<name>[\w./-]+)")
_MOST_LINES = 12
_MOST_COLUMNS = 300
_LIMITS = Limits()
_redactor = Redactor()


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """The data of a file, with the place of each value."""

    path: Path
    data: Any
    mark: SourceMark
    lines: tuple[str, ...]

    def line_of(self, keys: Keys) -> int:
        """The line of a key or an item, from 1; of the nearest value around it if unknown."""
        mark, line = self.mark, 1
        for step in keys:
            place = mark.keys.get(step) if isinstance(step, str) and mark.keys else None
            inside = (mark.inside or {}).get(step)
            if place is not None:
                line = place[0]
            elif inside is not None:
                line = inside.line
            if inside is None:
                return line
            mark = inside
        return line

    def piece(self, line: int) -> str:
        """The text from a line to the end of its value, by indentation; secrets are replaced."""
        first = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        kept = [first]
        for text in self.lines[line : line + _MOST_LINES]:
            if text.strip() and _indent(text) <= _indent(first):
                break
            kept.append(text)
        return _redactor.text("\n".join(it[:_MOST_COLUMNS] for it in _shift(kept))).strip("\n")

    def omission(self, keys: Keys, what: str) -> Omission:
        """Return the omission of the value at these keys."""
        line = self.line_of(keys)
        return Omission(self.path.name, line, what, self.piece(line))


def read_original(path: Path) -> OriginalFile:
    """Return the data of a YAML or JSON file; a tag ``!function`` becomes text.

    Raises:
        SpecError: the file can't be read, is too large or no YAML.
    """
    text = read_utf8(path)
    tagged = _FUNCTION_TAG.sub(lambda found: f'"{FUNCTION}{found["name"]}"', text)
    findings = Findings(_LIMITS.findings)
    document = read_yaml(tagged, str(path), limits=_LIMITS, findings=findings)
    if len(findings):
        raise findings.error()
    return OriginalFile(path, merge_keys(document.data), document.root, tuple(text.split("\n")))


def read_utf8(path: Path) -> str:
    """Return the text of a file.

    Raises:
        SpecError: it can't be read, is too large or not UTF-8.
    """
    try:
        if path.stat().st_size > _LIMITS.document_bytes:
            raise SpecError("the file is larger than 10 MB.", where=str(path))
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as exc:
        raise SpecError(f"can't be read: {exc.strerror or exc}.", where=str(path)) from exc
    except UnicodeDecodeError as exc:
        raise SpecError("the file is not UTF-8.", where=str(path)) from exc


def merge_keys(data: Any) -> Any:  # noqa: ANN401  plain data
    """Return data with the merge keys ``<<`` of YAML applied.

    >>> merge_keys({"<<": {"a": 1, "b": 1}, "b": 2})
    {'a': 1, 'b': 2}
    """
    if isinstance(data, list):
        return [merge_keys(it) for it in data]
    if not isinstance(data, Mapping):
        return data
    made: dict[str, Any] = {}
    several = data.get("<<", ())
    for one in several if isinstance(several, list) else (several,):
        if isinstance(one, Mapping):
            made = {**merge_keys(one), **made}
    return made | {key: merge_keys(value) for key, value in data.items() if key != "<<"}


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _shift(lines: list[str]) -> list[str]:
    """The lines without the indentation of the first."""
    width = _indent(lines[0])
    return [it[width:] if not it[:width].strip() else it.lstrip() for it in lines]
