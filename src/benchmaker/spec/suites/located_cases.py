"""The cases of a suite with their places, and the ids that two of them share."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from benchmaker.spec.documents.source_map import CasePlaces, Place, Places
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_file import CaseFile, RowPlaces
from benchmaker.spec.suites.draft import refused_of


def located(cases: Iterable[Case], places: Places) -> Iterator[tuple[Case, CasePlaces | RowPlaces]]:
    """Each case with the places of its values; in a data file to the column."""
    if isinstance(cases, CaseFile):
        yield from cases.placed()
    else:
        for index, case in enumerate(cases):
            yield case, places.case(index)


def repeated(
    cases: Iterable[Case], hashes: Sequence[int], places: Places
) -> Iterator[tuple[str, Place, Place]]:
    """Each id that an earlier case has: the id, its place, and the place where it stood first.

    ``hashes`` are those of the ids in their order, gathered in an earlier pass. Only ids whose
    hashes repeat are kept and compared, so that memory stays small where all is well.
    """
    suspects = {one for one, following in pairwise(sorted(hashes)) if one == following}
    if not suspects:
        return
    first: dict[str, Place] = {}
    for case, at in located(cases, places):
        if hash(case.id) in suspects and "id" not in refused_of(case):
            place = at.of(("id",))
            if case.id in first:
                yield case.id, place, first[case.id]
            else:
                first[case.id] = place
