"""The cases of a suite with their places, and the ids that two of them share."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from benchmaker.spec.documents.source_map import CaseSourceMap, SourceLocation, SourceMap
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_file import CaseFile, RowSourceMap
from benchmaker.spec.suites.draft import refused_fields_of
from benchmaker.spec.suites.suite import Suite


def locate_cases(
    cases: Iterable[Case], places: SourceMap
) -> Iterator[tuple[Case, CaseSourceMap | RowSourceMap]]:
    """Each case with the places of its values; in a data file to the column."""
    if isinstance(cases, CaseFile):
        yield from cases.locate_cases()
    else:
        for index, case in enumerate(cases):
            yield case, places.case(index)


def find_duplicates(
    cases: Iterable[Case], hashes: Sequence[int], places: SourceMap
) -> Iterator[tuple[str, SourceLocation, SourceLocation]]:
    """Yield each repeated id with its location and the location of its first use.

    ``hashes`` are those of the ids in their order, collected in an earlier pass. Only ids with
    repeated hashes are kept and compared, which keeps memory small.
    """
    suspects = {one for one, following in pairwise(sorted(hashes)) if one == following}
    if not suspects:
        return
    first: dict[str, SourceLocation] = {}
    for case, at in locate_cases(cases, places):
        if hash(case.id) in suspects and "id" not in refused_fields_of(case):
            place = at.locate(("id",))
            if case.id in first:
                yield case.id, place, first[case.id]
            else:
                first[case.id] = place


def case_places(suite: Suite) -> dict[str, SourceLocation]:
    """Return the line of each case of a suite that was read from a file, by id."""
    places = suite.places
    if places is None:
        return {}
    return {case.id: at.locate(()) for case, at in locate_cases(suite.cases, places)}
