"""Scores and differences in points of 100: digits, and the threshold of 0."""

from decimal import ROUND_HALF_EVEN, Decimal
from math import isfinite
from typing import Final

_NOISE: Final = 1e-9
"""What summing may leave of a score or a difference of exactly 0."""


_DIGITS: Final = 12
"""Significant digits of a figure; those beyond are noise of summing."""


def fixed_decimals(value: float, decimals: int) -> str:
    """Return a number with fixed decimals; a half is rounded to the even digit.

    The digits are rounded, not the binary fraction, so that figures that differ by the noise of
    summing have one text.

    >>> fixed_decimals(41.95, 1), fixed_decimals(100 * 0.4195, 1), fixed_decimals(12.25, 1)
    ('42.0', '42.0', '12.2')
    """
    if not isfinite(value):
        return str(value)
    digits = Decimal(f"{value:.{_DIGITS}g}")
    return f"{digits.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN):f}"


def points(score: float) -> str:
    """A score or difference from 0 to 1 in points of 100; small ones keep two digits.

    Only 0 is ``0.0``, so that the sign of everything else can be read.

    >>> points(0.031), points(-0.00042), points(-0.0000006), points(0.0)
    ('3.1', '-0.042', '-0.00006', '0.0')
    """
    text = fixed_decimals(100 * score, 1)
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
