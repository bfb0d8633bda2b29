"""Suites changed: each change is a new version under the same name, by its content."""

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, replace

from benchmaker.errors import SpecError
from benchmaker.scoring.check import check_suite
from benchmaker.spec import Case, Suite
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class AmendedCases:
    """Cases of which some are replaced by others, by position from 0; ``added`` are the last."""

    cases: Iterable[Case]
    instead: Mapping[int, tuple[Case, ...]]
    added: tuple[Case, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        for place, case in enumerate(self.cases):
            if place in self.instead:
                yield from self.instead[place]
            else:
                yield case
        yield from self.added


def replace_case(suite: Suite, at: int, *instead: Case) -> Suite:
    """The suite with other cases in the place of one; past the last they are added.

    Raises:
        SpecError: a template of a case can't be rendered.
    """
    if at >= case_count(suite):
        return amend_cases(suite, {}, instead)
    return amend_cases(suite, {at: instead})


def amend_cases(
    suite: Suite, instead: Mapping[int, Iterable[Case]], added: Iterable[Case] = ()
) -> Suite:
    """The suite with other cases in the places of some, by position from 0, and further ones.

    Raises:
        SpecError: a template of a case can't be rendered.
    """
    made = {place: _expand_all(suite, cases) for place, cases in instead.items()}
    return replace(suite, cases=AmendedCases(suite.cases, made, _expand_all(suite, added)))


def _expand_all(suite: Suite, cases: Iterable[Case]) -> tuple[Case, ...]:
    return tuple(one for case in cases for one in suite.expand_case(case))


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
