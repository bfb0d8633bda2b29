"""Moments as the store writes them."""

from datetime import UTC, datetime


def iso_timestamp(seconds: float) -> str:
    """Seconds since 1970 as UTC, ISO 8601 with milliseconds.

    >>> iso_timestamp(0.0)
    '1970-01-01T00:00:00.000Z'
    """
    stamp = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")
