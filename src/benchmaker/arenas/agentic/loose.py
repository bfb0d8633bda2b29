"""Typed JSON from strangers: what fits is read, a field that doesn't is left out and named.

Logs change their shape between versions. A version number where text was expected, or a negative
count, must not lose the row that it stands in.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from benchmaker.arenas.agentic.decoding import Decoder, Refused
from benchmaker.arenas.agentic.lines import text_lines
from benchmaker.arenas.agentic.options import (
    MAX_COUNT,
    Options,
    Skipped,
    is_impossible,
    why_not_true,
)
from benchmaker.arenas.agentic.reading import opened_log, reason
from benchmaker.errors import SpecError
from benchmaker.structs import resolved

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
"""Tokens, calls, lines: never negative, never absurd."""

Amount = Annotated[float, msgspec.Meta(ge=0, le=MAX_COUNT)]
"""Seconds or dollars, likewise."""

_MOST = 20
_UTF8_MARK = b"\xef\xbb\xbf"
_COMPLAINT = re.compile(r"(.*) - at `\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_ANYTHING: Decoder[Any] = Decoder(object)

T = TypeVar("T")


class Loose(Generic[T]):
    """Decodes one type: at once where the text fits it, field by field where it doesn't.

    Example:
        >>> class Row(msgspec.Struct):
        ...     n: Count | None = None
        ...     name: str | None = None
        >>> Loose(Row).decode(b'{"n": "three", "name": "a"}')
        (Row(n=None, name='a'), ('n: Expected `int | null`, got `str`',))
    """

    __slots__ = ("_decode",)

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(resolved(kind)).decode

    def decode(self, text: bytes | msgspec.Raw) -> tuple[T, tuple[str, ...]]:
        """The value, and what was left out of it; Refused where nothing can be made of it."""
        try:
            return self._decode(text), ()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._piecewise(_ANYTHING.decode(bytes(text)))

    def _piecewise(self, data: object) -> tuple[T, tuple[str, ...]]:
        left_out: list[str] = []
        while True:
            try:
                # Through text again: parts that stay as they are come from text alone.
                return self._decode(msgspec.json.encode(data)), tuple(left_out)
            except msgspec.ValidationError as exc:
                if len(left_out) == _MOST:
                    raise Refused(f"another shape than expected: {exc}") from exc
                left_out.append(_leave_out(data, str(exc)))


def loose_lines(path: Path, options: Options, loose: Loose[T]) -> Iterator[tuple[int, T]]:
    """The lines of a file as (number from 1, value), as :func:`lines.json_lines` gives them.

    Fields that are left out go to ``options.skip`` too, under their line.
    """
    decode = loose.decode
    for number, text in text_lines(path, options):
        try:
            value, left_out = decode(text)
        except Refused as refused:
            options.skip(Skipped(path, number, str(refused)))
            continue
        for complaint in left_out:
            options.skip(Skipped(path, number, f"left out {complaint}"))
        yield number, value


def loose_document(path: Path, options: Options, loose: Loose[T]) -> T | None:
    """The one value in a file, as :func:`documents.json_document` gives it; else None."""
    try:
        with opened_log(path, options, cap=options.max_document_bytes) as stream:
            value, left_out = loose.decode(stream.read().removeprefix(_UTF8_MARK))
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
        return None
    except Refused as refused:
        options.skip(Skipped(path, 0, str(refused)))
        return None
    for complaint in left_out:
        options.skip(Skipped(path, 0, f"left out {complaint}"))
    return value


def silenced(options: Options) -> Options:
    """The same bounds, for a first look: what is wrong is told when a file is read for good."""
    return replace(options, skip=lambda _: None)


def _leave_out(data: Any, complaint: str) -> str:  # noqa: ANN401  JSON of any shape
    """Take the field that the complaint names out of the data; says which it was.

    Of a list the element goes and the others stay; of a mapping, whose keys the complaint doesn't
    tell, the whole.
    """
    found = _COMPLAINT.match(complaint)
    what, place = found.groups() if found else (complaint, "")
    steps = [int(i) if i else name for name, i in _STEP.findall(place.split("[...]", 1)[0])]
    try:
        *way, last = steps
        for step in way:
            data = data[step]
        value = data.pop(last)
    except (AttributeError, ValueError, LookupError, TypeError) as exc:
        raise Refused(f"another shape than expected: {complaint}") from exc
    name = place.removeprefix(".")
    is_figure = "`int" in what or "`float" in what
    return why_not_true(name, value) if is_figure and is_impossible(value) else f"{name}: {what}"
