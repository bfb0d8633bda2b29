"""The shape in which a file holds its rows, from its beginning; its name doesn't matter."""

import re
from contextlib import suppress
from typing import Final, Literal

from benchmaker.arenas.agentic.importers.rows.fields import known_name
from benchmaker.arenas.agentic.importers.rows.keys import has_list, keys_of_rows
from benchmaker.arenas.agentic.importers.sniffing import BLANK
from benchmaker.arenas.agentic.logs.decoding import Decoder, DecodingError
from benchmaker.spec.documents.csv_rows import given_delimiter

Shape = Literal["document", "lines", "table"]

_NO_ROWS: Final = re.compile(rb'\{\s*"submissions"\s*:\s*\[\s*\]')
_OBJECTS: Final = Decoder(dict)


def shape_of(start: bytes) -> Shape:
    r"""Return the shape of a text that begins like this; a table if it is no JSON.

    An object on the first line makes it JSON lines, also if it is the only one. If the first line
    is damaged, the second one decides.

    >>> shape_of(b'{"a": 1}'), shape_of(b'{\n"a": 1}'), shape_of(b'[{"a": 1}]'), shape_of(b"a,b")
    ('lines', 'document', 'document', 'table')
    """
    text = start.lstrip(BLANK)
    if not text.startswith((b"{", b"[")):
        return "table"
    if text.startswith(b"[") or has_list(text) or has_no_rows(text):
        return "document"
    first, _, rest = text.partition(b"\n")
    second = rest.lstrip().partition(b"\n")[0]
    return "lines" if not rest or any(map(_is_object, (first, second))) else "document"


def names_in(start: bytes) -> set[str]:
    """The names of the fields in the first rows."""
    if shape_of(start) != "table":
        return set(map(known_name, keys_of_rows(start)))
    header = _header(start)
    cells = re.split("[,;\t|]", header)
    return {known_name(name.strip().strip('"').strip().lower()) for name in cells}


def columns_in(start: bytes) -> list[str]:
    r"""Return the names in a table's header, unchanged; empty for other files.

    >>> columns_in(b"Name,My Tokens\n1,2\n"), columns_in(b"just text\n"), columns_in(b'{"a": 1}')
    (['Name', 'My Tokens'], [], [])
    """
    header = _header(start).strip()
    if shape_of(start) != "table" or (not header.isprintable() and "\t" not in header):
        return []
    cells = [name.strip().strip('"').strip() for name in re.split("[,;\t|]", header)]
    return [name for name in cells if name.isprintable()] if len(cells) > 1 else []


def _header(start: bytes) -> str:
    """The line of a table that names its columns: the first, or that below ``sep=;``."""
    first, _, rest = start.lstrip(BLANK).partition(b"\n")
    line = rest.partition(b"\n")[0] if given_delimiter(first.decode("utf-8", "replace")) else first
    return line.decode("utf-8", "replace")


def has_no_rows(start: bytes) -> bool:
    """True if a document begins with an empty list of rows.

    >>> has_no_rows(b'{"submissions": []}'), has_no_rows(b'{"submissions": [{"id": "a"}]}')
    (True, False)
    """
    return _NO_ROWS.match(start.lstrip(BLANK)) is not None


def _is_object(line: bytes) -> bool:
    with suppress(DecodingError):
        return isinstance(_OBJECTS.decode(line), dict)
    return False
