"""Runs of one suite as points in time: their scores by case, and their settings."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.metric import FigureName, by_metric, figure_name
from benchmaker.record import Run
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


@dataclass(frozen=True, slots=True, eq=False)
class TimePoint:
    """The runs of one point in time, with their scores by case and model."""

    runs: tuple[Run, ...]
    table: CaseTable
    case_ids: tuple[str, ...]
    figure: FigureName

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
    def order(self) -> tuple[str, str, str]:
        """As that of its first run: answers re-scored come after their first scores."""
        return self.runs[0].order

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


def common_cases(
    before: TimePoint, after: TimePoint
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The cases of either that the other has too; both are in the order of the suite."""
    return (
        np.isin(before.case_ids, after.case_ids),
        np.isin(after.case_ids, before.case_ids),
    )
