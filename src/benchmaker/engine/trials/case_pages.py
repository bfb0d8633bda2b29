"""The cases of a run, a page at a time, for readers that go at different speeds."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Protocol

from benchmaker.engine.trials.case_filters import select_cases
from benchmaker.record import Selection
from benchmaker.spec import Case
from benchmaker.spec.suites.filter_expression import NO_VARIABLES

PAGE = 250
"""Number of cases looked up in the store at once."""

KEPT = 4
"""Number of pages kept for readers that are behind."""


class DoneLookup(Protocol):
    """A lookup of (case id, model) with a row, between two positions, both included."""

    def __call__(self, first: int, last: int) -> Collection[tuple[str, str]]:
        """The keys between the positions."""
        ...


class CaseBatch(NamedTuple):
    """Some cases with their places in the suite, and which (case id, model) of them are done."""

    cases: list[tuple[int, Case]]
    done: Collection[tuple[str, str]]


class CaseReader:
    """Reads the selected cases once for all readers at nearby positions.

    A reader that falls behind by more than a few pages reads separately from there on, so that
    memory grows neither with the suite nor with the distance between the readers.
    """

    def __init__(
        self,
        cases: Iterable[Case],
        *,
        selection: Selection,
        done: DoneLookup,
        variables: Mapping[str, Any] = NO_VARIABLES,
        page: int = PAGE,
        kept: int = KEPT,
    ) -> None:
        self._cases = cases
        self._variables = variables
        self._selection = selection
        self._done = done
        self._page = page
        self._most = kept
        self._chosen = select_cases(cases, selection, variables)
        self._kept: dict[int, CaseBatch] = {}
        self._read = 0

    def read(self) -> Iterator[CaseBatch]:
        """Every page, from the first on."""
        number = 0
        while number >= self._read or number in self._kept:
            page = self._kept.get(number) or self._read_next()
            if page is None:
                return
            yield page
            number += 1
        yield from self._read_separately(number)

    def _read_next(self) -> CaseBatch | None:
        """Return the next unread page."""
        page = self._make_batch(self._chosen)
        if page is not None:
            self._kept.pop(self._read - self._most, None)
            self._kept[self._read] = page
            self._read += 1
        return page

    def _read_separately(self, number: int) -> Iterator[CaseBatch]:
        chosen = select_cases(self._cases, self._selection, self._variables)
        rest = islice(chosen, number * self._page, None)
        while page := self._make_batch(rest):
            yield page

    def _make_batch(self, chosen: Iterator[tuple[int, Case]]) -> CaseBatch | None:
        cases = list(islice(chosen, self._page))
        return CaseBatch(cases, self._done(cases[0][0], cases[-1][0])) if cases else None
