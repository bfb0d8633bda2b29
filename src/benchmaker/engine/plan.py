"""What is still to be asked: case and model without a row, found as it is needed."""

from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import NamedTuple, Protocol

from benchmaker.record import Selection
from benchmaker.spec import Case

PAGE = 500
"""Cases looked up in the store at once."""


class Task(NamedTuple):
    """One case for one model; ``position`` is the case's place in its suite, from 0."""

    position: int
    case: Case
    model: str


class Done(Protocol):
    """Which (case id, model) have a row, between two positions, both included."""

    def __call__(self, first: int, last: int) -> Collection[tuple[str, str]]:
        """The keys between the positions."""
        ...


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


def count_selected(cases: Iterable[Case], selection: Selection) -> int:
    """How many cases a run asks."""
    if isinstance(cases, Sized) and not (selection.categories or selection.tags):
        return min(len(cases), len(cases) if selection.limit is None else selection.limit)
    return sum(1 for _ in selected(cases, selection))


class Plan:
    """The tasks of a run that have no row yet, lazily, models interleaved.

    A page of cases is read, the store is asked once what of it is done, and the rest is handed
    out in the order of cases, then models. So start and resume are the same question, and memory
    does not grow with the suite.
    """

    def __init__(
        self,
        cases: Iterable[Case],
        models: Sequence[str],
        *,
        selection: Selection,
        done: Done,
        page: int = PAGE,
    ) -> None:
        self._cases = cases
        self._models = tuple(models)
        self._selection = selection
        self._done = done
        self._page = page
        self._dropped: set[str] = set()
        self._tasks = self._open_tasks()

    def count(self) -> int:
        """Planned trials, done ones included; reads the cases only where a filter asks for it."""
        return count_selected(self._cases, self._selection) * len(self._models)

    def take(self, number: int) -> list[Task]:
        """The next tasks, at most ``number``; an empty list when all are handed out.

        Nothing is awaited in here, so that workers of one event loop never get the same task.
        """
        return list(islice(self._tasks, number))

    def drop(self, model: str) -> None:
        """Hand out nothing more of this model."""
        self._dropped.add(model)

    def _open_tasks(self) -> Iterator[Task]:
        chosen = selected(self._cases, self._selection)
        while page := list(islice(chosen, self._page)):
            done = self._done(page[0][0], page[-1][0])
            for position, case in page:
                for model in self._models:
                    if model not in self._dropped and (case.id, model) not in done:
                        yield Task(position, case, model)
