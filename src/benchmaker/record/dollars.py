"""Amounts in dollars, in the one format used everywhere."""

from decimal import Decimal


def dollars(usd: float) -> str:
    """Two decimals; below $1 three digits that matter, and two decimals at least.

    >>> dollars(6.42), dollars(0.1871), dollars(0.5), dollars(0.0000352), dollars(0)
    ('$6.42', '$0.187', '$0.50', '$0.0000352', '$0.00')
    """
    if usd >= 1 or usd == 0:
        return f"${usd:,.2f}"
    whole, _, cents = f"{Decimal(f'{usd:.3g}'):f}".partition(".")
    return f"${whole}.{cents.rstrip('0'):0<2}"


def dollar_range(low: float, high: float) -> str:
    """Both ends, or the one text that both have.

    >>> dollar_range(0.1, 2.5), dollar_range(0.0000352, 0.00124), dollar_range(2.5, 2.501)
    ('$0.10 to $2.50', '$0.0000352 to $0.00124', '$2.50')
    """
    return " to ".join(dict.fromkeys((dollars(low), dollars(high))))
