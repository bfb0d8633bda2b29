"""Trials with a score and trials with an answer are two numbers under two words."""

import csv
import io
import json
import re
from html import unescape

import pytest

import benchmaker
from benchmaker.report.runs.text import summary_text
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

ROWS = (
    {"output": "Lima"},
    {"output": "Oslo"},
    {"output": "Rome"},
    {"outcome": "refused", "error": "no"},
    {"outcome": "timeout", "error": "no answer"},
    {"output": ""},
)
ANSWERED = sum(bool(row.get("output")) for row in ROWS)
SCORED = sum(row.get("outcome") != "timeout" for row in ROWS)
FAILED = {"refused": 1, "empty": 1}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A run of one model with every kind of trial above, and its data folder."""
    home = tmp_path_factory.mktemp("outcomes")
    cases = [
        benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(len(ROWS))
    ]
    lines = [{"model": "m", "id": f"c{at}", **row} for at, row in enumerate(ROWS)]
    answers = home / "answers.jsonl"
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    suite = benchmaker.Suite("cities", cases, scorer="exact")
    return home, aside(benchmaker.run, suite, recorded=answers, home=home)


@pytest.fixture(scope="module")
def pages(result):
    """The text of pages and files, by address, without markup and doubled space."""
    home, made = result
    with serving(home, works=False) as address:
        yield lambda path: text_of(address, path.format(run=made.run_ids[0]))


def text_of(address, path):
    status, _, body = fetched(address + path)
    assert status == 200, path
    text = body.decode()
    if "csv" in path:
        return text
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(text)).split())


def test_the_counts_of_the_run_differ(result):
    [row] = result[1].summary.models
    assert (row.n_scored, row.outcomes["scored"]) == (SCORED, ANSWERED)
    assert SCORED > ANSWERED
    assert {kind: row.outcomes[kind] for kind in FAILED} == FAILED


def test_the_page_of_a_run_calls_each_count_by_its_word(pages):
    text = pages("/runs/{run}")
    assert f"{len(ROWS)} of {len(ROWS)} {ANSWERED} answered, 2 failed answers, 1 failed" in text
    assert f"{ANSWERED} scored" not in text
    assert re.search(r"Outcomes .*\banswered answer failed request failed unscored", text)
    assert re.search(rf"\bm {ANSWERED} 2 1 0\b", text)


def test_the_live_page_counts_answers_as_answered(pages):
    text = pages("/arena/{run}")
    assert f"{ANSWERED} answered 2 answers failed 1 request failed 0 unscored" in text
    assert f"{ANSWERED} scored" not in text


def test_the_file_of_outcomes_keeps_the_stored_names(pages):
    rows = list(csv.DictReader(io.StringIO(pages("/runs/{run}/tables/outcomes.csv"))))
    found = {row["outcome"]: int(row["trials"]) for row in rows if int(row["trials"])}
    assert found == {"scored": ANSWERED, "timeout": 1, **FAILED}


def test_the_report_counts_answers_as_answered(pages):
    text = pages("/runs/{run}/export/html")
    assert f"{ANSWERED} answered" in text
    assert f"{ANSWERED} scored" not in text


def test_the_table_in_the_terminal_has_the_trials_with_a_score(result):
    text = summary_text(result[1].summary)
    assert f"{SCORED}/{len(ROWS)}" in text
    assert f"{ANSWERED} scored" not in text
