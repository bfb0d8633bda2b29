"""Numbers as readable text: digits, signs and units in one place."""

import re
from typing import Final

from benchmaker.record.dollars import dollars
from benchmaker.record.p_values import p_value_text
from benchmaker.record.points import fixed_decimals, points

MINUS: Final = "\N{MINUS SIGN}"
_HYPHEN = re.compile(r"(?<![^ (\[])-(?=\$?\d)")
"""What stands for a minus in a sentence, and before a number."""
_MINUTE = 60
_HOUR = 3600
_NOISE = 1e-9
"""What summing may leave of a score of exactly 0, or take from 1."""
_MOST = 10
"""Decimals that are shown at most."""


def score(value: float) -> str:
    """Return a score from 0 to 1 as displayed: 0 to 100, one decimal, a true minus.

    Only 0 is ``0.0`` and only 1 is ``100.0``: values in between have as many decimals as needed.

    >>> score(0.869), score(0.99996), score(0.0004), score(1)
    ('86.9', '99.996', '0.04', '100.0')
    """
    decimals = 1
    if _NOISE < value < 1 - _NOISE:
        while decimals < _MOST and float(fixed_decimals(value * 100, decimals)) in (0.0, 100.0):
            decimals += 1
    return fixed_point(value * 100, decimals)


def plain_digits(value: float) -> str:
    """Return up to 15 significant digits, which hide rounding errors of binary fractions.

    >>> plain_digits(0.5249999999999999), plain_digits(1.0), plain_digits(2 / 3)
    ('0.525', '1.0', '0.666666666666667')
    """
    return repr(float(f"{value:.15g}"))


def share(value: float) -> str:
    """A share of 0 to 1 in percent, with the decimals of a score: ``71.0%``."""
    return f"{score(value)}%"


def interval(ends: tuple[float, float]) -> str:
    """Both ends of an interval of scores or differences, in points of 100.

    One decimal; an end that would round to 0 and is not 0 has as many as show its sign.

    >>> interval((0.846, 0.892)), interval((0.0001, 0.181)), interval((-0.0000006, 0.051))
    ('[84.6, 89.2]', '[0.01, 18.1]', '[−0.00006, 5.1]')
    """
    low, high = ends
    return f"[{end(low)}, {end(high)}]"


def end(value: float, *, signed: bool = False) -> str:
    """One end of an interval of scores or differences, in points of 100."""
    shown = points(value).replace("-", MINUS)
    return f"+{shown}" if signed and value > 0 and shown.strip("0.") else shown


def difference(value: float) -> str:
    """A difference of two scores from 0 to 1, in points of 100, its sign always there.

    >>> difference(0.0234), difference(-0.0051), difference(-0.0001)
    ('+2.3', '−0.5', '0.0')
    """
    return fixed_point(value * 100, 1, signed=True)


def limit(value: float, decimals: int) -> str:
    """One end of any other interval: :func:`fixed_point`, with more decimals where 0 is not 0.

    >>> limit(-0.126, 2), limit(-0.0004, 2), limit(0.0, 2)
    ('−0.13', '−0.0004', '0.00')
    """
    if abs(value) > _NOISE:
        while decimals < _MOST and not round(value, decimals):
            decimals += 1
    return fixed_point(value, decimals)


def fixed_point(value: float, decimals: int, *, signed: bool = False) -> str:
    """Return a number with fixed decimals and a true minus; 0, also by rounding, has no sign.

    Rounded as in :func:`~benchmaker.record.points.fixed_decimals`.

    >>> fixed_point(-0.126, 2), fixed_point(0.5, 3, signed=True)
    ('−0.13', '+0.500')
    >>> fixed_point(-0.0001, 2, signed=True)
    '0.00'
    """
    digits = fixed_decimals(abs(value), decimals)
    if not digits.strip("0."):
        return digits
    return f"{MINUS if value < 0 else '+' if signed else ''}{digits}"


def with_minus(sentence: str) -> str:
    """Return a sentence with true minuses for the hyphens before its numbers.

    >>> with_minus("a-1 is lower (95% CI -9.1 to -0.3)")
    'a-1 is lower (95% CI −9.1 to −0.3)'
    """
    return _HYPHEN.sub(MINUS, sentence)


def score_near_bound(value: float, bound: float) -> str:
    """A score with as many decimals as show on which side of a bound it lies.

    >>> score_near_bound(0.75, 0.8), score_near_bound(0.99999, 1), score_near_bound(8 / 9, 0.8889)
    ('75.0', '99.999', '88.889')
    """
    shown = ""
    for decimals in range(1, _MOST):
        shown = fixed_decimals(value * 100, decimals)
        apart = float(shown) - round(bound * 100, 10)
        if (apart > 0) - (apart < 0) == (value > bound) - (value < bound):
            break
    return shown


def p_value(p: float) -> str:
    """A p-value: three decimals, never 0.

    >>> p_value(0.0312), p_value(0.00004)
    ('0.031', '< 0.001')
    """
    return p_value_text(p)


def money(usd: float) -> str:
    """Return dollars in the common format.

    >>> money(6.42), money(0.1871), money(0.00421), money(0)
    ('$6.42', '$0.187', '$0.00421', '$0.00')
    """
    return dollars(usd)


def tokens(count: int) -> str:
    """Tokens: grouped to 99,999, then thousands and millions.

    >>> tokens(21840), tokens(118_000), tokens(2_400_000)
    ('21,840', '118 k', '2.4 M')
    """
    if count < 100_000:  # noqa: PLR2004  where five digits end
        return f"{count:,}"
    if count < 1_000_000:  # noqa: PLR2004  a million
        return f"{count / 1000:.0f} k"
    return f"{count / 1_000_000:.1f} M"


def duration(seconds: float) -> str:
    """Seconds in the two largest units that matter.

    >>> duration(0.62), duration(48), duration(386), duration(4320)
    ('0.62 s', '48 s', '6 min 26 s', '1 h 12 min')
    """
    if seconds < 10:  # noqa: PLR2004  one digit before the point
        return f"{seconds:.2f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02d} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02d} min"
