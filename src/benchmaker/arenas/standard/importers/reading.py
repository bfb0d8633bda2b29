"""The parts that all readers share: counting rows, and reading JSON leniently."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import msgspec

from benchmaker.arenas.standard.importers.evaluation import ImportedEvaluation, ImportedRow
from benchmaker.arenas.standard.importers.row_blocks import PartedRows, RowBlock, RowPart
from benchmaker.errors import SpecError
from benchmaker.record import Outcome
from benchmaker.spec.documents.files import (
    Line,
    is_marked_utf16,
    lines,
    open_regular,
    open_regular_raw,
)
from benchmaker.spec.documents.limits import Limits

T = TypeVar("T")

FILES: Final = Limits(data_bytes=64 * 2**30, line_bytes=256 * 2**20, lines=2**40)
"""The limits of other tools' files: a line is one row with everything the tool keeps of it."""

DOCUMENT_BYTES: Final = 4 * 2**30
"""The largest JSON document that is read at once."""

_HEAD_BYTES = 256 * 2**10
_ANY_SIZE = Limits(data_bytes=2**62)
_GZIP = b"\x1f\x8b"
_LISTED = 20
_GROUP, _GROUP_BYTES = 200, 4 * 2**20

_decode = msgspec.json.Decoder().decode
_pack = msgspec.msgpack.Encoder().encode


@dataclass(slots=True)
class Tally:
    """The rows of a file by their treatment; ``translated + verbatim + refused`` is ``rows``.

    ``verbatim`` rows are stored with all their fields, but have no answer, score or error that
    could be translated. ``submissions`` are those of the translated rows that used tools.
    ``untranslated`` counts the fields that are kept as they are, by name.
    """

    rows: int = 0
    translated: int = 0
    verbatim: int = 0
    refused: int = 0
    submissions: int = 0
    notes: list[str] = field(default_factory=list)
    untranslated: Counter[str] = field(default_factory=Counter)

    def count(self, row: ImportedRow) -> ImportedRow:
        """Count a row that will be stored, and return it."""
        self.rows += row.lines
        has_score = row.score is not None or bool(row.scores)
        if row.output is None and not has_score and row.outcome is Outcome.SCORED:
            self.verbatim += row.lines
        else:
            self.translated += row.lines
        for name in row.rest:
            self.untranslated[name] += 1
        return row

    def count_all(self, rows: Iterable[ImportedRow]) -> Iterator[ImportedRow]:
        """Count rows while they are read; those with a value that no store keeps are refused."""
        for row in rows:
            if fault := _fault_of(row):
                self.refuse(f"case {row.case.id}: {fault}", rows=row.lines)
            else:
                yield self.count(row)

    def count_parts(self, parts: Iterable[RowPart]) -> PartedRows:
        """Count rows while they are read in parts."""
        return PartedRows(map(self._count_part, parts))

    def _count_part(self, part: RowPart) -> RowPart:
        if not isinstance(part, RowBlock):
            return list(self.count_all(part))
        if _fault_of(part):
            return list(self.count_all(part.rows()))
        self.rows += len(part)
        self.translated += len(part)
        self.untranslated.update(chain.from_iterable(part.rests))
        return part

    def submission(self) -> None:
        """Count a row that is imported as a submission of an agent."""
        self.rows += 1
        self.translated += 1
        self.submissions += 1

    def refuse(self, reason: str, *, rows: int = 1) -> None:
        """Count rows that can't be read, with the reason."""
        self.rows += rows
        self.refused += rows
        self.note(reason)

    def refuse_all(self) -> None:
        """Count every row as refused: none of them is stored."""
        self.refused, self.translated, self.verbatim, self.submissions = self.rows, 0, 0, 0

    def note(self, text: str) -> None:
        """Add a note, once; the first twenty are kept."""
        if text not in self.notes and len(self.notes) < _LISTED:
            self.notes.append(text)


def _fault_of(rows: ImportedRow | RowBlock) -> str:
    """The reason why rows can't be stored; empty for others."""
    try:
        if isinstance(rows, RowBlock):  # all else in it is text, or finite
            _pack((rows.metadata, rows.identities, rows.rests))
        else:
            _pack(rows)
    except OverflowError:
        return "a number is too large."
    except RecursionError:
        return "the JSON is nested too deeply."
    return ""


class Reader(Protocol):
    """A reader of one tool's files."""

    tool: str

    def claims(self, path: Path, start: bytes) -> bool:
        """True if a file, of which ``start`` is the beginning, is one of the tool's results."""
        ...

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluations of a file, whose rows are read once and counted in the tally.

        Raises:
            SpecError: the file can't be read at all.
        """
        ...


def start_of(path: Path) -> bytes:
    """Return the beginning of a file, decompressed and as UTF-8; empty if it can't be read."""
    start = b""
    with suppress(SpecError, OSError), open_regular_raw(path, limits=_ANY_SIZE) as raw:
        start = raw.read(_HEAD_BYTES)
    if start.startswith(_GZIP):
        start = _decompress(start)
    return start.decode("utf-16", "ignore").encode() if is_marked_utf16(start[:4]) else start


def _decompress(start: bytes) -> bytes:
    with suppress(zlib.error):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start, _HEAD_BYTES)
    return b""


def refuse_gzip(path: Path) -> None:
    """Raise SpecError for a binary file that is compressed with gzip."""
    with open_regular_raw(path, limits=_ANY_SIZE) as raw:
        if raw.read(len(_GZIP)) == _GZIP:
            raise SpecError(
                "a binary file compressed with gzip can't be read.",
                where=str(path),
                hint=f"Decompress it first: gunzip {path.name}",
            )


def load_json(path: Path, tally: Tally | None = None) -> Any:  # noqa: ANN401  any JSON
    """Return the JSON document of a file; NaN and infinities are read as such.

    Replaced characters are noted in the tally.

    Raises:
        SpecError: the file is unreadable, damaged or cut off.
    """
    with open_regular(path, limits=FILES, cap=DOCUMENT_BYTES, takes_utf16=True) as stream:
        data = stream.read()
    return parse_json(data, str(path), tally)


def parse_json(data: bytes, where: str, tally: Tally | None = None) -> Any:  # noqa: ANN401  any JSON
    """Return the value of a JSON text; replaced characters are noted in the tally.

    Raises:
        SpecError: the text is damaged, cut off or nested too deeply.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode(data)
    try:
        return _without_surrogates(json.loads(data.decode("utf-8", "replace")), where, tally)
    except RecursionError as exc:
        raise SpecError("the JSON is nested too deeply.", where=where) from exc
    except ValueError as exc:
        raise _damage(data, where, exc) from exc


def _without_surrogates(value: Any, where: str, tally: Tally | None) -> Any:  # noqa: ANN401  any JSON
    """The value with a question mark for each lone surrogate, which no store keeps."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        if tally is not None:
            tally.note(f"{where}: lone surrogates, which are no characters, are replaced by ?.")
        return json.loads(text.encode("utf-8", "replace"))
    return value


def _damage(data: bytes, where: str, fault: ValueError) -> SpecError:
    """The error of a damaged text: its line, and what to do."""
    end = data.rstrip()[-1:]
    if isinstance(fault, json.JSONDecodeError) and fault.msg == "Extra data":
        return SpecError(
            "text after the end of the JSON.",
            where=f"{where}:{fault.lineno}:{fault.colno}",
            hint="Remove it.",
        )
    if end in (b"}", b"]"):
        line = getattr(fault, "lineno", 1)
        column = getattr(fault, "colno", 1)
        return SpecError(
            "the JSON is damaged.", where=f"{where}:{line}:{column}", hint="Write the file again."
        )
    line = data.count(b"\n") + 1
    return SpecError(
        f"unexpected end of file in the JSON after {len(data):,} bytes.",
        where=f"{where}:{line}",
        hint="Copy the whole file, or write it again with the tool.",
    )


Numbered = tuple[int, dict[str, Any]]
"""The number of a line, and the object on it."""


def json_lines(path: Path, tally: Tally) -> Iterator[Numbered]:
    """Yield the objects of a file of JSON lines with their numbers; count damaged ones as refused.

    Raises:
        SpecError: the file can't be read at all.
    """
    with open_regular(path, limits=FILES, takes_utf16=True) as stream:
        yield from _objects(lines(stream, path, limits=FILES), path, tally)


def json_line_groups(path: Path, tally: Tally) -> Iterator[list[Numbered]]:
    """Yield what :func:`json_lines` does in groups of 200 lines, or of some megabytes.

    Raises:
        SpecError: the file can't be read at all.
    """
    with open_regular(path, limits=FILES, takes_utf16=True) as stream:
        following = lines(stream, path, limits=FILES)
        while some := _next_lines(following):
            yield _group_of(some, path, tally)


def _next_lines(following: Iterator[Line]) -> list[Line]:
    some, size = [], 0
    for line in following:
        some.append(line)
        size += len(line.data)
        if size > _GROUP_BYTES or len(some) == _GROUP:
            break
    return some


def _group_of(some: Sequence[Line], path: Path, tally: Tally) -> list[Numbered]:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        values = [_decode(line.data) for line in some]
        if all(type(value) is dict for value in values):
            return [(line.number, value) for line, value in zip(some, values, strict=True)]
    return list(_objects(some, path, tally))


def _objects(some: Iterable[Line], path: Path, tally: Tally) -> Iterator[Numbered]:
    for line in some:
        value = _value_of(line, path, tally)
        if type(value) is dict:
            yield line.number, value
        elif value is not _NOTHING:
            tally.refuse(f"line {line.number}: not a JSON object.")


def _value_of(line: Line, path: Path, tally: Tally) -> Any:  # noqa: ANN401  any JSON
    """The value on a line; nothing for an empty one, and for a damaged one, which is counted."""
    try:
        return _decode(line.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if not line.data.strip():
            return _NOTHING
    try:
        return parse_json(line.data, f"{path.name}:{line.number}", tally)
    except SpecError as exc:
        tally.refuse(f"line {line.number}: {exc.message}")
        return _NOTHING


_NOTHING: Final = object()


def are_lines(start: bytes, names: frozenset[str]) -> bool:
    """True if half of the lines at the beginning of a file are objects with these fields.

    Some may be damaged, and the last one is cut off. The last row of a document over several lines
    may be such a line, too.
    """
    *whole, last = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    some = [line for line in whole if line.strip()] or [last]
    return 2 * sum(names <= _object_on(line).keys() for line in some) >= len(some)


def _object_on(line: bytes) -> dict[str, Any]:
    with suppress(SpecError):
        return a_dict(parse_json(line, ""))
    return {}


def as_text(value: Any) -> str:  # noqa: ANN401  any JSON
    """Return a text as it is, and any other value as JSON; None is empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, RecursionError):
        return json.dumps(value)


def texts_of(value: Any) -> tuple[str, ...]:  # noqa: ANN401  any JSON
    """Return one or several texts: of a list its items, of None nothing."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(as_text(one) for one in value)
    return (as_text(value),)


def a_dict(value: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def a_list(value: Any) -> list[Any]:  # noqa: ANN401  any JSON
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def without(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the fields of a mapping that are not translated, without empty ones."""
    left_out = frozenset(names)
    return {
        name: value for name, value in given.items() if name not in left_out and not is_empty(value)
    }


def is_empty(value: Any) -> bool:  # noqa: ANN401  any JSON
    """Return True for null, and for an empty text, list or mapping."""
    return not value and value in _EMPTY


_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
