"""The remaining trials: cases and models without a row, found lazily."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import Any, NamedTuple, Protocol

from benchmaker.engine.trials.case_filters import filters_of, select_cases
from benchmaker.engine.trials.case_pages import KEPT, PAGE, CaseReader, DoneLookup
from benchmaker.record import Selection, Trial
from benchmaker.spec import Case
from benchmaker.spec.suites.filter_expression import NO_VARIABLES

__all__ = ["PAGE", "DoneLookup", "Plan", "Task", "count_selected", "select_cases"]


class Task(NamedTuple):
    """One case for one model; ``position`` is the case's place in its suite, from 0.

    ``earlier`` is the stored trial of a case with tools that has not ended, or is to be repeated.
    """

    position: int
    case: Case
    model: str
    earlier: Trial | None = None


class EarlierLookup(Protocol):
    """A lookup of the stored trial of a case and a model."""

    def __call__(self, case_id: str, model: str) -> Trial | None:
        """The trial; None if there is none."""
        ...


def count_selected(
    cases: Iterable[Case], selection: Selection, variables: Mapping[str, Any] = NO_VARIABLES
) -> int:
    """Return the number of cases of a run, expansions of one case counted singly."""
    if isinstance(cases, Sized) and selection.limit is None and not filters_of(selection):
        return len(cases)
    return sum(1 for _ in select_cases(cases, selection, variables))


class Plan:
    """The tasks of a run without a row, lazily.

    A page of cases is read, one query of the store finds the completed ones, and the rest is
    released: by :meth:`take` in the order of cases, then models, or by :meth:`tasks_of` for a
    single model, each at its own speed. So start and resume are the same, and memory does not grow
    with the suite.
    """

    def __init__(
        self,
        cases: Iterable[Case],
        models: Sequence[str],
        *,
        selection: Selection,
        done: DoneLookup,
        variables: Mapping[str, Any] = NO_VARIABLES,
        page: int = PAGE,
        earlier: EarlierLookup | None = None,
    ) -> None:
        self._earlier = earlier
        self._cases = cases
        self._variables = variables
        self._models = tuple(models)
        self._selection = selection
        self._pages = CaseReader(
            cases,
            selection=selection,
            variables=variables,
            done=done,
            page=page,
            kept=KEPT if len(self._models) > 1 else 1,
        )
        self._dropped: set[str] = set()
        by_setup = selection.ids_by_setup
        self._ids = None if by_setup is None else {it: set(ids) for it, ids in by_setup.items()}
        self._tasks = self._interleave_models()

    def count(self) -> int:
        """Return the planned trials, completed ones included; reads cases for filters and limit."""
        if self._ids is not None:
            return sum(len(self._ids.get(model, ())) for model in self._models)
        chosen = count_selected(self._cases, self._selection, self._variables)
        return chosen * len(self._models)

    def take(self, number: int) -> list[Task]:
        """Return the next tasks, at most ``number``; an empty list at the end.

        It never awaits, so that workers of one event loop never get the same task.
        """
        return list(islice(self._tasks, number))

    def drop(self, model: str) -> None:
        """Release nothing more for this model."""
        self._dropped.add(model)

    def tasks_in(self, keys: Collection[tuple[str, str]]) -> Iterator[Task]:
        """The tasks with these keys of case id and model, completed ones too."""
        left = set(keys)
        for position, case in select_cases(self._cases, self._selection, self._variables):
            if not left:
                return
            for model in self._models:
                if (case.id, model) in left:
                    left.discard((case.id, model))
                    if model not in self._dropped:
                        yield self._task(position, case, model)

    def tasks_of(self, model: str) -> Iterator[Task]:
        """The tasks of one model."""
        for page in self._pages.read():
            for position, case in page.cases:
                if model in self._dropped:
                    return
                if (case.id, model) not in page.done and self._includes(case, model):
                    yield self._task(position, case, model)

    def _includes(self, case: Case, model: str) -> bool:
        """True unless the run repeats only other cases with this setup."""
        return self._ids is None or case.id in self._ids.get(model, ())

    def _interleave_models(self) -> Iterator[Task]:
        for page in self._pages.read():
            for position, case in page.cases:
                for model in self._models:
                    is_open = model not in self._dropped and (case.id, model) not in page.done
                    if is_open and self._includes(case, model):
                        yield self._task(position, case, model)

    def _task(self, position: int, case: Case, model: str) -> Task:
        """The task; with its stored steps if the case has tools."""
        if not case.tools or self._earlier is None:
            return Task(position, case, model)
        return Task(position, case, model, self._earlier(case.id, model))
