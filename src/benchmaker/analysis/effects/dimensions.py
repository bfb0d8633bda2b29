"""The dimensions of setups: model, prompt and effort, and the level of each setup in them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from benchmaker.record import Run
from benchmaker.record.setup import Setup

Dimension: TypeAlias = Literal["model", "prompt", "effort"]

DIMENSIONS: Final[tuple[Dimension, ...]] = ("model", "prompt", "effort")

NO_PROMPT: Final = "no prompt"
"""The level of setups without a prompt of the suite beside some that have one."""

DEFAULT_EFFORT: Final = "default"
"""The level of setups that send no effort beside some that do."""


class Levels(NamedTuple):
    """The level of a setup in each dimension."""

    model: str
    prompt: str = NO_PROMPT
    effort: str = DEFAULT_EFFORT

    @classmethod
    def of(cls, setup: Setup) -> "Levels":
        """The model by its label, with prompt and effort."""
        return cls(
            setup.model_label,
            NO_PROMPT if setup.prompt_id is None else setup.prompt_id,
            DEFAULT_EFFORT if setup.effort is None else setup.effort,
        )

    def level(self, dimension: Dimension) -> str:
        """The level in one dimension."""
        return self[DIMENSIONS.index(dimension)]

    def others(self, *dimensions: Dimension) -> tuple[str, ...]:
        """The levels in all other dimensions."""
        return tuple(self.level(it) for it in DIMENSIONS if it not in dimensions)


SetupLevels: TypeAlias = Mapping[str, Levels]
"""The levels of setups by their names."""


def setup_levels(runs: Sequence[Run], names: Iterable[str]) -> dict[str, Levels]:
    """Return the levels of the named setups; a name that no run records is a model's."""
    known = {one.name: one for run in runs for one in run.setups}
    return {name: Levels.of(known.get(name) or Setup(name=name, model=name)) for name in names}


def levels_in(levels: SetupLevels, dimension: Dimension) -> tuple[str, ...]:
    """The distinct levels in a dimension, in the order of the setups."""
    return tuple(dict.fromkeys(one.level(dimension) for one in levels.values()))


def varied_dimensions(levels: SetupLevels) -> tuple[Dimension, ...]:
    """The dimensions with more than one level."""
    return tuple(it for it in DIMENSIONS if len(levels_in(levels, it)) > 1)
