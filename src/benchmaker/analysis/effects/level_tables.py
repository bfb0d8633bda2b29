"""Scores by level: in each case the mean over the setups of a level."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmaker.analysis.comparison.pairing import CaseTable, Floats
from benchmaker.analysis.effects.dimensions import Dimension, SetupLevels, levels_in


@dataclass(frozen=True, slots=True)
class LevelTables:
    """Scores of setups, grouped by their levels in one dimension.

    A level counts in a case with the mean over its setups in the given combinations of the other
    dimensions, if each of them has a score there.
    """

    table: CaseTable
    levels: SetupLevels
    by: Dimension
    setups: dict[str, dict[tuple[str, ...], str]] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[str, dict[tuple[str, ...], str]] = {}
        for name in self.table.models:
            own = self.levels[name]
            found.setdefault(own.level(self.by), {})[own.others(self.by)] = name
        object.__setattr__(self, "setups", found)

    @property
    def names(self) -> tuple[str, ...]:
        """The levels, in the order of the setups."""
        return tuple(self.setups)

    def combinations(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """The combinations of the other dimensions that all of these levels have."""
        first, *others = (self.setups[name] for name in names)
        return tuple(it for it in first if all(it in one for one in others))

    @property
    def is_crossed(self) -> bool:
        """True if every level has the same combinations."""
        return len({frozenset(one) for one in self.setups.values()}) == 1

    def of_levels(self, names: Sequence[str]) -> CaseTable:
        """The scores of these levels over the combinations that they share."""
        shared = self.combinations(names)
        columns = [self._means([self.setups[name][it] for it in shared]) for name in names]
        table = self.table
        return CaseTable(tuple(names), np.column_stack(columns), table.weights, table.cluster)

    def of_all(self) -> CaseTable:
        """The scores of every level over the combinations that all share, or else its own."""
        if self.combinations(self.names):
            return self.of_levels(self.names)
        return self.of_own()

    def of_own(self) -> CaseTable:
        """The scores of every level over its own combinations."""
        table = self.table
        columns = [self._means(list(self.setups[name].values())) for name in self.names]
        return CaseTable(self.names, np.column_stack(columns), table.weights, table.cluster)

    @property
    def notes(self) -> tuple[str, ...]:
        """A remark on levels that lack combinations of others."""
        if self.is_crossed:
            return ()
        return (
            (
                f"not every {self.by} has the same combinations of the other dimensions: "
                "each pair is compared over those that both have"
            ),
        )

    def shared_levels(self, names: Sequence[str]) -> dict[Dimension, tuple[str, ...]]:
        """The levels of the other dimensions over which these levels are averaged."""
        shared = self.combinations(names)
        used = {
            self.setups[name][it]: self.levels[self.setups[name][it]]
            for name in names[:1]
            for it in shared
        }
        return {it: levels_in(used, it) for it in _others(self.by)}

    def _means(self, setups: Sequence[str]) -> Floats:
        if not setups:
            return np.full(len(self.table), np.nan)
        means: Floats = self.table.select_models(setups).scores.mean(axis=1)
        return means


def _others(by: Dimension) -> tuple[Dimension, ...]:
    every: tuple[Dimension, ...] = ("model", "prompt", "effort")
    return tuple(it for it in every if it != by)
