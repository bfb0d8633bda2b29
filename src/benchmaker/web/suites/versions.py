"""Suites changed: each change is a new version under the same name, by its content."""

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, replace

from benchmaker.errors import SpecError
from benchmaker.scoring.check import check_suite
from benchmaker.spec import Case, Suite
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class AmendedCases:
    """Cases of which one is replaced by others; past the last they are added."""

    cases: Iterable[Case]
    at: int
    instead: tuple[Case, ...]

    def __iter__(self) -> Iterator[Case]:
        place = -1
        for place, case in enumerate(self.cases):
            if place == self.at:
                yield from self.instead
            else:
                yield case
        if self.at > place:
            yield from self.instead


def replace_case(suite: Suite, at: int, *instead: Case) -> Suite:
    """The suite with other cases in the place of one.

    Raises:
        SpecError: a template of a case can't be rendered.
    """
    made = tuple(one for case in instead for one in suite.expand_case(case))
    return replace(suite, cases=AmendedCases(suite.cases, at, made))


def twin_of(case: Case, is_taken: Iterable[str]) -> Case:
    """The case again, under the first id of its kind that is free."""
    taken = set(is_taken)
    stem = case.id[:500]
    number = next(number for number in range(2, len(taken) + 3) if f"{stem}-{number}" not in taken)
    return case.model_copy(update={"id": f"{stem}-{number}"})


def keep(store: Store, suite: Suite) -> str:
    """Store a valid suite as the latest version; return its content hash.

    Raises:
        SpecError: it is invalid; all faults together.
    """
    check(suite)
    return keep_checked(store, suite)


def check(suite: Suite) -> None:
    """Refuse an invalid suite.

    Raises:
        SpecError: it is invalid; all faults together.
    """
    if found := check_suite(suite):
        raise SpecError.of(found)


def keep_checked(store: Store, suite: Suite) -> str:
    """Store a suite as the newest version, one that was stored before too; returns its hash."""
    content = store.put_suite(suite)
    store.renew_suite(content)
    return content


def case_count(suite: Suite) -> int:
    """Return the number of cases."""
    cases = suite.cases
    return len(cases) if isinstance(cases, Sized) else sum(1 for _ in cases)
