"""The filters of a run's cases, and the cases that pass them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from benchmaker.record import Selection
from benchmaker.spec import Case
from benchmaker.spec.suites.filter_expression import NO_VARIABLES, compile_filter


class CaseFilter(NamedTuple):
    """One condition on cases; ``option`` is its text on the command line."""

    option: str
    passes: Callable[[Case], bool]


def select_cases(
    cases: Iterable[Case], selection: Selection, variables: Mapping[str, Any] = NO_VARIABLES
) -> Iterator[tuple[int, Case]]:
    """Yield the cases of a run, with their positions in the suite.

    ``variables`` are those of the suite, for the expression. The limit counts the passing cases,
    all expansions of one case as one.

    Raises:
        SpecError: the expression can't be evaluated for a case.
    """
    filters = filters_of(selection, variables)
    number, last = 0, None
    for position, case in enumerate(cases):
        if not all(one.passes(case) for one in filters):
            continue
        if case.written_id != last:
            number, last = number + 1, case.written_id
        if selection.limit is not None and number > selection.limit:
            return
        yield position, case


def filters_of(
    selection: Selection, variables: Mapping[str, Any] = NO_VARIABLES
) -> list[CaseFilter]:
    """Return the filters in the order of their application.

    A case passes with one of the patterns, one of the categories and one of the tags, if given.
    Filters that depend on a run or on chance are applied where they are resolved to ids.

    Raises:
        SpecError: a syntax error or an unknown name in the expression.
    """
    if selection.ids_by_setup is not None:
        chosen = frozenset(chain.from_iterable(selection.ids_by_setup.values()))
        return [CaseFilter("", _match_ids(chosen))]
    if selection.ids is not None:
        return [CaseFilter("", _match_ids(selection.ids))]
    made: list[CaseFilter] = []
    if selection.cases:
        made.append(
            CaseFilter(_option("--case", selection.cases), _match_patterns(selection.cases))
        )
    if selection.categories:
        option = _option("--category", selection.categories)
        made.append(CaseFilter(option, _match_categories(selection.categories)))
    if selection.tags:
        made.append(CaseFilter(_option("--tag", selection.tags), _match_tags(selection.tags)))
    if selection.filter is not None and selection.filter_of is None:
        expression = compile_filter(selection.filter, with_trials=False)
        passes = partial(expression.passes, variables=variables)
        made.append(CaseFilter(f'--filter "{selection.filter}"', passes))
    return made


def matches(case: Case, pattern: str) -> bool:
    """True if the id of the case, or of the case it is an expansion of, matches the pattern."""
    return fnmatchcase(case.id, pattern) or fnmatchcase(case.written_id, pattern)


def _option(name: str, words: Iterable[str]) -> str:
    return " ".join(f"{name} {word}" for word in words)


def _match_ids(ids: Iterable[str]) -> Callable[[Case], bool]:
    chosen = frozenset(ids)
    return lambda case: case.id in chosen


def _match_patterns(patterns: Iterable[str]) -> Callable[[Case], bool]:
    return lambda case: any(matches(case, pattern) for pattern in patterns)


def _match_categories(categories: Iterable[str]) -> Callable[[Case], bool]:
    chosen = frozenset(categories)
    return lambda case: case.category in chosen


def _match_tags(tags: Iterable[str]) -> Callable[[Case], bool]:
    chosen = frozenset(tags)
    return lambda case: not chosen.isdisjoint(case.tags)
