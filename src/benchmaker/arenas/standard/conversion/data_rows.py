"""The rows of a data set in JSON, JSON Lines or CSV, each with the line on which it begins."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated, Omission
from benchmaker.arenas.standard.conversion.original_file import read_original, read_utf8
from benchmaker.errors import SpecError
from benchmaker.redact import Redactor

_MOST_CHARACTERS = 500
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_redactor = Redactor()


class DataRow(NamedTuple):
    """A row with its file and its line, from 1."""

    file: str
    line: int
    values: dict[str, Any]

    def omission(self, what: str) -> Omission:
        """Return the omission of the row, or of a part of it."""
        text = json.dumps(self.values, ensure_ascii=False, default=str)[:_MOST_CHARACTERS]
        return Omission(self.file, self.line, what, _redactor.text(text))


def rows_of(path: Path) -> Iterator[DataRow]:
    """Yield the rows of a file that are mappings; a cell without text is left out.

    Raises:
        SpecError: the file can't be read, or is no such file.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        yield from _csv_rows(path)
    elif suffix == ".jsonl":
        yield from _line_rows(path)
    else:
        file = read_original(path)
        for place, one in enumerate(file.data if isinstance(file.data, list) else ()):
            if isinstance(one, Mapping):
                yield DataRow(path.name, file.line_of((place,)), dict(one))


def _csv_rows(path: Path) -> Iterator[DataRow]:
    reader = csv.DictReader(io.StringIO(read_utf8(path), newline=""))
    line = 2
    for row in reader:
        yield DataRow(path.name, line, {key: it for key, it in row.items() if key and it})
        line = reader.line_num + 1


def _line_rows(path: Path) -> Iterator[DataRow]:
    for number, line in enumerate(read_utf8(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as exc:
            raise SpecError(f"line {number} is no JSON: {exc}.", where=str(path)) from exc
        if isinstance(found, dict):
            yield DataRow(path.name, number, found)


def question_of(given: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    """Return the question of a case: a prompt, or messages of texts.

    Raises:
        NotTranslated: it has pictures, calls of tools or other roles.

    >>> question_of([{"role": "user", "content": "Hello"}])
    {'messages': [{'role': 'user', 'content': 'Hello'}]}
    """
    if isinstance(given, str):
        return {"prompt": given}
    if not isinstance(given, list) or not given:
        raise NotTranslated("it has no input")
    return {"messages": [_turn(it) for it in given]}


def _turn(given: Any) -> dict[str, str]:  # noqa: ANN401  any JSON
    role = given.get("role") if isinstance(given, Mapping) else None
    content = given.get("content") if isinstance(given, Mapping) else None
    if isinstance(content, list) and all(
        isinstance(it, Mapping) and it.get("type") == "text" for it in content
    ):
        content = "\n".join(str(it.get("text")) for it in content)
    if role not in _ROLES or not isinstance(content, str) or given.get("tool_calls"):
        raise NotTranslated("a message is no text of the system, the user or the assistant")
    return {"role": _ROLES[role], "content": content}


def text_list(given: Any) -> list[str]:  # noqa: ANN401  any JSON
    """Return one text or several as a list; numbers as their digits.

    >>> text_list(["a", 2]), text_list(None)
    (['a', '2'], [])
    """
    several = given if isinstance(given, list) else [] if given is None else [given]
    return [it if isinstance(it, str) else json.dumps(it, ensure_ascii=False) for it in several]
