"""Connectivity of battles: the groups of models that share a scale."""

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import DisconnectedBattles
from benchmaker.stats.ratings.battles import BattleCounts
from benchmaker.stats.ratings.rating import Ints

_SHOWN_NAMES = 3
_SHOWN_GROUPS = 6


def groups(counts: BattleCounts) -> Ints:
    """Return each model's strongly connected component, the largest being 0.

    Wins and ties are directed edges between models. Finite strengths exist exactly for sets in
    which every model can be reached from every other one (Ford 1957); this holds within each group,
    not across groups. Equal sizes are ordered by name.
    """
    arrows = (counts.win + counts.tie) > 0
    group = np.full(counts.m, -1, np.int64)
    for start in range(counts.m):
        if group[start] < 0:
            free = group < 0
            there, back = _reach_from(arrows, start, free), _reach_from(arrows.T, start, free)
            group[there & back] = start
    _, first, sizes = np.unique(group, return_index=True, return_counts=True)
    order = sorted(range(len(first)), key=lambda k: (-sizes[k], first[k]))
    number = {int(group[first[k]]): place for place, k in enumerate(order)}
    return np.array([number[int(code)] for code in group], np.int64)


def components(counts: BattleCounts) -> tuple[tuple[str, ...], ...]:
    """Return the groups' names, largest first; a single group means that all are connected."""
    group = groups(counts)
    return tuple(
        tuple(name for name, code in zip(counts.names, group, strict=True) if code == number)
        for number in range(int(group.max()) + 1)
    )


def require_connected(counts: BattleCounts) -> None:
    """DisconnectedBattles with the groups named, unless there is only one."""
    found = components(counts)
    if len(found) == 1:
        return
    shown = "; ".join(f"[{_join_names(group)}]" for group in found[:_SHOWN_GROUPS])
    more = f" and {len(found) - _SHOWN_GROUPS} more" if len(found) > _SHOWN_GROUPS else ""
    raise DisconnectedBattles(
        f"The battles do not put all models on one scale: between these {len(found)} groups "
        f"one side won everything, or they never met: {shown}{more}.",
        hint='Collect more battles, rate within groups (disconnected="components"), '
        "or state a prior (prior=1).",
    )


def _join_names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN_NAMES])
    return f"{shown} and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else shown


def _reach_from(
    arrows: NDArray[np.bool_], start: int, free: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the nodes reachable from ``start`` without leaving ``free``."""
    seen = np.zeros(len(arrows), np.bool_)
    seen[start] = True
    front = seen
    while front.any():
        front = arrows[front].any(axis=0) & free & ~seen
        seen = seen | front
    return seen
