"""Figures of coding tools as text; unknown ones are a dash."""

_NONE = "–"
_LEAST_USD = 0.0001


def grouped_count(n: int | None) -> str:
    """A count with its thousands apart.

    >>> grouped_count(1766028), grouped_count(None)
    ('1,766,028', '–')
    """
    return _NONE if n is None else f"{n:,}"


def dollars(usd: float | None) -> str:
    """Return dollars, with more digits for small amounts.

    >>> dollars(12.345), dollars(0.46), dollars(0.00123), dollars(0), dollars(None)
    ('$12.35', '$0.46', '$0.0012', '$0.00', '–')
    >>> dollars(0.00000885), dollars(0.00005)
    ('<$0.0001', '$0.0001')
    """
    if usd is None:
        return _NONE
    if 0 < usd < _LEAST_USD / 2:
        return f"<${_LEAST_USD}"
    return f"${usd:,.2f}" if usd == 0 or usd >= 0.0995 else f"${usd:.4f}"  # noqa: PLR2004  ten cents


def seconds(s: float | None) -> str:
    """Seconds as hours, minutes and seconds.

    >>> seconds(59.4), seconds(3723), seconds(None)
    ('59 s', '1 h 02 min', '–')
    """
    if s is None:
        return _NONE
    minutes, rest = divmod(round(s), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
