"""Typed JSON from other tools: fields of the wrong type are dropped and reported.

Logs change their shape between versions. A number instead of text, or a negative count, must not
invalidate its row.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from benchmaker.arenas.agentic.logs.decoding import Decoder, DecodingError
from benchmaker.arenas.agentic.logs.lines import text_lines
from benchmaker.arenas.agentic.logs.opening import opened_log, reason
from benchmaker.arenas.agentic.logs.options import (
    MAX_COUNT,
    QUIET,
    Options,
    Skipped,
    is_impossible,
    why_not_true,
)
from benchmaker.errors import SpecError
from benchmaker.structs import resolve_type

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
"""Tokens, calls, lines: neither negative nor absurdly large."""

Amount = Annotated[float, msgspec.Meta(ge=0, le=MAX_COUNT)]
"""Seconds or dollars: neither negative nor absurdly large."""

_MOST = 20
_UTF8_MARK = b"\xef\xbb\xbf"
_COMPLAINT = re.compile(r"(.*) - at `\$(.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_ANYTHING: Decoder[Any] = Decoder(object)

T = TypeVar("T")


class Loose(Generic[T]):
    """Decodes one type: in one pass if the text fits it, else field by field.

    Example:
        >>> class Row(msgspec.Struct):
        ...     n: Count | None = None
        ...     name: str | None = None
        >>> Loose(Row).decode(b'{"n": "three", "name": "a"}')
        (Row(n=None, name='a'), ('n: Expected `int | null`, got `str`',))
    """

    __slots__ = ("_decode",)

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(resolve_type(kind)).decode

    def decode(self, text: bytes | msgspec.Raw) -> tuple[T, tuple[str, ...]]:
        """Return the value and complaints about dropped fields; Refused if it is unusable."""
        try:
            return self._decode(text), ()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._piecewise(_ANYTHING.decode(bytes(text)))

    def _piecewise(self, data: object) -> tuple[T, tuple[str, ...]]:
        left_out: list[str] = []
        while True:
            try:
                # As text again, since ``msgspec.Raw`` fields can only be decoded from text.
                return self._decode(msgspec.json.encode(data)), tuple(left_out)
            except msgspec.ValidationError as exc:
                if len(left_out) == _MOST:
                    raise DecodingError(f"another shape than expected: {exc}") from exc
                left_out.append(_leave_out(data, str(exc)))


def loose_lines(path: Path, options: Options, loose: Loose[T]) -> Iterator[tuple[int, T]]:
    """Yield the lines of a file as (number from 1, value), like :func:`lines.json_lines`.

    Dropped fields are also reported to ``options.skip``, with their line.
    """
    decode = loose.decode
    for number, text in text_lines(path, options):
        try:
            value, left_out = decode(text)
        except DecodingError as refused:
            options.skip(Skipped(path, number, str(refused)))
            continue
        for complaint in left_out:
            options.skip(Skipped(path, number, f"skipped {complaint}"))
        yield number, value


def loose_document(path: Path, options: Options, loose: Loose[T]) -> T | None:
    """The one JSON value in a file, plain or gzipped; None if it can't be read.

    Problems are reported to ``options.skip`` as line 0. Files larger than
    ``options.max_document_bytes`` are refused.
    """
    try:
        with opened_log(path, options, cap=options.max_document_bytes) as stream:
            value, left_out = loose.decode(stream.read().removeprefix(_UTF8_MARK))
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
        return None
    except DecodingError as refused:
        options.skip(Skipped(path, 0, str(refused)))
        return None
    for complaint in left_out:
        options.skip(Skipped(path, 0, f"skipped {complaint}"))
    return value


def quiet_options(options: Options) -> Options:
    """The same limits for a first look, without reports: parsing the file reports its problems."""
    return replace(options, skip=QUIET.skip)


def _leave_out(data: Any, complaint: str) -> str:  # noqa: ANN401  JSON of any shape
    """Remove the field that the complaint names from the data; return a complaint about it.

    Of a list only the element is removed; a mapping is removed whole, since the complaint doesn't
    name its keys.
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
        raise DecodingError(f"another shape than expected: {complaint}") from exc
    name = place.removeprefix(".")
    expected = what.partition(", got ")[0]
    is_figure = "`int" in expected or "`float" in expected
    return why_not_true(name, value) if is_figure and is_impossible(value) else f"{name}: {what}"
