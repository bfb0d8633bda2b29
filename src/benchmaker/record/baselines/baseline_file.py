"""Baselines as files: JSON with a line for each case."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from benchmaker.errors import SpecError
from benchmaker.record.baselines.run_baseline import SCHEMA, RunBaseline, faults_of
from benchmaker.spec.documents.document import Document
from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.strict_json import read_json
from benchmaker.structs import resolve_type

LIMITS: Final = Limits(data_bytes=2 * 2**30, values=100_000_000)
"""The maximum sizes of an accepted baseline."""

ENDING: Final = ".baseline.json"
"""The usual end of a baseline's file name."""

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_AGAIN = "Export it again with: benchmaker export RUN --baseline"


def encode_baseline(baseline: RunBaseline) -> Iterator[bytes]:
    """Yield the file's content: every field on a line, and every case on a line of ``cases``."""
    fields = msgspec.to_builtins(msgspec.structs.replace(baseline, cases=()))
    yield b"{\n"
    for name, value in fields.items():
        if name != "cases":
            yield b"%s: %s,\n" % (msgspec.json.encode(name), msgspec.json.encode(value))
    yield b'"cases": [\n'
    for at, case in enumerate(baseline.cases):
        yield msgspec.json.encode(case) + (b",\n" if at + 1 < len(baseline.cases) else b"\n")
    yield b"]\n}\n"


def read_baseline(path: Path) -> RunBaseline:
    """Read and check a baseline.

    Raises:
        SpecError: the file can't be read, or is no valid baseline; the message names the line and
            the field.
    """
    text = read_text(path, limits=LIMITS, cap=LIMITS.data_bytes)
    try:
        made = msgspec.json.decode(text, type=resolve_type(RunBaseline))
    except msgspec.ValidationError as exc:
        raise _field_error(path, text, str(exc)) from exc
    except msgspec.DecodeError as exc:
        _document_of(path, text)  # raises with the place
        raise SpecError(f"invalid JSON: {exc}.", where=str(path), hint=_AGAIN) from exc
    _refuse_other_version(path, made)
    for field, message in faults_of(made):
        raise _fault_error(path, text, field, message)
    return made


def _refuse_other_version(path: Path, made: RunBaseline) -> None:
    if made.schema_version != SCHEMA:
        raise SpecError(
            f"the file has the format {made.schema_version!r:.60}, not {SCHEMA!r}.",
            where=str(path),
            hint="Read it with the version of Benchmaker that wrote it, or export it again.",
        )


def _field_error(path: Path, text: str, message: str) -> SpecError:
    """The error of a field that msgspec names: ``Expected `str`, got `int` - at `$.a[0]```."""
    what, _, place = message.partition(" - at `$")
    steps = tuple(int(index) if index else name for name, index in _STEP.findall(place.rstrip("`")))
    return _fault_error(path, text, steps, f"{what[:1].lower()}{what[1:].replace('`', '')}.")


def _fault_error(path: Path, text: str, field: tuple[str | int, ...], message: str) -> SpecError:
    """The error with the line of the field."""
    mark = _document_of(path, text).root.find(field)
    named = ".".join(map(str, field))
    about = f"field {named}: " if named else ""
    return SpecError(
        f"not a valid baseline: {about}{message}",
        where=f"{path}:{mark.line}:{mark.column}",
        hint=_AGAIN,
    )


def _document_of(path: Path, text: str) -> Document:
    """The file with places; SpecError with the place for a mistake of syntax."""
    return read_json(text, str(path), limits=LIMITS, findings=Findings())
