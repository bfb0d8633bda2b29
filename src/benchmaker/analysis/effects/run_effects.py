"""Everything that the dimensions of a run add to its results."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from benchmaker.analysis.columns import HasColumns, Scored
from benchmaker.analysis.comparison.comparison import read_scores
from benchmaker.analysis.effects.dimensions import (
    Dimension,
    setup_levels,
    varied_dimensions,
)
from benchmaker.analysis.effects.interactions import Interaction
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.analysis.effects.matrix import Matrix, setup_matrix
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns

_ORDER: tuple[Dimension, ...] = ("prompt", "model", "effort")


@dataclass(frozen=True, slots=True)
class RunEffects:
    """The comparisons by each dimension with several levels, and the matrix if there are two."""

    comparisons: tuple[LevelComparison, ...]
    matrix: Matrix | None

    @property
    def interactions(self) -> tuple[Interaction, ...]:
        """Every interaction once, as the effect of the first dimension."""
        found: dict[frozenset[Dimension], Interaction] = {}
        for one in self.comparisons:
            for it in one.interactions:
                found.setdefault(frozenset((it.by, it.across)), it)
        return tuple(found.values())

    def to_dict(self) -> dict[str, Any]:
        """The keys that results with dimensions have beside those of every result."""
        return {
            "effects": [one.to_dict() for one in self.comparisons],
            "matrix": self.matrix.to_dict() if self.matrix else None,
        }


def run_effects(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    level: float = 0.95,
    metric: str | None = None,
) -> RunEffects | None:
    """Return the effects of prompts, models and efforts; None without several levels of one.

    Runs of models alone have none either. A dimension with fewer than two scored levels is left
    out. Arguments and errors as in :func:`~benchmaker.analysis.effects.matrix.setup_matrix`.
    """
    read = read_scores(columns, runs, metric=metric)
    if not any(run.has_dimensions for run in read.runs):
        return None
    varied = varied_dimensions(setup_levels(read.runs, read.columns.models))
    found: list[LevelComparison] = []
    for by in _ORDER:
        if by in varied:
            with suppress(AnalysisError):
                found.append(compare_levels(columns, by, runs, level=level, metric=metric))
    matrix = setup_matrix(columns, runs, level=level, metric=metric)
    return RunEffects(tuple(found), matrix) if found or matrix else None
