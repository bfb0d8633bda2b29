# ruff: noqa: RUF001  signs as judges write them
"""The scale a judge scores on, and the reading of its words as scores.

Nothing is rescaled by guess: another denominator than the declared maximum, a letter where no
grades are declared, a percentage on a scale that doesn't end at 100: each is a fault, never a
score.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

PUBLISHED_ANCHORS: Mapping[str, str] = MappingProxyType(
    {
        "10": "Perfect, fully correct and complete",
        "8-9": "Excellent with minor issues",
        "6-7": "Good but missing elements",
        "4-5": "Partially correct, significant issues",
        "2-3": "Mostly incorrect",
        "0-1": "Completely wrong",
    }
)
"""The meanings of the levels of the published scale from 0 to 10, best first."""

_NUMBER = r"[-−]?[0-9]{1,15}(?:\.[0-9]{1,15})?"
_READING = re.compile(
    rf"(?P<value>{_NUMBER})(?:\s{{0,3}}(?:/|out\s+of)\s{{0,3}}(?P<of>{_NUMBER})|\s{{0,3}}(?P<percent>[%％]))?"
)
_MARKS = " \t\r\n*_`\"'“”‘’[](){}"
_SHOWN = 60


class NotOnScale(ValueError):
    """The value is not a score on the declared scale; the message explains it in plain words."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from the worst to the best score, with the meaning of its levels.

    ``anchors`` maps a level or a range of levels, as written ("8-9"), to its meaning; the default
    is the published ones on 0 to 10 and none elsewhere. ``grades`` maps letters to scores ({"A":
    10, "B+": 8}); without them no letter is a score. ``step`` is the smallest difference between
    scores; None allows any number in between.

    Raises:
        ValueError: the ends are not finite and in order, a grade lies outside, or the step is not
            above 0.

    >>> Scale().to_unit(8)
    0.8
    >>> Scale().read("8/10"), Scale(grades={"B+": 8.0}).read("b+")
    (8.0, 8.0)
    """

    minimum: float = 0.0
    maximum: float = 10.0
    anchors: Mapping[str | float, str] | None = None
    grades: Mapping[str, float] = field(default_factory=dict)
    step: float | None = None

    def __post_init__(self) -> None:
        ends = (self.minimum, self.maximum)
        if not (all(map(math.isfinite, ends)) and self.minimum < self.maximum):
            raise ValueError(f"a scale goes from a lower to a higher number, not {ends}")
        if self.step is not None and not (math.isfinite(self.step) and self.step > 0):
            raise ValueError(f"a step is above 0, not {self.step}")
        for grade, value in self.grades.items():
            if not self.minimum <= value <= self.maximum:
                raise ValueError(f"the grade {grade!r} = {value} lies outside {self}")

    def __str__(self) -> str:
        return f"{self.minimum:g} to {self.maximum:g}"

    def meanings(self) -> dict[str, str]:
        """Return the anchors in order; by default the published ones on 0 to 10."""
        if self.anchors is None:
            is_published = (self.minimum, self.maximum) == (0, 10)
            return dict(PUBLISHED_ANCHORS) if is_published else {}
        return {_format_level(level): meaning for level, meaning in self.anchors.items()}

    def to_unit(self, raw: float) -> float:
        """A score of this scale as one from 0 to 1; ValueError outside the scale."""
        if not self.minimum <= raw <= self.maximum:
            raise ValueError(f"{raw} lies outside {self}")
        return (raw - self.minimum) / (self.maximum - self.minimum)

    def from_unit(self, unit: float) -> float:
        """A score from 0 to 1 on this scale."""
        return self.minimum + unit * (self.maximum - self.minimum)

    def read(self, value: object) -> float:
        """Return the score for a judge's value: a number, or a text that is only a number.

        Accepted texts are "8", "8.5", "8/10" and "8 out of 10" if 10 is the declared maximum, "80
        %" if the scale ends at 100, and declared grades.

        Raises:
            NotOnScale: anything else, with the reason.
        """
        if isinstance(value, str):
            return self._read_text(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotOnScale(f"the score must be a number from {self}, not {_short_repr(value)}")
        return self._check(value)

    def _read_text(self, text: str) -> float:
        plain = text.strip(_MARKS).rstrip(" .").strip(_MARKS)
        for grade, value in self.grades.items():
            if plain.casefold() == grade.casefold():
                return float(value)
        reading = _READING.fullmatch(plain)
        if reading is None:
            raise NotOnScale(f"the score must be a number from {self}, not {_short_repr(text)}")
        self._check_denominator(reading)
        return self._check(float(reading["value"].replace("−", "-")))

    def _check_denominator(self, reading: re.Match[str]) -> None:
        said = (
            100.0
            if reading["percent"]
            else reading["of"] and float(reading["of"].replace("−", "-"))
        )
        if said is None or (said == self.maximum and (self.minimum == 0 or not reading["percent"])):
            return
        raise NotOnScale(f"the scale is {self}, but {_short_repr(reading[0])} is of {said:g}")

    def _check(self, value: float) -> float:
        if isinstance(value, float) and not math.isfinite(value):
            raise NotOnScale(f"the score must be a number from {self}, not {value}")
        if not self.minimum <= value <= self.maximum:
            raise NotOnScale(f"the score {_short_repr(value)} lies outside {self}")
        if self.step is not None:
            steps = (value - self.minimum) / self.step
            if abs(steps - round(steps)) > 1e-9:  # noqa: PLR2004  rounding of decimals
                raise NotOnScale(f"the score {value} is not in steps of {self.step:g} from {self}")
        return float(value)


def _format_level(level: str | float) -> str:
    return level if isinstance(level, str) else f"{level:g}"


def _short_repr(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
