"""Moments of logs: ISO texts and epochs of any unit into seconds since 1970."""

from datetime import UTC, datetime

_MILLISECONDS_FROM = 1e11  # seconds: the year 5138; milliseconds: March 1973
_MICROSECONDS_FROM = 1e14
_NANOSECONDS_FROM = 1e17
_LAST = 253_402_300_799.0  # the end of the year 9999


def seconds(value: object) -> float | None:
    """Return the time in seconds since 1970, UTC; None for an invalid value.

    Texts are ISO 8601, without a zone they are UTC; numbers, also as text, are seconds,
    milliseconds, microseconds or nanoseconds by their size.

    >>> seconds("2026-02-10T21:11:52.438Z")
    1770757912.438
    >>> seconds(1770757912438)
    1770757912.438
    >>> seconds("yesterday") is None
    True
    """
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _of_number(value)
    return None


def _of_text(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _of_digits(text)
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return _plausible_time(zoned.timestamp())


def _of_digits(text: str) -> float | None:
    try:
        return _of_number(float(text))
    except ValueError:
        return None


def _of_number(value: float) -> float | None:
    if not 0 < value < 1e20:  # noqa: PLR2004  nanoseconds of the year 5138; no NaN passes
        return None
    if value >= _NANOSECONDS_FROM:
        return _plausible_time(value / 1e9)
    if value >= _MICROSECONDS_FROM:
        return _plausible_time(value / 1e6)
    return _plausible_time(value / 1e3 if value >= _MILLISECONDS_FROM else value)


def _plausible_time(at: float) -> float | None:
    return at if 0 < at <= _LAST else None
