"""Moments as the document writes them: ISO 8601 in UTC, without saying so."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Moment: TypeAlias = datetime | str
Now: TypeAlias = Moment | Callable[[], Moment]
"""A moment, or a function that returns it; a text is used as it is."""


def utc_now() -> datetime:
    """The wall clock's UTC, without a zone, as ``datetime.utcnow`` gave it."""
    return datetime.now(UTC).replace(tzinfo=None)


def stamp(now: Now) -> str:
    """The moment as text; one with a zone is turned to UTC, and loses it."""
    moment = now() if callable(now) else now
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.isoformat()
