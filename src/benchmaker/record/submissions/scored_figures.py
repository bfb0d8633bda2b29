"""The figures that are scored against a baseline: labels, units, bounds, places in a composite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from benchmaker.record.submissions.figure_rows import Unit
from benchmaker.record.submissions.submission import COUNTED_ROWS

Figure: TypeAlias = Literal["tokens", "tool_calls", "iterations", "seconds", "cost"]
"""The names of ``SCORED_FIGURES``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredFigure:
    """One figure that is scored.

    Args:
        label: its name in tables.
        unit: the unit of the count or measurement.
        part: the part of the composite that it belongs to.
        least: the smallest plausible value for work with a model.
        least_per_fresh_token: the minimum per token not read from a cache.
        least_per_token: the minimum per token.
        is_never_zero: whether 0 means "not measured".
        board_value: its name on boards, if different.
    """

    label: str
    unit: Unit
    part: Literal["efficiency", "speed", "cost"]
    least: float
    least_per_fresh_token: float = 0.0
    least_per_token: float = 0.0
    is_never_zero: bool = False
    board_value: str = ""


def _count_of(name: str) -> ScoredFigure:
    """Return the row of a counted figure of a submission, under its own label."""
    row = COUNTED_ROWS[name]
    return ScoredFigure(
        label=row.label,
        unit=row.unit,
        part="efficiency",
        least=1.0,
        is_never_zero=row.is_never_zero,
    )


SCORED_FIGURES: Final[Mapping[Figure, ScoredFigure]] = {
    "tokens": ScoredFigure(
        label="Tokens", unit="tokens", part="efficiency", least=10.0, is_never_zero=True
    ),
    "tool_calls": _count_of("tool_calls"),
    "iterations": _count_of("iterations"),
    "seconds": ScoredFigure(
        label="Time",
        unit="seconds",
        part="speed",
        least=0.1,
        least_per_fresh_token=1e-6,
        is_never_zero=True,
    ),
    "cost": ScoredFigure(
        label="Cost",
        unit="dollars",
        part="cost",
        least=1e-5,
        least_per_fresh_token=5e-9,
        least_per_token=1e-9,
        board_value="dollars",
    ),
}
"""Every figure that is scored, by name.

The cheapest listed rates are $0.005 for a million fresh tokens, $0.001 for cached input.
"""

FIGURES: Final[tuple[Figure, ...]] = tuple(SCORED_FIGURES)
"""The names of the figures that are scored, in the order of tables."""

BOARD_FIGURES: Final[Mapping[str, Figure]] = {
    row.board_value or name: name for name, row in SCORED_FIGURES.items()
}
"""The figures that a board may go by; ``cost`` is a score, the money itself ``dollars``."""
