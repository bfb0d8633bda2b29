"""Scores and differences in points of 100: digits, and the threshold of 0."""

from decimal import Decimal
from typing import Final

_NOISE: Final = 1e-9
"""What summing may leave of a score or a difference of exactly 0."""


def points(score: float) -> str:
    """A score or difference from 0 to 1 in points of 100; small ones keep two digits.

    Only 0 is ``0.0``, so that the sign of everything else can be read.

    >>> points(0.031), points(-0.00042), points(-0.0000006), points(0.0)
    ('3.1', '-0.042', '-0.00006', '0.0')
    """
    text = f"{100 * score:.1f}"
    if float(text) != 0.0:
        return text
    return f"{Decimal(f'{100 * score:.2g}'):f}" if abs(score) > _NOISE else "0.0"


def exact_points(score: float) -> str:
    """A difference that somebody chose, in points of 100 with all its digits.

    >>> exact_points(0.0005), exact_points(0.0225), exact_points(0.02)
    ('0.05', '2.25', '2.0')
    """
    text, exact = points(score), f"{100 * score:.10g}"
    return text if float(text) == float(exact) else f"{Decimal(exact):f}"
