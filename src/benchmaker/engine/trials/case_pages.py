"""The cases of a run, a page at a time, for readers that go at different speeds."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

from benchmaker.record import Selection
from benchmaker.spec import Case

PAGE = 500
"""Cases looked up in the store at once."""

KEPT = 2
"""Pages kept for those who come a little later."""


class Done(Protocol):
    """Which (case id, model) have a row, between two positions, both included."""

    def __call__(self, first: int, last: int) -> Collection[tuple[str, str]]:
        """The keys between the positions."""
        ...


class Page(NamedTuple):
    """Some cases with their places in the suite, and which (case id, model) of them are done."""

    cases: list[tuple[int, Case]]
    done: Collection[tuple[str, str]]


class Pages:
    """Reads the selected cases once for all readers that keep near each other.

    A reader that falls behind by more than a few pages reads for itself from there on, so that
    memory grows neither with the suite nor with the distance between the readers.
    """

    def __init__(
        self,
        cases: Iterable[Case],
        *,
        selection: Selection,
        done: Done,
        page: int = PAGE,
        kept: int = KEPT,
    ) -> None:
        self._cases = cases
        self._selection = selection
        self._done = done
        self._page = page
        self._most = kept
        self._chosen = selected(cases, selection)
        self._kept: dict[int, Page] = {}
        self._read = 0

    def read(self) -> Iterator[Page]:
        """Every page, from the first on."""
        number = 0
        while number >= self._read or number in self._kept:
            page = self._kept.get(number) or self._next()
            if page is None:
                return
            yield page
            number += 1
        yield from self._alone(number)

    def _next(self) -> Page | None:
        """The page that nobody has read yet."""
        page = self._looked_up(self._chosen)
        if page is not None:
            self._kept.pop(self._read - self._most, None)
            self._kept[self._read] = page
            self._read += 1
        return page

    def _alone(self, number: int) -> Iterator[Page]:
        chosen = selected(self._cases, self._selection)
        rest = islice(chosen, number * self._page, None)
        while page := self._looked_up(rest):
            yield page

    def _looked_up(self, chosen: Iterator[tuple[int, Case]]) -> Page | None:
        cases = list(islice(chosen, self._page))
        return Page(cases, self._done(cases[0][0], cases[-1][0])) if cases else None


def selected(cases: Iterable[Case], selection: Selection) -> Iterator[tuple[int, Case]]:
    """The cases a run asks, with their places in the suite.

    A case passes with one of the categories and one of the tags, where any are given; the limit
    counts those that pass.
    """
    chosen = ((at, case) for at, case in enumerate(cases) if is_chosen(case, selection))
    return islice(chosen, selection.limit)


def is_chosen(case: Case, selection: Selection) -> bool:
    """Whether the filters let the case pass."""
    if selection.categories and case.category not in selection.categories:
        return False
    return not selection.tags or not set(selection.tags).isdisjoint(case.tags)
