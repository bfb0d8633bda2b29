"""Formats of JSON Schema, as the RFCs that define them.

It uses the standard library alone, since it is imported inside the timed worker.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final

OF_JSONSCHEMA: Final = frozenset(
    {"date", "email", "host-name", "idn-email", "ip-address", "ipv4", "ipv6", "regex", "uuid"}
)
"""The formats that the package jsonschema checks without further packages."""

_TIME = re.compile(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DATE_LENGTH = 10
_DAY_MINUTES = 24 * 60
_LEAP_MINUTE = 23 * 60 + 59

_DAYS = r"[0-9]+D"
_MONTHS = rf"[0-9]+M(?:{_DAYS})?"
_YEARS = rf"[0-9]+Y(?:{_MONTHS})?"
_SECONDS = r"[0-9]+S"
_MINUTES = rf"[0-9]+M(?:{_SECONDS})?"
_HOURS = rf"[0-9]+H(?:{_MINUTES})?"
_T = rf"T(?:{_HOURS}|{_MINUTES}|{_SECONDS})"
_DURATION = re.compile(rf"P(?:(?:{_DAYS}|{_MONTHS}|{_YEARS})(?:{_T})?|{_T}|[0-9]+W)")

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOSTNAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")

_POINTER = r"(?:/(?:[^~/]|~[01])*)*"
_JSON_POINTER = re.compile(_POINTER)
_RELATIVE_POINTER = re.compile(rf"(?:0|[1-9][0-9]*)(?:[+-][1-9][0-9]*)?(?:#|{_POINTER})")

_ENCODED = r"%[0-9A-Fa-f]{2}"
_FREE = r"A-Za-z0-9\-._~!$&'()*+,;="
_PCHAR = rf"(?:[{_FREE}:@]|{_ENCODED})"
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_H16 = r"[0-9A-Fa-f]{1,4}"
_LS32 = rf"(?:{_H16}:{_H16}|{_IPV4})"
_IPV6 = "|".join(
    (
        rf"(?:{_H16}:){{6}}{_LS32}",
        rf"::(?:{_H16}:){{5}}{_LS32}",
        *(
            rf"(?:(?:{_H16}:){{0,{before}}}{_H16})?::(?:{_H16}:){{{4 - before}}}{_LS32}"
            for before in range(5)
        ),
        rf"(?:(?:{_H16}:){{0,5}}{_H16})?::{_H16}",
        rf"(?:(?:{_H16}:){{0,6}}{_H16})?::",
    )
)
_HOST = rf"(?:\[(?:{_IPV6}|[vV][0-9A-Fa-f]+\.[{_FREE}:]+)\]|(?:[{_FREE}]|{_ENCODED})*)"
_AUTHORITY = rf"(?:(?:[{_FREE}:]|{_ENCODED})*@)?{_HOST}(?::[0-9]*)?"
_SEGMENTS = rf"(?:/{_PCHAR}*)*"
_ROOTED = rf"//{_AUTHORITY}{_SEGMENTS}|/(?:{_PCHAR}+{_SEGMENTS})?"
_REST = rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"
_NO_COLON = rf"(?:[{_FREE}@]|{_ENCODED})+{_SEGMENTS}"
_URI = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:(?:{_ROOTED}|{_PCHAR}+{_SEGMENTS}|){_REST}")
_REFERENCE = re.compile(rf"(?:{_ROOTED}|{_NO_COLON}|){_REST}")


def is_time(text: str) -> bool:
    """True for a ``full-time`` of RFC 3339; a leap second is the last one of a day in UTC.

    >>> is_time("08:30:06+00:20"), is_time("08:30:06"), is_time("22:59:60-01:00")
    (True, False, True)
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    hours, minutes, seconds, sign, *offset = found.groups()
    shift = 0 if sign is None else int(f"{sign}1") * (60 * int(offset[0]) + int(offset[1]))
    minute = (60 * int(hours) + int(minutes) - shift) % _DAY_MINUTES
    return seconds != "60" or minute == _LEAP_MINUTE


def is_date_time(text: str) -> bool:
    """True for a ``date-time`` of RFC 3339.

    >>> is_date_time("2025-02-28T08:30:06Z"), is_date_time("2025-02-29T08:30:06Z")
    (True, False)
    """
    found = _DATE.match(text)
    has_parts = found is not None and text[_DATE_LENGTH : _DATE_LENGTH + 1] in ("T", "t")
    return has_parts and _is_day(found) and is_time(text[_DATE_LENGTH + 1 :])


def _is_day(found: re.Match[str] | None) -> bool:
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    try:
        date(year or 2000, month, day)  # RFC 3339 has a year 0, which is a leap year
    except ValueError:
        return False
    return True


def _full(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _is_reference(text: str) -> bool:
    return bool(_URI.fullmatch(text) or _REFERENCE.fullmatch(text))


OWN: Final[Mapping[str, Callable[[str], bool]]] = {
    "date-time": is_date_time,
    "duration": _full(_DURATION),
    "hostname": _full(_HOSTNAME),
    "json-pointer": _full(_JSON_POINTER),
    "relative-json-pointer": _full(_RELATIVE_POINTER),
    "time": is_time,
    "uri": _full(_URI),
    "uri-reference": _is_reference,
}
"""Formats with their checks.

Sources: RFC 3339 with its appendix A for durations, RFC 1123 with lengths by RFC 1035, RFC 6901,
draft-bhutton-relative-json-pointer-00, RFC 3986.
"""

CHECKED: Final = frozenset(OF_JSONSCHEMA | OWN.keys())


def unchecked_formats(schema: Any) -> Iterator[str]:  # noqa: ANN401  JSON
    """Yield the values of ``format`` in a schema that accept every text.

    >>> list(unchecked_formats({"properties": {"a": {"format": "iri"}, "b": {"format": "uri"}}}))
    ['iri']
    """
    if isinstance(schema, list):
        for one in schema:
            yield from unchecked_formats(one)
    if not isinstance(schema, dict):
        return
    name = schema.get("format")
    if isinstance(name, str) and name not in CHECKED:
        yield name
    for keyword, inner in schema.items():
        if keyword in _NAMED and isinstance(inner, dict):
            yield from unchecked_formats(list(inner.values()))
        elif keyword not in _VALUES:
            yield from unchecked_formats(inner)


_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords that hold schemas by names of any kind."""

_VALUES = ("const", "default", "enum", "examples")
