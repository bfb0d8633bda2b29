"""Days and time zones as text: when a day starts, and the zone of a name."""

import re
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from benchmaker.errors import SpecError

_BACK = re.compile(r"(\d{1,4})d")


def start_of(
    text: str | None, zone: tzinfo | None, *, today: datetime | None = None
) -> datetime | None:
    """The start of a day: ``2026-02-28``, ``20260228``, or ``7d`` for seven days ago.

    Args:
        text: the day; None or empty for none.
        zone: the time zone of the day; None for this machine's.
        today: a moment of the day from which days are counted back, default now.

    Raises:
        SpecError: the text is not a day.
    """
    if not text:
        return None
    back = _BACK.fullmatch(text)
    try:
        if back:
            moment = (today or datetime.now(zone)) - timedelta(days=int(back[1]))
        else:
            moment = datetime.fromisoformat(text)
        start = datetime(moment.year, moment.month, moment.day, tzinfo=zone)
        return start if zone else start.astimezone()
    except (ValueError, OverflowError) as exc:
        raise SpecError(f"{text!r} is not a day.", hint="Write 2026-02-28, or 7d.") from exc


def zone_named(name: str) -> tzinfo:
    """The time zone of that name.

    Raises:
        SpecError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as exc:
        raise SpecError(
            f"unknown time zone {name!r}.", hint="Use a name such as Europe/Berlin or UTC."
        ) from exc
