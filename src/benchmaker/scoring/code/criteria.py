"""The four criteria with their published weights, and the sum that the program makes of them."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"visual": 40.0, "code": 30.0, "functionality": 20.0, "responsiveness": 10.0}
)
"""Visual accuracy, code quality, functionality and responsiveness, in the published proportion."""

JUDGED = frozenset({"visual", "code"})
"""The criteria that need a judge; the others are measured."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "visual": "Visual accuracy",
        "code": "Code quality",
        "functionality": "Functionality",
        "responsiveness": "Responsiveness",
    }
)
"""The criteria by their published names."""


class CriterionPart(NamedTuple):
    """One figure of a criterion: a share from 0 to 1, its weight, and its basis."""

    name: str
    share: float
    weight: float
    why: str = ""


class Cap(NamedTuple):
    """The most that a criterion can be, from 0 to 100, and why."""

    reason: str
    most: float


class CriterionRating(NamedTuple):
    """One criterion: its parts, their total before any cap, and the caps.

    ``before`` is from 0 to 100, and None if unknown.
    """

    name: str
    before: float | None
    parts: tuple[CriterionPart, ...] = ()
    caps: tuple[Cap, ...] = ()

    @property
    def value(self) -> float | None:
        """The total under the caps, from 0 to 100; None if unknown."""
        if self.before is None:
            return None
        return min([self.before, *(cap.most for cap in self.caps)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a score's detail, in which it stands many times: short, without names."""
        data: dict[str, Any] = {"value": self.value, "before": self.before}
        if self.parts:
            data["parts"] = [[it.name, it.share, it.weight, it.why] for it in self.parts]
        if self.caps:
            data["caps"] = [[it.reason, it.most] for it in self.caps]
        return data

    @classmethod
    def of(
        cls, name: str, parts: Sequence[CriterionPart], caps: Sequence[Cap] = ()
    ) -> "CriterionRating":
        """The criterion that these parts make."""
        share = weighted_share(parts)
        before = None if share is None else 100 * share
        return cls(name, before, tuple(parts), tuple(caps))


def weighted_share(parts: Sequence[CriterionPart]) -> float | None:
    """Return Σ weight·share / Σ weight; unknown parts are excluded, never 0. None without parts.

    >>> weighted_share([CriterionPart("checks", 0.5, 70), CriterionPart("errors", 1.0, 30)])
    0.65
    """
    whole = math.fsum(part.weight for part in parts)
    if whole <= 0:
        return None
    return min(1.0, max(0.0, math.fsum(part.weight * part.share for part in parts) / whole))


def total(
    values: Mapping[str, float | None], weights: Mapping[str, float] = WEIGHTS
) -> float | None:
    """Σ weight·value / Σ weight over the criteria that are known, from 0 to 100.

    None where none is, or those that are have no weight.

    >>> total({"visual": 80, "code": 70, "functionality": 50, "responsiveness": 100})
    73.0
    >>> total({"visual": None, "code": None, "functionality": 60, "responsiveness": 90})
    70.0
    """
    known = {name: value for name, value in values.items() if value is not None}
    whole = math.fsum(weights[name] for name in known)
    if whole <= 0:
        return None
    summed = math.fsum(weights[name] * value for name, value in known.items()) / whole
    return min(100.0, max(0.0, summed))
