"""Moments as text: UTC, ISO 8601 with milliseconds, as the store and documents have them."""

from datetime import UTC, datetime


def iso_timestamp(moment: float | datetime) -> str:
    """Return a moment in UTC; numbers are seconds since 1970.

    >>> iso_timestamp(0.0), iso_timestamp(datetime(2026, 2, 10, 21, 11, 52, 438000, UTC))
    ('1970-01-01T00:00:00.000Z', '2026-02-10T21:11:52.438Z')
    """
    at = moment if isinstance(moment, datetime) else datetime.fromtimestamp(moment, UTC)
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_timestamp(seconds: float | None) -> str | None:
    """The same for a moment that may be unknown."""
    return None if seconds is None else iso_timestamp(seconds)
