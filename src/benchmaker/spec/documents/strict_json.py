"""JSON as plain data with places, read strictly: no doubled keys, no NaN, bounded depth."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # undocumented, stable since 2.6
from typing import Any, Never

from benchmaker.errors import SpecError
from benchmaker.spec.documents.document import NO_NUMBER, QUOTE_IT, Budget, Document
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation, SourceMark

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[-+]?[A-Za-z_][A-Za-z_0-9]{0,30}")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_NOT_FINITE = {"NaN", "Infinity", "-Infinity", "+Infinity", "nan", "inf", "-inf"}


def read_json(
    text: str,
    file: str,
    *,
    limits: Limits,
    findings: Findings,
    start: tuple[int, int] = (1, 1),
) -> Document:
    """The one value in the text, which begins at line and column ``start`` of the file.

    Duplicate keys, NaN and infinity are added to ``findings``. SpecError if reading cannot
    continue: wrong syntax, too deep, too many values.
    """
    return _Reader(text, Budget(file, limits, findings), start).document()


def decode_object(text: str, *, limits: Limits) -> dict[str, Any]:
    """The object in a line of JSON, read fast; ValueError where :func:`read_json` would object."""
    _check_depth(text, limits.depth)
    value = _decode(text)
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004  what the caller asks for
    return value


def decode_value(text: str) -> Any:  # noqa: ANN401  any JSON
    """The value of a JSON text, as in a cell; ValueError where :func:`read_json` would object."""
    return _decode(text.strip())


def item_texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each item of a JSON array.

    ValueError, whose ``args`` are a message and an offset, if reading cannot continue.
    """
    at = _expect(text, 0, "[", "expected a list.")
    is_open = not text.startswith("]", at)
    while is_open:
        end = _item_end(text, at)
        yield at, text[at:end]
        at = _skip(text, end)
        is_open = not text.startswith("]", at)
        if is_open:
            at = _expect(text, at, ",", "missing comma or ].")
    if (rest := _skip(text, at + 1)) < len(text):
        raise ValueError("unexpected text after the end of the list.", rest)


def _item_end(text: str, at: int) -> int:
    try:
        return _SOURCE_DECODER.raw_decode(text, at)[1]
    except JSONDecodeError as exc:
        raise ValueError(f"{exc.msg.removesuffix(' at').lower()}.", exc.pos) from exc
    except RecursionError as exc:
        raise ValueError("values are nested too deeply.", at) from exc


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, sign: str, otherwise: str) -> int:
    at = _skip(text, at)
    if not text.startswith(sign, at):
        raise ValueError(otherwise, at)
    return _skip(text, at + 1)


def decode_source(text: str) -> dict[str, Any]:
    """Decode the object in a line of JSON, with each number as its source text."""
    value: dict[str, Any] = _SOURCE_DECODER.decode(text)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _not_finite(name: str) -> Never:
    raise ValueError(f"{name} is not a valid number")


def _parse_finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        _not_finite(text)
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_not_finite, parse_float=_parse_finite
)


_scan = _DECODER.scan_once  # type: ignore[attr-defined]  # undocumented, stable since 2.6


def _decode(text: str) -> Any:  # noqa: ANN401  any JSON
    """The value of a text; without the search for white space where there is none around it."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        return _DECODER.decode(text)
    return value if end == len(text) else _DECODER.decode(text)


def _keep_first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))  # of a doubled key the first value counts, as everywhere


_SOURCE_DECODER = json.JSONDecoder(object_pairs_hook=_keep_first, parse_float=str, parse_int=str)


def _check_depth(text: str, limit: int) -> None:
    if text.count("{") + text.count("[") <= limit:
        return
    depth = 0
    for sign in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > limit:
            raise ValueError(f"values are nested more than {limit} deep")


@dataclass(slots=True)
class _Reader:
    """Reads values from left to right, keeping the place of each."""

    text: str
    budget: Budget
    start: tuple[int, int] = (1, 1)
    at: int = 0
    starts: list[int] = field(default_factory=list)

    def document(self) -> Document:
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        data, mark = self.value(1)
        self.skip_space()
        if self.at < len(self.text):
            raise self.stop("unexpected text after the end of the value.", "Remove it.")
        return Document(data, mark)

    def place(self, at: int) -> SourceLocation:
        row = bisect_right(self.starts, at) - 1
        column = at - self.starts[row] + (1 if row else self.start[1])
        return self.budget.place(row + self.start[0], column)

    def stop(self, message: str, hint: str = "") -> SpecError:
        if self.at >= len(self.text):
            message, hint = "unexpected end of file.", "The file may be truncated."
            if not self.text.strip():
                message, hint = "the file is empty.", ""
        return self.budget.stop(self.place(self.at), f"invalid JSON: {message}", hint)

    def skip_space(self) -> None:
        self.at = _skip(self.text, self.at)

    def value(self, depth: int) -> tuple[Any, SourceMark]:
        self.skip_space()
        place = self.place(self.at)
        self.budget.check_depth(depth, place)
        self.budget.spend(1, place)
        sign = self.text[self.at : self.at + 1]
        is_container = sign in ("{", "[")
        mark = SourceMark.container(place) if is_container else SourceMark(place.line, place.column)
        match sign:
            case "{":
                return self.object(mark, depth), mark
            case "[":
                return self.array(mark, depth), mark
            case '"':
                return self.string(), mark
            case _:
                return self.scalar(mark, place), mark

    def string(self) -> str:
        try:
            value, self.at = scanstring(self.text, self.at + 1, True)
        except JSONDecodeError as exc:
            self.at = min(exc.pos, len(self.text))
            raise self.budget.stop(
                self.place(self.at), f"invalid JSON: {exc.msg.rstrip(' at').lower()}."
            ) from exc
        return str(value)

    def scalar(self, mark: SourceMark, place: SourceLocation) -> float | bool | None:
        word = _WORD.match(self.text, self.at) or _NUMBER.match(self.text, self.at)
        source = word.group() if word else ""
        if not word or (source[:1].isalpha() and source not in {*_CONSTANTS, *_NOT_FINITE}):
            raise self.stop("missing or unquoted value.", "Put text in double quotes.")
        self.at, mark.source = word.end(), source
        if source in _CONSTANTS:
            return _CONSTANTS[source]
        if source in _NOT_FINITE:
            self.budget.findings.add(place, f"{source} is not a valid number.", QUOTE_IT)
            return NO_NUMBER
        return self.budget.number(source, place)

    def array(self, mark: SourceMark, depth: int) -> list[Any]:
        data: list[Any] = []
        self.at += 1
        if self.takes("]"):
            return data
        while True:
            item, inner = self.value(depth + 1)
            mark.inside[len(data)] = inner
            data.append(item)
            if self.takes("]"):
                return data
            self.expect(",", "missing comma or ].")

    def object(self, mark: SourceMark, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        self.at += 1
        if self.takes("}"):
            return data
        while True:
            self.member(data, mark, depth)
            if self.takes("}"):
                return data
            self.expect(",", "missing comma or }.")

    def member(self, data: dict[str, Any], mark: SourceMark, depth: int) -> None:
        self.skip_space()
        place = self.place(self.at)
        if not self.text.startswith('"', self.at):
            raise self.stop(
                "missing key in double quotes.", "Check for a comma before a closing }."
            )
        key = self.string()
        self.expect(":", "missing colon.")
        value, inner = self.value(depth + 1)
        if key in data:
            line, column = mark.keys[key]
            message = f"duplicate key {key!r}; first at line {line}, column {column}."
            self.budget.findings.add(place, message, "Remove one of them.")
            return
        data[key], mark.inside[key] = value, inner
        mark.keys[key] = (place.line, place.column)

    def takes(self, sign: str) -> bool:
        self.skip_space()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def expect(self, sign: str, otherwise: str) -> None:
        if not self.takes(sign):
            raise self.stop(otherwise)
