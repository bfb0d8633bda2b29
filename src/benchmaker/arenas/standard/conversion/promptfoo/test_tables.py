"""Tests of promptfoo in files: CSV with ``__expected``, JSON Lines, YAML and JSON."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated, Omission
from benchmaker.arenas.standard.conversion.original_file import (
    Keys,
    OriginalFile,
    read_original,
    read_utf8,
)
from benchmaker.arenas.standard.conversion.promptfoo.local_files import FILE, files_at
from benchmaker.arenas.standard.conversion.promptfoo.separated_values import split_values

_SCRIPTS = ("javascript:", "fn:", "eval:")
_TYPED = re.compile(r"(not-)?([a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?")
_TYPES = frozenset(
    {"answer-relevance", "bleu", "classifier", "contains", "contains-all", "contains-any",
     "contains-html", "contains-json", "contains-sql", "contains-xml",
     "context-faithfulness", "context-recall", "context-relevance",
     "conversation-relevance", "cost", "equals", "factuality", "finish-reason", "g-eval",
     "gleu", "guardrails", "icontains", "icontains-all", "icontains-any", "is-html",
     "is-json", "is-refusal", "is-sql", "is-valid-function-call",
     "is-valid-openai-function-call", "is-valid-openai-tools-call", "is-xml", "javascript",
     "latency", "levenshtein", "llm-rubric", "meteor", "model-graded-closedqa",
     "model-graded-factuality", "moderation", "perplexity", "perplexity-score", "pi",
     "python", "regex", "rouge-n", "ruby", "similar", "starts-with", "tool-call-f1",
     "webhook", "word-count", "select-best", "max-score"}
)  # fmt: skip
_LISTED = frozenset({"contains-all", "contains-any", "icontains-all", "icontains-any"})
_WITH_THRESHOLD = frozenset(
    {"answer-relevance", "classifier", "context-faithfulness", "context-recall",
     "context-relevance", "cost", "latency", "levenshtein", "perplexity-score",
     "perplexity", "rouge-n", "similar", "starts-with"}
)  # fmt: skip
_DEFAULT_THRESHOLD = 0.75
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


class FoundTest(NamedTuple):
    """A test with the place of its parts in the original."""

    values: dict[str, Any]
    file: OriginalFile | None
    keys: Keys
    row: Omission | None = None
    """The row of a table, in place of a file with keys."""

    def omission(self, keys: Keys, what: str) -> Omission:
        """The omission of a part of the test."""
        if self.row is not None:
            return self.row._replace(what=what)
        if self.file is None:
            return Omission("", 0, what, "")
        return self.file.omission((*self.keys, *keys), what)


def tests_at(name: str, folder: Path) -> Iterator[FoundTest]:
    """Yield the tests in the files of a path or a pattern.

    Raises:
        NotTranslated: the file is a program, a service, or of another kind.
        SpecError: it can't be read.
    """
    if "://" in name and not name.startswith(FILE):
        raise NotTranslated("tests behind an address are not loaded")
    for path in files_at(name, folder):
        yield from _tests_in(path, folder)


def _tests_in(path: Path, folder: Path) -> Iterator[FoundTest]:
    match path.suffix.lower():
        case ".csv":
            yield from _csv_tests(path)
        case ".jsonl":
            yield from _line_tests(path)
        case ".yaml" | ".yml" | ".json":
            yield from _document_tests(path, folder)
        case other:
            raise NotTranslated(f"tests in {other.lstrip('.') or 'such a file'} are not read")


def _document_tests(path: Path, folder: Path) -> Iterator[FoundTest]:
    file = read_original(path)
    listed = file.data if isinstance(file.data, list) else [file.data]
    for place, one in enumerate(listed):
        keys: Keys = (place,) if isinstance(file.data, list) else ()
        if isinstance(one, str) and one.startswith(FILE):
            yield from tests_at(one, folder)
        elif isinstance(one, Mapping):
            yield FoundTest(dict(one), file, keys)


def _line_tests(path: Path) -> Iterator[FoundTest]:
    for number, line in enumerate(read_utf8(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as exc:
            raise NotTranslated(f"line {number} of {path.name} is no JSON") from exc
        if isinstance(found, dict):
            yield FoundTest(found, None, (), Omission(path.name, number, "", line[:500]))


def _csv_tests(path: Path) -> Iterator[FoundTest]:
    text = read_utf8(path)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    for row in reader:
        line = reader.line_num
        piece = ",".join(str(it) for it in row.values())[:500]
        yield FoundTest(test_of_row(row), None, (), Omission(path.name, line, "", piece))


def test_of_row(row: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the test in a row of a table.

    Source: testCaseFromCsvRow in src/csv.ts of promptfoo 0.121.20.

    >>> test_of_row({"city": "Rome", "__expected": "contains: x", "__threshold": "0.5"})["assert"]
    [{'type': 'contains', 'value': 'x'}]
    """
    cells = {key.strip(): value or "" for key, value in row.items() if isinstance(key, str)}
    made: dict[str, Any] = {"vars": {}, "assert": [], "options": {}, "metadata": {}}
    for key, value in cells.items():
        if key.startswith("__expected"):
            if value.strip():
                made["assert"].append(assertion_from_text(value.strip()))
        elif key in {"__prefix", "__suffix"}:
            made["options"][key[2:]] = value
        elif key in {"__description", "__providerOutput"}:
            made[key[2:]] = value
        elif key == "__threshold":
            made["threshold"] = _number(value)
        elif key.startswith("__metadata:"):
            made["metadata"][key.partition(":")[2].removesuffix("[]")] = value
        elif not key.startswith(("__metric", "__config:", "__metadata")):
            made["vars"][key] = value
    _configure(made["assert"], cells)
    return {key: value for key, value in made.items() if value not in ("", None, {}, [])}


def _configure(assertions: list[dict[str, Any]], cells: Mapping[str, str]) -> None:
    """Set the metric and the thresholds of the columns that concern assertions."""
    for one in assertions:
        if cells.get("__metric"):
            one["metric"] = cells["__metric"]
    for key, value in cells.items():
        found = re.fullmatch(r"__config:__expected(\d*):threshold", key)
        place = int(found[1] or 1) - 1 if found else -1
        if 0 <= place < len(assertions) and (number := _number(value)) is not None:
            assertions[place]["threshold"] = number


def assertion_from_text(text: str) -> dict[str, Any]:
    """Return the assertion in a cell, such as ``contains: Paris`` or ``levenshtein(2): Rome``.

    A text without a type must equal the output.

    >>> assertion_from_text("not-levenshtein(2): Rome")
    {'type': 'not-levenshtein', 'value': 'Rome', 'threshold': 2.0}
    """
    script = next((it for it in _SCRIPTS if text.startswith(it)), None)
    if script:
        return {"type": "javascript", "value": text.removeprefix(script).strip()}
    for start in ("grade:", "llm-rubric:"):
        if text.startswith(start):
            return {"type": "llm-rubric", "value": text.removeprefix(start)}
    if text.startswith(("python:", FILE)):
        is_script = not text.startswith("python:") and ".py" not in text
        kind = "javascript" if is_script else "python"
        return {"type": kind, "value": text.removeprefix("python:").strip()}
    found = _TYPED.fullmatch(text)
    if found is None or found[2] not in _TYPES:
        return {"type": "equals", "value": text}
    return _typed_assertion(
        f"{found[1] or ''}{found[2]}", found[2], found[4], _number(found[3] or "")
    )


def _typed_assertion(
    kind: str, base: str, value: str | None, threshold: float | None
) -> dict[str, Any]:
    made: dict[str, Any] = {"type": kind}
    if base in _LISTED and value:
        made["value"] = split_values(value)
    elif value is not None:
        made["value"] = value if base in {"is-json", "contains-json"} else value.strip()
    if base in _WITH_THRESHOLD:
        made["threshold"] = _DEFAULT_THRESHOLD if threshold is None else threshold
    return made


def _number(text: str) -> float | None:
    stripped = text.strip()
    return float(stripped) if _NUMBER.fullmatch(stripped) else None
