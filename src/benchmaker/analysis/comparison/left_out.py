"""The comparison of setups without those that were dropped or stopped early."""

from collections.abc import Collection, Sequence
from itertools import combinations

from benchmaker.analysis.comparison.pairing import CaseTable


def without(table: CaseTable, names: Collection[str]) -> CaseTable:
    """The table without the named setups."""
    return table.select_models([name for name in table.models if name not in names])


def pairs_with(names: Sequence[str], left_out: Collection[str]) -> list[tuple[str, str]]:
    """Return the pairs of these names of which at least one is left out.

    >>> pairs_with(("a", "b", "c"), {"c"})
    [('a', 'c'), ('b', 'c')]
    """
    return [pair for pair in combinations(names, 2) if set(pair) & set(left_out)]
