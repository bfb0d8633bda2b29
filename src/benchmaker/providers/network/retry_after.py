"""The waiting time requested by a provider."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s|d)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0,
          "d": 86400.0}  # fmt: skip
_EPOCH_S = 10**9
_EPOCH_MS = 10**12
_LONGEST = 100


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds of ``Retry-After``, of any size; None if absent.

    ``retry-after-ms`` is exact and takes precedence. A date counts from the reply's own ``Date``,
    so that a wrong local clock does no harm; a past date means 0. Invalid values are ignored.

    >>> retry_after_s({"retry-after": "2.5"})
    2.5
    """
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after")
    if text is None:
        return None
    seconds = _number(text)
    return _until_date(text, headers, now) if seconds is None else seconds


def duration_s(text: str | None, now: datetime | None = None) -> float | None:
    """The seconds in the forms that rate headers use; None for anything else.

    Understood are ``"1s"``, ``"6m0s"``, ``"120ms"``, plain seconds, a moment as seconds or
    milliseconds since 1970, and a moment as ISO 8601.

    >>> duration_s("6m0.5s")
    360.5
    """
    if text is None:
        return None
    number = _number(text)
    if number is not None:
        return _since_epoch(number, now)
    text = text.strip()[:_LONGEST]
    parts = _PART.findall(text)
    if parts and "".join(figure + unit for figure, unit in parts) == text:
        return sum(float(figure) * _UNITS[unit] for figure, unit in parts)
    try:
        return _seconds_left(datetime.fromisoformat(text), now)
    except ValueError:
        return None


def _since_epoch(number: float, now: datetime | None) -> float:
    if number < _EPOCH_S:
        return number
    seconds = number / 1000 if number >= _EPOCH_MS else number
    return max(0.0, seconds - (now or datetime.now(UTC)).timestamp())


def _number(text: str | None) -> float | None:
    """A finite number that is not negative, in plain figures."""
    if text is None or not text.strip()[:1].isdigit():
        return None
    try:
        number = float(text.strip()[:_LONGEST])
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in text else None


def _until_date(text: str, headers: Mapping[str, str], now: datetime | None) -> float | None:
    moment = _date(text)
    if moment is None:
        return None
    return _seconds_left(moment, _date(headers.get("date")) or now)


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return parsedate_to_datetime(text.strip()[:_LONGEST])
    except (ValueError, IndexError, OverflowError, TypeError):
        return None


def _seconds_left(moment: datetime, now: datetime | None) -> float:
    start = now or datetime.now(UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if start.tzinfo is None:
        start = start.replace(tzinfo=UTC)
    return max(0.0, (moment - start).total_seconds())
