"""A setup that was stopped early with the highest mean of its own is last on every surface."""

import csv
import io
import re

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from benchmaker.report.result_tables.means import write_summary_csv
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.text import summary_text

RIGHT = {"good": 36, "fair": 20, "gone": 40}
ORDER = ["good", "fair", "gone"]
STOPPED_AT = 13


def answer(request):
    number = int(request.case_id[1:])
    if request.model == "gone" and number >= STOPPED_AT:
        return AuthError("HTTP 401: wrong key", status=401)
    return "Lima" if number < RIGHT[request.model] else "Quito"


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    cases = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(40)]
    return benchmaker.run(
        Suite("cities", cases, scorer="exact"),
        provider=Scripted(answer, models=tuple(RIGHT)),
        home=tmp_path_factory.mktemp("early"),
        options=RunOptions(concurrency=1, retries=0),
    ).summary


def text_by(write, *given):
    stream = io.StringIO()
    write(*given, stream)
    return stream.getvalue()


def test_the_terminal_and_markdown_have_it_last_with_its_scored_trials(summary):
    for text in (summary_text(summary), text_by(write_markdown, summary)):
        rows = re.findall(rf"^[| ]*({'|'.join(ORDER)})\b.* (\d+(?:/\d+)?) .*$", text, re.MULTILINE)
        assert rows == [("good", "40"), ("fair", "40"), ("gone", f"{STOPPED_AT}/40")], text


def test_the_html_report_has_it_last_with_its_scored_trials(summary):
    table = text_by(write_html, summary).partition("<tbody>")[2].partition("</tbody>")[0]
    places = [table.index(f">{name}<") for name in ORDER]
    assert places == sorted(places)
    assert f"{STOPPED_AT}/40" in table[places[-1] :]


def test_csv_and_json_have_it_last(summary):
    rows = list(csv.DictReader(io.StringIO(text_by(write_summary_csv, summary))))
    assert [row["model"] for row in rows] == ORDER
    assert (rows[-1]["n_scored"], rows[-1]["n_counted"]) == (str(STOPPED_AT), "40")
    found = summary.to_dict()
    assert [one["model"] for one in found["models"]] == ORDER
    assert [one["setup"] for one in found["setups"]] == ORDER
