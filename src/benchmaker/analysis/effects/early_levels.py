"""Levels whose setups were dropped or stopped before the end of their runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmaker.analysis.early_ends import left_out_of
from benchmaker.analysis.effects.dimensions import Dimension, SetupLevels, levels_in


@dataclass(frozen=True, slots=True)
class EarlyLevels:
    """Setups that ended early, by what is left of their level.

    ``setups`` have a level with other setups, which stands for them; ``levels`` have no other
    setups than ``setups_of_levels``. The values are the reasons.
    """

    setups: Mapping[str, str]
    levels: Mapping[str, str]
    setups_of_levels: Mapping[str, str]


def early_levels(levels: SetupLevels, by: Dimension, ends: Mapping[str, str]) -> EarlyLevels:
    """Return the setups among these that ended early, and the levels of such setups alone."""
    ended = left_out_of(list(levels), ends)
    whole = {own.level(by) for name, own in levels.items() if name not in ended}
    places = {name: levels[name].level(by) for name in ended}
    alone = {place: ended[name] for name, place in places.items() if place not in whole}
    gone = left_out_of(levels_in(levels, by), alone)
    return EarlyLevels(
        {name: why for name, why in ended.items() if places[name] in whole},
        gone,
        {name: why for name, why in ended.items() if places[name] in gone},
    )
