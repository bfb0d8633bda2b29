"""The records of runs that come along with their scores."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from benchmaker.analysis.scorings import newest_scorings
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns


@runtime_checkable
class HasRecords(Protocol):
    """A run's result: it holds the records of its runs, several for a series."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records."""
        ...


@runtime_checkable
class JoinsVersions(Protocol):
    """A run's result that can be read together with others of the same store."""

    def joined_with(self, others: Sequence[Any]) -> "HasSharedCases":
        """All of them over the cases that are the same in every version of their suite."""
        ...


class HasSharedCases(Protocol):
    """Runs of a suite, each answer once, over the cases that all of its versions share."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records, under one version."""
        ...

    @property
    def columns(self) -> ScoreColumns:
        """The scores, of the shared cases."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """The number of shared cases, and the runs that hold the same answers as others."""
        ...


def shared_cases(source: object) -> HasSharedCases | None:
    """Return results of one suite read together, if versions differ or answers are rescored.

    None for all others, whose scores are used unchanged.

    Raises:
        NotComparable: they are in different stores, or have no case in common.
    """
    if not isinstance(source, Sequence) or isinstance(source, str):
        return None
    results = [part for part in source if isinstance(part, JoinsVersions)]
    if not results or len(results) < len(source):
        return None
    runs = records_of(source)
    if len({run.suite_hash for run in runs}) <= 1 and not newest_scorings(runs).replaced:
        return None
    return results[0].joined_with(results[1:])


def records_of(source: object) -> tuple[Run, ...]:
    """The records that a result, or a list of results, brings along; none for bare scores."""
    if isinstance(source, HasRecords):
        return tuple(source.runs)
    if isinstance(source, Sequence) and not isinstance(source, str):
        return tuple(run for part in source if isinstance(part, HasRecords) for run in part.runs)
    return ()
