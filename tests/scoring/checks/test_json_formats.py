"""Formats of JSON Schema, with examples of the RFCs and by independent rules."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.checks.json_checks import JsonSchema
from benchmaker.scoring.checks.json_formats import CHECKED, OWN, unchecked_formats
from benchmaker.scoring.suite_notes import notes_on
from benchmaker.spec import Suite
from benchmaker.testing import a_case, a_trial

RIGHT = {
    "date-time": (
        *("1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z"),
        *("1990-12-31T15:59:60-08:00", "1937-01-01T12:00:27.87+00:20", "2000-02-29t00:00:00z"),
    ),
    "time": ("23:20:50.52Z", "16:39:57-08:00", "23:59:60Z", "15:59:60-08:00", "01:29:60+01:30"),
    "duration": ("P3Y6M4DT12H30M5S", "P23DT23H", "P4Y", "PT0S", "P0D", "P1M", "PT36H", "P4W"),
    "hostname": ("www.example.com", "a", "xn--4gbwdl.xn--wgbh1c", "1.2.3", "a" * 63, "A-b.c"),
    "json-pointer": ("", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/m~0n", "/ "),
    "relative-json-pointer": ("0", "1/0", "2/highly/nested/objects", "0#", "1#", "0+1", "120-3/a"),
    "uri": (
        *("ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt"),
        *("ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com"),
        *("news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "a:", "a:?b#c"),
        *("telnet://192.0.2.16:80/", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2"),
        *("http://a@b:99999/%20", "file:///etc", "http://[::1]", "http://[v1.a:b]/", "x://"),
    ),
    "uri-reference": ("", "a/b", "/a", "//a/b", "#c", "?d", "a:b", "./a:b", "../a?b#c"),
}
WRONG = {
    "date-time": (
        *("1985-04-12 23:20:50Z", "1985-04-12", "1985-02-29T00:00:00Z", "1985-13-01T00:00:00Z"),
        *("1985-04-12T24:00:00Z", "1985-04-12T23:60:00Z", "1985-04-12T23:20:50", "tomorrow"),
        *("1990-12-31T22:59:60Z", "1990-12-31T15:59:59-24:00", "85-04-12T00:00:00Z", ""),
        "1963-06-1\u09ea9T00:00:00Z",
    ),
    "time": ("23:20:50", "23:20Z", "24:00:00Z", "23:59:60+01:00", "1:00:00Z", "01:00:00.Z", "Z"),
    "duration": ("P", "PT", "P1Y2D", "PT1H2S", "P1W2D", "4D", "PT1D", "P1YT", "P-1D", "P1.5D"),
    "hostname": ("", "-a", "a-", "a..b", "a_b", "a" * 64, ".".join(["a" * 63] * 4), "a.", "ä"),
    "json-pointer": ("foo", "/~2", "/a~", "#/a", "#"),
    "relative-json-pointer": ("", "/a", "-1", "01", "+1", "0##", "1a"),
    "uri": (
        *("//a/b", "/a", "a b:c", "http://a b", "http://[::1", "1a:b", "a", "", ":a", "http://a:b"),
        *("http://[1::2::3]", "http://[::12345]", "a:%2", "http://a/\u00e4", "a:<b>", "a:b#c#d"),
    ),
    "uri-reference": ("a b", "\\a", "%", "1:a", "a#b#c", "//[a]"),
}  # fmt: skip
CASES = [
    (name, text, wanted)
    for examples, wanted in ((RIGHT, True), (WRONG, False))
    for name, texts in examples.items()
    for text in texts
]


@pytest.mark.parametrize(("name", "text", "wanted"), CASES)
def test_examples_of_the_rfcs(name, text, wanted):
    assert OWN[name](text) is wanted
    if name == "uri":
        assert OWN["uri-reference"](text) or not wanted


@given(
    st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)),  # noqa: DTZ001
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_times_of_python_are_date_times(moment, minutes):
    zone = timezone(timedelta(minutes=minutes))
    text = moment.replace(tzinfo=zone).isoformat()
    assert OWN["date-time"](text)
    assert OWN["time"](text.partition("T")[2])
    assert OWN["date-time"](moment.replace(tzinfo=UTC).isoformat().replace("+00:00", "Z"))


@given(st.lists(st.integers(0, 99) | st.none(), min_size=6, max_size=6))
def test_a_duration_has_neighbouring_units_in_their_order(numbers):
    parts = [
        f"{n}{unit}" if n is not None else "" for n, unit in zip(numbers, "YMDHMS", strict=True)
    ]
    date, time = "".join(parts[:3]), "".join(parts[3:])
    text = f"P{date}{f'T{time}' if time else ''}"
    shapes = ["".join("x" if it else "-" for it in part) for part in (parts[:3], parts[3:])]
    is_dense = not any(re.search("x-+x", it) for it in shapes)
    assert OWN["duration"](text) is (is_dense and bool(date or time))


@pytest.mark.parametrize(("name", "text", "wanted"), CASES[:: len(CASES) // 12])
def test_a_schema_checks_them_in_texts_alone(name, text, wanted):
    check = JsonSchema({"items": {"format": name}})

    for answer, expected in ((json.dumps([text]), wanted), ("[1, null, {}]", True)):
        score = asyncio.run(check.score(a_case(), a_trial(text=answer)))
        assert score.score == float(expected), score.notes


def test_the_docstring_lists_the_formats():
    listed = set(re.findall(r"``([\w-]+)``", JsonSchema.__doc__.partition("These formats")[2]))
    assert CHECKED - {"host-name", "idn-email", "ip-address"} <= listed


def test_validate_notes_formats_that_are_not_checked():
    schema = {
        "properties": {"format": {"format": "iri"}, "b": {"items": {"format": "date"}}},
        "$defs": {"c": {"not": {"format": "idn-hostname"}}},
        "enum": [{"format": "color"}],
        "const": {"format": "color"},
    }
    assert list(unchecked_formats(schema)) == ["iri", "idn-hostname"]
    check = {"type": "json_schema", "value": schema}
    suite = Suite("s", [{"id": "a", "prompt": "?", "checks": [check]}])
    assert {it.message for it in notes_on(suite)} == {
        "case 'a': json_schema: the format iri is not checked.",
        "case 'a': json_schema: the format idn-hostname is not checked.",
    }
