"""Pages of rows by key: the next page starts after the last row shown, wherever it is now."""

import base64
import binascii
from typing import Any

import msgspec
from sqlalchemy import Select, literal, tuple_
from sqlalchemy.sql.elements import ColumnElement

from benchmaker.errors import SpecError
from benchmaker.store.database.escaping import escape, unescape


def decode_cursor(place: str) -> tuple[Any, int] | None:
    """Return the sorted value and row number in a cursor; None for the beginning.

    Raises:
        SpecError: not an issued cursor.
    """
    if not place:
        return None
    try:
        raw = base64.urlsafe_b64decode(place + "=" * (-len(place) % 4))
        value, number = msgspec.json.decode(raw, type=tuple[str | float | int, int])
    except (ValueError, binascii.Error, msgspec.MsgspecError) as exc:
        hint = "Start at the first page."
        raise SpecError("after is not a position in this list.", hint=hint) from exc
    return unescape(value) if isinstance(value, str) else value, number


def encode_cursor(value: float | str, number: int) -> str:
    """Return the cursor after a row, safe for URLs."""
    value = escape(value) if isinstance(value, str) else value
    return base64.urlsafe_b64encode(msgspec.json.encode((value, number))).decode().rstrip("=")


def select_page(
    wanted: Select[Any],
    by: ColumnElement[Any],
    own: ColumnElement[Any],
    *,
    descending: bool,
    after: str,
    limit: int,
) -> Select[Any]:
    """Select the rows after a cursor, ordered by ``by`` and then by their own number.

    ``by`` is never NULL. One row more than ``limit`` is read to detect a next page.
    """
    wanted = select_after(wanted, by, own, descending=descending, after=after)
    order = (by.desc(), own.desc()) if descending else (by, own)
    return wanted.order_by(*order).limit(limit + 1)


def select_after(
    wanted: Select[Any],
    by: ColumnElement[Any],
    own: ColumnElement[Any],
    *,
    descending: bool,
    after: str,
) -> Select[Any]:
    """Select the rows after a cursor, unordered."""
    place = decode_cursor(after)
    if place is None:
        return wanted
    value, number = place
    key, last = tuple_(by, own), tuple_(literal(value, by.type), number)
    return wanted.where(key < last if descending else key > last)
