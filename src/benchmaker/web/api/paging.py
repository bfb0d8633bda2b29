"""Paged lists: ``items``, and ``next`` as the start of the next page."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, TypedDict, get_type_hints

from pydantic import BaseModel, ConfigDict, Field

from benchmaker.errors import SpecError
from benchmaker.store.database.paging import decode_cursor
from benchmaker.web.document_shapes import shape_of

MOST: Final = 500
_DIGITS: Final = 10
_WIDEST: Final = 2**63
NUMBER: Final = (int, float)
AGAIN: Final = "Begin at the first page, without after."

Word = Annotated[str, Field(max_length=2_000)]
"""A text as a path parameter."""


class QueryModel(BaseModel):
    """The words of an address; unknown ones are refused, so that none is ignored unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BodyModel(BaseModel):
    """A JSON body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PagedQuery(QueryModel):
    """The requested part of a list."""

    after: Annotated[str, Field(description="`next` of the previous page.", max_length=2_000)] = ""
    limit: Annotated[int, Field(description="Rows per page.", ge=1, le=MOST)] = 50


class SearchQuery(PagedQuery):
    """The requested part of the rows that match a text."""

    q: Annotated[str, Field(description="Text to search for.", max_length=2_000)] = ""


def page_type(name: str, row: Any, **beside: Any) -> Any:  # noqa: ANN401  types
    """Return the type of a page of such rows; ``beside`` are further fields."""
    fields: dict[str, Any] = {**beside, "items": list[row], "next": str | None}
    made = TypedDict(name, fields)  # type: ignore[misc]  # made of values on purpose
    made.__doc__ = "A page of a list; `next` is null on the last page."
    return made


def extend_type(
    name: str,
    base: Any,  # noqa: ANN401  types
    /,
    without: tuple[str, ...] = (),
    **fields: Any,  # noqa: ANN401  types
) -> Any:  # noqa: ANN401  types
    """The type of a dataclass that is written out, with further fields and ``without`` some."""
    kept = {
        key: it
        for key, it in get_type_hints(shape_of(base), include_extras=True).items()
        if key not in without
    }
    made = TypedDict(name, {**kept, **fields})  # type: ignore[misc]  # as above
    made.__doc__ = (base.__doc__ or "").partition("\n\n")[0]
    return made


def page_data(items: Iterable[Any], after: str = "", **beside: Any) -> dict[str, Any]:  # noqa: ANN401  plain data
    """A page as data."""
    return {**beside, "items": list(items), "next": after or None}


def part(
    rows: Sequence[Any],
    query: PagedQuery,
    shown: Callable[[Any], Any] | None = None,
    **beside: Any,  # noqa: ANN401  plain data
) -> dict[str, Any]:
    """Return a page of rows in memory, by position."""
    first = cursor_offset(query.after)
    chosen = rows[first : first + query.limit]
    more = str(first + query.limit) if first + query.limit < len(rows) else ""
    return page_data(map(shown, chosen) if shown else chosen, more, **beside)


def cursor_offset(after: str) -> int:
    """Return the position encoded in ``after``.

    Raises:
        SpecError: not a position.
    """
    if not after:
        return 0
    if not (after.isascii() and after.isdecimal() and len(after) <= _DIGITS):
        raise SpecError("after is no place in this list.", where="query.after", hint=AGAIN)
    return int(after)


def checked_cursor(after: str, kind: type | tuple[type, ...]) -> str:
    """Return a cursor for the database, of a list sorted by values of that kind.

    Raises:
        SpecError: not an issued cursor.
    """
    try:
        found = decode_cursor(after)
    except SpecError as exc:
        raise SpecError(exc.message, where="query.after", hint=AGAIN) from exc
    if found and not (isinstance(found[0], kind) and abs(found[1]) < _WIDEST):
        raise SpecError("after is no place in this list.", where="query.after", hint=AGAIN)
    return after
