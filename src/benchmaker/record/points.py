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
