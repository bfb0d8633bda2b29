"""Runs of one suite as points in time: their scores by case, and their settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.metric import FigureName, by_metric, figure_name
from benchmaker.record import Run, RunState
from benchmaker.record.run import start_order
from benchmaker.record.score_columns import ScoreColumns

SCORED_AGAIN = "scored again"
"""The suffix of a point's marker if its answers were scored by a corrected suite."""


@runtime_checkable
class HasRuns(Protocol):
    """A run's result: the records of its runs, and its scores as columns."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records, several for a series."""
        ...

    def columns(self) -> ScoreColumns:
        """The scores, one row a trial."""
        ...


@runtime_checkable
class HasCaseDigests(Protocol):
    """A result that tells which cases are the same in another version of its suite."""

    def case_digests(self) -> Mapping[str, bytes]:
        """A digest of each case, by id; equal digests are equal cases. Empty if unknown."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TimePoint:
    """The runs of one point in time, with their scores by case and model.

    ``digests`` are those of the cases of its version of the suite, empty if unknown.
    """

    runs: tuple[Run, ...]
    table: CaseTable
    case_ids: tuple[str, ...]
    figure: FigureName
    digests: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, result: HasRuns, metric: str = "mean") -> "TimePoint":
        """The scores of a run, or of the runs of a series, as the metric counts them."""
        given = result.columns()
        columns = by_metric(given, metric)
        places = np.unique(columns.position[columns.weight > 0]).tolist()
        return cls(
            runs=tuple(result.runs),
            table=case_table(columns),
            case_ids=tuple(columns.case_ids[at] for at in places),
            figure=figure_name(given, metric, result.runs),
        )

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs of this point."""
        return tuple(run.id for run in self.runs)

    @property
    def series_id(self) -> str | None:
        """The series, if several of its runs are this point."""
        return self.runs[0].series_id if len(self.runs) > 1 else None

    @property
    def suite_hash(self) -> str:
        """The version of the suite."""
        return self.runs[0].suite_hash

    @property
    def is_finished(self) -> bool:
        """True if no run of it ended early, or is in progress."""
        return all(run.state == RunState.FINISHED for run in self.runs)

    @property
    def order(self) -> tuple[bool, tuple[str, str, str]]:
        """By its start: answers re-scored come after their first scores."""
        return start_order(self.runs)

    @property
    def facts(self) -> dict[str, object]:
        """The settings that should be equal in every point."""
        run = self.runs[0]
        provider = run.provider
        return {
            "suite": run.suite_hash,
            "profile": f"{run.profile}/{run.profile_version}",
            "Benchmaker": run.package_version,
            "parameters": (run.parameters, run.benchmark_mode),
            "system prompt": run.system_prompt,
            "judge": (run.judge_model, run.judge_prompt),
            "cases": run.selection,
            "provider": provider.get("kind"),
        }

    def has(self, model: str) -> bool:
        """True if the model has a score here."""
        return model in self.table.models and len(self.table.cases_of(model)) > 0


def markers(before: "TimePoint | None", after: TimePoint) -> tuple[str, ...]:
    """Return the changes, with both values if they are short."""
    if before is None:
        return ()
    old, new = before.facts, after.facts
    source = after.runs[0].rescored_from
    again = (f"answers of {source}, {SCORED_AGAIN}",) if source else ()
    return again + tuple(
        _marker(name, old[name], new[name]) for name in old if old[name] != new[name]
    )


def _marker(name: str, old: object, new: object) -> str:
    if name == "suite":
        return f"suite {str(old)[:8]} to {str(new)[:8]}"
    if name in {"profile", "Benchmaker", "provider"} and old and new:
        return f"{name} {old} to {new}"
    return f"other {name}" if name != "cases" else "different selection of cases"


def points_of(results: Sequence[HasRuns], metric: str) -> list[TimePoint]:
    """The points in the order of time; with digests of their cases if the versions differ."""
    points = [TimePoint.of(result, metric) for result in results]
    sources = dict(zip([one.suite_hash for one in points], results, strict=True))
    if len(sources) > 1:
        digests = {
            content: source.case_digests() if isinstance(source, HasCaseDigests) else {}
            for content, source in sources.items()
        }
        points = [replace(one, digests=digests[one.suite_hash]) for one in points]
    return sorted(points, key=lambda one: one.order)


def change_of_scoring(before: TimePoint, after: TimePoint) -> str:
    """The part of two points that differs, so that they can't be compared: suite or profile.

    Empty if they can be. Versions of a suite are compared over their equal cases; answers that were
    scored again are not compared with their first scores.
    """
    if before.facts["profile"] != after.facts["profile"]:
        return "profile"
    if before.suite_hash == after.suite_hash:
        return ""
    is_rescored = any(run.rescored_from for run in (*before.runs, *after.runs))
    return "suite" if is_rescored or not _has_equal_cases(before, after) else ""


def _has_equal_cases(before: TimePoint, after: TimePoint) -> bool:
    return any(_is_equal_case(before, after, one) for one in after.case_ids)


def _is_equal_case(before: TimePoint, after: TimePoint, case_id: str) -> bool:
    digest = after.digests.get(case_id)
    return digest is not None and before.digests.get(case_id) == digest


def common_cases(before: TimePoint, after: TimePoint) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of the cases that both have, in either; in the order of the later one.

    Cases of different versions of the suite are common if they are equal.
    """
    places = {case_id: at for at, case_id in enumerate(before.case_ids)}
    is_same = before.suite_hash == after.suite_hash
    pairs = [
        (places[case_id], at)
        for at, case_id in enumerate(after.case_ids)
        if case_id in places and (is_same or _is_equal_case(before, after, case_id))
    ]
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(left, dtype=np.intp), np.array(right, dtype=np.intp)
