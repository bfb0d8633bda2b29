"""Numbers as people read them: one place for digits, signs and units."""

from typing import Final

MINUS: Final = "\N{MINUS SIGN}"
_MINUTE = 60
_HOUR = 3600


def score(value: float) -> str:
    """A score of 0 to 1 on display: 0 to 100, one decimal, a true minus.

    >>> score(0.869), score(-0.0001)
    ('86.9', '0.0')
    """
    return _signed(f"{value * 100:.1f}")


def share(value: float) -> str:
    """A share of 0 to 1 in per cent: ``71.0%``."""
    return f"{_signed(f'{value * 100:.1f}')}%"


def interval(ends: tuple[float, float]) -> str:
    """Both ends of an interval of scores: ``[84.6, 89.2]``."""
    low, high = ends
    return f"[{score(low)}, {score(high)}]"


def money(usd: float) -> str:
    """Dollars: two decimals, below $1 three, below one cent two digits that matter.

    >>> money(6.42), money(0.1871), money(0.00421), money(0)
    ('$6.42', '$0.187', '$0.0042', '$0.00')
    """
    if usd >= 1 or usd == 0:
        return f"${usd:,.2f}"
    if usd >= 0.01:  # noqa: PLR2004  one cent
        return f"${usd:.3f}"
    return f"${float(f'{usd:.2g}'):.10f}".rstrip("0")


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


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 case``, ``1,319 cases``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _signed(digits: str) -> str:
    if not digits.strip("-0."):
        return digits.lstrip("-")
    return digits.replace("-", MINUS)
