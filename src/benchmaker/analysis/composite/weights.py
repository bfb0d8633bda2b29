"""The weight of each part of the agentic composite."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from benchmaker.errors import SpecError
from benchmaker.spec.tasks.agentic_profile import BY_CATEGORY, PUBLISHED

PARTS = ("efficiency", "speed", "cost", "correctness")
"""The four parts, in the order in which they are summed."""

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the four parts; at least 0, and 1 together.

    Raises:
        SpecError: a weight is not in 0 to 1, or they do not sum to 1.

    >>> Weights(efficiency=0.35, speed=0.25, cost=0.20, correctness=0.20).correctness
    0.2
    """

    efficiency: float
    speed: float
    cost: float
    correctness: float

    def __post_init__(self) -> None:
        numbers = self.as_dict()
        wrong = [name for name, weight in numbers.items() if not 0.0 <= weight <= 1.0]
        if wrong:
            raise SpecError(
                f"The weight of {wrong[0]} is {numbers[wrong[0]]}, not between 0 and 1."
            )
        total = sum(numbers.values())
        if abs(total - 1.0) > _TOLERANCE:
            raise SpecError(f"The weights of {', '.join(PARTS)} sum to {total:.12g}, not to 1.")

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> "Weights":
        """From a table with the four names."""
        if set(weights) != set(PARTS):
            raise SpecError(
                f"The weights are for {', '.join(sorted(weights)) or 'nothing'}.",
                hint=f"Give one weight each for {', '.join(PARTS)}.",
            )
        return cls(**weights)

    def as_dict(self) -> dict[str, float]:
        """The four by name, in the order in which they are summed."""
        return dict(zip(PARTS, self.as_tuple(), strict=True))

    def as_tuple(self) -> tuple[float, float, float, float]:
        """The four in the order in which they are summed."""
        return self.efficiency, self.speed, self.cost, self.correctness


PUBLISHED_WEIGHTS = Weights.of(PUBLISHED.model_dump())
"""The weights of every task whose category has none of its own."""

CATEGORY_WEIGHTS: Mapping[str, Weights] = MappingProxyType(
    {name: Weights.of(weights.model_dump()) for name, weights in BY_CATEGORY.items()}
)
"""The published weights of five categories."""


def weights_for(
    category: str | None,
    own: Weights | None = None,
    *,
    by_category: Mapping[str, Weights] = CATEGORY_WEIGHTS,
    otherwise: Weights = PUBLISHED_WEIGHTS,
) -> Weights:
    """A task's own weights, else those of its category, else the general ones.

    >>> weights_for("debugging").speed, weights_for("poetry").speed
    (0.35, 0.25)
    """
    if own is not None:
        return own
    return by_category.get(category or "", otherwise)
