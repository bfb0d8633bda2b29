"""No interval leaves the scale of its figure, and no verdict stands against its interval.

Held against everything that the API reads, which is what terminal, files and Python give, and
against the pages and files of a series and of a comparison.
"""

import json
import re
from html import unescape

import pytest

from tests.web.api.reading import READING, places, read
from tests.web.intervals import faults_of, holders, intervals
from tests.web.results_data import fetched

TEXTS = (
    "/series/{series}",
    "/runs/{run}",
    "/compare?run={series}",
    "/series/{series}/export/html",
    "/series/{series}/export/markdown",
    "/judges",
)
TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
SHOWN = re.compile(r"\[([+\-\u2212]?[\d.]+)%?, ([+\-\u2212]?[\d.]+)%?\]")


def test_no_answer_has_an_interval_beyond_its_scale_or_a_verdict_against_it(api):
    faults, found = [], 0
    for path in READING:
        data = read(api, path)
        if isinstance(data, dict):
            found += sum(1 for _, holder in holders(data) for _ in intervals(holder))
            faults += faults_of(data, path)
    assert found > 100
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", TEXTS)
def test_no_page_and_no_file_shows_an_interval_beyond_100_points(api, path):
    status, _, body = fetched(api.address + path.format(**places(api)))
    assert status == 200
    shown = [
        tuple(float(end.replace("\u2212", "-")) for end in ends)
        for ends in SHOWN.findall(without_ratings(unescape(body.decode())))
    ]
    assert [ends for ends in shown if not -100 <= ends[0] <= ends[1] <= 100] == []


def without_ratings(text: str) -> str:
    """The page without its tables of ratings, whose scale has no end."""
    return TABLE.sub(lambda table: "" if "Rating" in table[0] else table[0], text)


def test_the_json_of_a_series_holds_no_interval_beyond_its_scale(api):
    status, _, body = fetched(f"{api.address}/series/{places(api)['series']}/export/json")
    assert status == 200
    data = json.loads(body)
    faults = [*faults_of(data, "export"), *faults_of(data.get("summary", {}), "summary")]
    assert not faults, "\n".join(faults)
