"""The rows of a data file, whatever its format: JSON lines, a JSON array, or CSV."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.files import Line, decoded, lines, opened, read_text
from benchmaker.spec.findings import Findings, refusal
from benchmaker.spec.limits import Limits
from benchmaker.spec.places import Place
from benchmaker.spec.strict_json import decode_items, decode_object, read_json
from benchmaker.spec.table import read_table

Format = Literal["jsonl", "json", "csv"]
Report = Callable[[Finding], None]
_FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
}


class Row(NamedTuple):
    """One row: the line it begins at, its values, its JSON text (None in a table), its column."""

    number: int
    values: dict[str, Any]
    text: str | None
    column: int = 1


def format_of(path: Path, *, besides: tuple[str, ...] = ()) -> Format:
    """The format a file name stands for; SpecError names the known endings and those besides."""
    name = path.name.lower().removesuffix(".gz")
    for ending, known in _FORMATS.items():
        if name.endswith(ending):
            return known
    endings = ", ".join((*besides, *_FORMATS))
    message = "the name does not say what kind of data file this is."
    raise refusal(Place(str(path)), message, f"Known endings: {endings}, each also with .gz.")


def read_rows(path: Path, *, limits: Limits, report: Report) -> Iterator[Row]:
    """The rows of a file from top to bottom, blank lines left out.

    A row that can't be read is reported, and reading goes on behind it. SpecError where reading
    can't go on.
    """
    match format_of(path):
        case "jsonl":
            return _json_lines(path, limits, report)
        case "json":
            return _json_array(path, limits, report)
        case "csv":
            return _table(path, limits, report)


def _json_lines(path: Path, limits: Limits, report: Report) -> Iterator[Row]:
    with opened(path, limits=limits) as stream:
        for line in lines(stream, path, limits=limits):
            try:
                row = _json_line(line, path, limits)
            except SpecError as exc:
                for finding in exc.findings:
                    report(finding)
            else:
                if row:
                    yield row


def _json_line(line: Line, path: Path, limits: Limits) -> Row | None:
    text = decoded(line, path).rstrip()
    if not text:
        return None
    try:
        return Row(line.number, decode_object(text, limits=limits), text)
    except (ValueError, RecursionError) as exc:
        raise _diagnosis(text, str(path), line.number, limits) from exc


def _diagnosis(text: str, file: str, number: int, limits: Limits) -> SpecError:
    """What is wrong with a line that could not be decoded, each fault with its column."""
    findings = Findings(limits.findings)
    try:
        document = read_json(text, file, limits=limits, findings=findings, start=(number, 1))
    except SpecError as exc:
        return exc
    if not isinstance(document.data, dict):
        findings.add(Place(file, number, 1), "the line holds no JSON object.", ONE_OBJECT)
    elif not findings:
        findings.add(Place(file, number, 1), "the line can't be read as JSON.", ONE_OBJECT)
    return findings.error()


ONE_OBJECT = "Write one {…} a line."


def _json_array(path: Path, limits: Limits, report: Report) -> Iterator[Row]:
    text = read_text(path, limits=limits, cap=limits.array_bytes)
    line, counted = 1, 0
    items = decode_items(text, limits=limits)
    while True:
        try:
            at, source, value = next(items)
        except StopIteration:
            return
        except ValueError as exc:
            message, at = exc.args
            raise refusal(_spot(path, text, at), f"this is not a JSON array: {message}") from exc
        line, counted = line + text.count("\n", counted, at), at
        if isinstance(value, dict):
            yield Row(line, value, source, at - text.rfind("\n", 0, at))
        else:
            place = _spot(path, text, at)
            report(Finding(*place, "the item is no JSON object.", "Write a list of objects."))


def _spot(path: Path, text: str, at: int) -> Place:
    return Place(str(path), text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _table(path: Path, limits: Limits, report: Report) -> Iterator[Row]:
    with opened(path, limits=limits) as stream:
        text = (decoded(line, path) for line in lines(stream, path, limits=limits))
        for number, cells in read_table(text, str(path), limits=limits, report=report):
            yield Row(number, dict(cells), None)
