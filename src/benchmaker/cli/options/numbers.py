"""Numbers on the command line."""

from math import isfinite
from typing import Any

import click

from benchmaker.cli.options.sampling import NONE


class Number(click.FloatRange):
    """A number within bounds; Click's own type also accepts ``nan`` and ``inf``."""

    name = "number"

    def convert(
        self,
        value: Any,  # noqa: ANN401  Click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the number; a usage error for anything else."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"


_LEAST_POINTS = 5
"""From here on, a threshold without a per cent sign is in points of 100."""


class ThresholdType(Number):
    """The least mean of a gate: up to 1 a share, above it points of 100, or percent.

    It is kept as a share. From above 1 up to 5, a number without a per cent sign is refused, since
    it may mean either.

    >>> [ThresholdType().convert(text, None, None) for text in (".8", "80", "80%", "1", "1%")]
    [0.8, 0.8, 0.8, 1.0, 0.01]
    """

    name = "mean"

    def __init__(self) -> None:
        super().__init__(0, 100)

    def convert(
        self,
        value: Any,  # noqa: ANN401  Click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the share; a usage error for anything else."""
        text = str(value).strip()
        digits = text.removesuffix("%").rstrip()
        try:
            float(digits)
        except ValueError:
            self.fail(f"{text!r} is not a threshold. Use .8, 80 or 80%.", param, ctx)
        number = super().convert(digits, param, ctx)
        if digits == text and 1 < number < _LEAST_POINTS:
            self.fail(
                f"{text} is ambiguous. Write {text}% for {text} per cent, or {number / 100:g}.",
                param,
                ctx,
            )
        return number if number <= 1 and digits == text else number / 100


class NumberOrNone(Number):
    """A number within bounds, or ``none`` for a parameter that is not sent."""

    def convert(
        self,
        value: Any,  # noqa: ANN401  as above
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401  a number or the word
        """The number, or the word ``none``."""
        return NONE if value == NONE else super().convert(value, param, ctx)


SECONDS = Number(min=0, min_open=True)
DOLLARS = Number(min=0)
