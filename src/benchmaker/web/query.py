"""Query parameters: the selected view, and links to variants of it.

``q`` text, ``sort=-mean``, ``cols=a,b``, ``after=`` a cursor, and the filters that a page declares.
Unknown parameters are ignored and reported; an invalid value is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import Request

from benchmaker.errors import SpecError
from benchmaker.spec.documents.suggestions import did_you_mean

_SHARED = ("q", "sort", "cols", "after")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class View:
    """The view selected by an address; ``filters`` holds the parameters declared by the page."""

    path: str
    q: str = ""
    sort: str = ""
    descending: bool = False
    after: str = ""
    columns: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    def link(self, **changes: str | None) -> str:
        """Return the address of this view with changed parameters; None or "" removes one.

        Any change except ``after`` restarts the list.
        """
        words = {**self.words, "after": "", **changes}
        kept = {name: value for name, value in words.items() if value}
        return f"{self.path}?{urlencode(kept)}" if kept else self.path

    def sorted_by(self, column: str) -> str:
        """The address sorted by a column, or the other way round where it already is."""
        turned = self.sort == column and not self.descending
        return self.link(sort=f"-{column}" if turned else column)

    def in_form(self, suffix: str) -> str:
        """The address of the same rows as ``.csv`` or ``.json``."""
        kept = {name: value for name, value in self.words.items() if value and name != "after"}
        return f"{self.path}{suffix}{'?' if kept else ''}{urlencode(kept)}"

    @property
    def words(self) -> dict[str, str]:
        """Every word of the address, in a fixed order."""
        return {
            "q": self.q,
            **self.filters,
            "sort": f"{'-' if self.descending else ''}{self.sort}",
            "cols": ",".join(self.columns),
            "after": self.after,
        }


def read_view(
    request: Request,
    *,
    sortable: Sequence[str] = (),
    columns: Sequence[str] = (),
    filters: Mapping[str, Sequence[str] | None] | None = None,
    sort: str = "",
) -> View:
    """Return the view of a request.

    Args:
        request: the request.
        sortable: the columns that ``sort`` may name.
        columns: those that ``cols`` may name.
        filters: further parameters with their permitted values, or None for any text.
        sort: the default order.

    Raises:
        SpecError: an invalid value, with the nearest valid one.
    """
    given = dict(request.query_params)
    filters = filters or {}
    path = request.url.path
    for suffix in (".csv", ".json"):
        path = path.removesuffix(suffix)
    order = given.get("sort") or sort
    name = order.removeprefix("-")
    if name:
        _refuse_unless(name, sortable, "sort")
    chosen = tuple(one for one in given.get("cols", "").split(",") if one)
    for one in chosen:
        _refuse_unless(one, columns, "cols")
    return View(
        path=path,
        q=_checked_length(given.get("q", ""), "q"),
        sort=name,
        descending=order.startswith("-"),
        after=_checked_length(given.get("after", ""), "after"),
        columns=chosen,
        filters={
            word: _checked_choice(given.get(word, ""), word, may) for word, may in filters.items()
        },
        unknown=tuple(sorted(given.keys() - {*_SHARED, *filters})),
    )


def _checked_choice(value: str, word: str, may: Sequence[str] | None) -> str:
    if value and may is not None:
        _refuse_unless(value, may, word)
    return _checked_length(value, word)


def _checked_length(value: str, word: str) -> str:
    if len(value) > _LONGEST:
        raise SpecError(f"{word} is longer than {_LONGEST:,} characters.", hint="Shorten it.")
    return value


def _refuse_unless(value: str, known: Sequence[str], word: str) -> None:
    if value not in known:
        hint = did_you_mean(value, known) or f"Choose one of: {', '.join(known) or 'nothing'}."
        raise SpecError(f"invalid value for {word}: {value!r}.", hint=hint)
