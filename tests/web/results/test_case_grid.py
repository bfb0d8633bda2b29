"""The grid of cases: search, filters, both forms of cells, files, and links that keep the view."""

import csv
import html
import io
import json
import re
from urllib.parse import quote, urlencode

import pytest

from benchmaker.report.sentences.outcomes import GROUPS
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.results.answered_runs import CASES, SETUPS, answered_runs
from tests.web.results_data import (
    SECRET,
    fetched,
    fetched_when_computed,
    hostile_home,
    many_cases_home,
)
from tests.web.serving import serving


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("answered")


@pytest.fixture(scope="module")
def runs(home):
    return answered_runs(home)


@pytest.fixture(scope="module")
def address(home, runs):
    assert runs
    with serving(home) as found:
        yield found


def page(address, run, **words):
    status, _, body = fetched(f"{address}/runs/{run}/cases?{urlencode(words)}")
    assert status == 200, body
    return html.unescape(body.decode())


def at_link(address, text, rel):
    href = re.search(rf'rel="{rel}" href="([^"]*)"', text)[1]
    return html.unescape(fetched(f"{address}{href}")[2].decode())


def listed(text):
    return re.findall(r'<tr><th scope="row"><a href="[^"]*"><bdi>([^<]*)</bdi>', text)


def chosen(address, run, **words):
    rows = json.loads(fetched(f"{address}/runs/{run}/cases.json?{urlencode(words)}")[2])["cases"]
    found = [row["case"] for row in rows]
    assert found == listed(page(address, run, **words))
    return found


def test_cells_have_the_score_and_the_beginning_of_the_answer(address, runs):
    text = page(address, runs[0])
    assert 'class="heat answers" data-grid' in text
    assert "First 0, then 1. The answer is 1." in text
    scores = page(address, runs[0], show="scores")
    assert "The answer is" not in scores
    assert 'class="heat" data-grid' in scores


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        ({}, [case.id for case in CASES]),
        ({"q": "ZEBRA% crosses"}, ["c1", "c2", "c3", "c4", "c5", "c6"]),
        ({"q": "What is 3"}, ["c3"]),
        ({"q": "think of lima"}, [case.id for case in CASES]),
        ({"q": "C7"}, ["c7"]),
        ({"q": "_"}, []),
        ({"q": "prompt"}, []),
        ({"disagree": "1"}, ["c1", "c2", "c3", "c4", "c5", "c6"]),
        ({"below": "50"}, ["c1", "c2", "c3", "c4", "c5", "c6"]),
        ({"below": "50", "cols": "m0"}, ["c5", "c6"]),
        ({"disagree": "1", "cols": "m0,m1"}, ["c5", "c6"]),
        ({"category": "odd", "disagree": "1"}, ["c1", "c3", "c5"]),
        ({"tag": "small", "sort": "-case"}, ["c2", "c1", "c0"]),
        ({"outcome": "infrastructure"}, []),
        ({"category": "none of these"}, []),
    ],
)
def test_filters_select_cases(address, runs, words, cases):
    assert chosen(address, runs[0], **words) == cases


def test_changed_cases_are_those_with_another_score_by_the_same_setup(address, runs):
    before, after = runs
    assert chosen(address, after, changed=before) == ["c0", "c1", "c2", "c5", "c7"]
    assert chosen(address, before, changed=after, below="50") == ["c1", "c2", "c5"]
    status, _, _ = fetched(f"{address}/runs/{before}/cases?changed={before}")
    assert status == 422


def test_versions_of_a_suite_are_matched_by_their_cases(tmp_path):
    before, _ = answered_runs(tmp_path)
    _, after = answered_runs(tmp_path, tuple(reversed(CASES[1:])))
    with serving(tmp_path) as address:
        assert chosen(address, after, changed=before) == ["c7", "c5", "c2", "c1"]


def test_the_matching_part_of_an_answer_is_shown_and_marked(address, runs):
    text = page(address, runs[0], q="zebra%")
    assert text.count("<mark>zebra%</mark>") == 6


def test_the_file_has_the_answers_of_the_view(address, runs):
    _, _, body = fetched(f"{address}/runs/{runs[0]}/cases.csv?q=c3")
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert [row["case"] for row in rows] == ["c3"]
    assert rows[0][f"answer of {SETUPS[2]}"].endswith("crosses in before.")
    _, _, body = fetched(f"{address}/runs/{runs[0]}/cases.csv?q=c3&show=scores")
    assert b"answer of" not in body


def test_a_link_copies_the_whole_view(address, runs):
    words = {"q": "zebra%", "below": "50", "cols": "m2", "sort": "-mean", "show": "scores"}
    text = page(address, runs[0], **words)
    found = re.search(r'data-copy href="([^"]*)"', text)[1]
    path, _, query = found.partition("?")
    assert path == f"/runs/{runs[0]}/cases"
    assert dict(part.split("=") for part in query.split("&")) == {
        name: quote(value) for name, value in words.items()
    }


def test_the_case_before_and_after_are_those_of_the_selection(address, runs):
    href = re.search(r'<a href="(/runs/[^"]*/cases/3[^"]*)"', page(address, runs[0], below="50"))[1]
    body = html.unescape(fetched(f"{address}{href}")[2].decode())
    assert re.search(r'rel="prev" href="/runs/[^"]*/cases/2\?below=50', body)
    assert re.search(r'rel="next" href="/runs/[^"]*/cases/4\?below=50', body)
    assert f"/runs/{runs[0]}/cases?below=50" in body
    plain = html.unescape(fetched(f"{address}/runs/{runs[0]}/cases/7")[2].decode())
    assert 'rel="next"' not in plain


def test_the_columns_are_chosen_one_by_one(address, runs):
    text = page(address, runs[0], cols="m0,m2")
    assert "cols=m2" in text
    assert re.search(r"cols=m1%2Cm0%2Cm2|cols=m0%2Cm1%2Cm2|cols=m[012]%2Cm[012]%2Cm[012]", text)
    assert len(re.findall('<a class="btn-sort key"', text)) == 2


@pytest.mark.parametrize("words", ["below=101", "below=x", "from=-1", "disagree=2", "show=all"])
def test_a_wrong_value_is_refused(address, runs, words):
    assert fetched(f"{address}/runs/{runs[0]}/cases?{words}")[0] == 422


def test_pages_go_forwards_and_back(tmp_path):
    many_cases_home(tmp_path, 120, 1)
    with serving(tmp_path) as address:
        first = page(address, "many-1")
        second = at_link(address, first, "next")
        last = at_link(address, second, "next")
        again = at_link(address, last, "prev")
    assert 'rel="prev"' not in first
    assert len(listed(last)) == 20
    assert listed(again) == listed(second)
    assert re.search(r'rel="prev" href="/runs/many-1/cases\?sort=case"', second)


def test_a_search_that_ends_early_says_so_and_goes_on(tmp_path, monkeypatch):
    many_cases_home(tmp_path, 9_000, 3)
    with Store.open(tmp_path / STORE_FILE) as store:
        found = store.case_search.positions(["many-1"], "it is 8", most_bytes=1)
        rest = store.case_search.positions(["many-1"], "it is 8", first=found.end)
    assert found.positions == (8, *range(80, 90), *range(800, 900))
    assert found.end == 8_000
    assert rest == (tuple(range(8_000, 9_000)), None)
    monkeypatch.setattr("benchmaker.web.results.case_selection.SCANNED_BYTES", 1)
    with serving(tmp_path) as address:
        text = html.unescape(fetched_when_computed(f"{address}/runs/many-1/cases?q=it+is+88"))
        assert "The search ended after case 8,000 of 9,000" in text
        onwards = re.search(r'href="([^"]*from=8000[^"]*)"', text)[1]
        assert "case-8800" in fetched_when_computed(address + onwards)
        rows = json.loads(fetched(f"{address}/runs/many-1/cases.json?q=it+is+88")[2])
    assert len(rows["cases"]) == 1 + 10 + 100


def test_no_secret_is_in_the_excerpts(tmp_path):
    hostile_home(tmp_path)
    with serving(tmp_path) as address:
        for words in ("", "?q=sk-proj", "?q=run", "?show=scores"):
            for form in ("", ".csv", ".json"):
                body = fetched(f"{address}/runs/hostile-1/cases{form}{words}")[2].decode()
                assert SECRET not in body
                assert SECRET[8:40] not in body


def test_a_page_explains_marks_where_an_answer_has_one(address, runs, tmp_path):
    said = "the text that was scored"
    assert said in fetched(f"{address}/runs/{runs[0]}/cases/0")[2].decode()
    with serving(many_cases_home(tmp_path, 1), works=False) as other:
        assert said not in fetched(f"{other}/runs/many-1/cases/0")[2].decode()


def test_the_filter_of_outcomes_has_the_groups_of_the_table_of_outcomes(address, runs):
    text = page(address, runs[0])
    field = re.search(r'<select name="outcome">.*?</select>', text, re.DOTALL)[0]
    assert re.findall(r">([^<]+)</option>", field) == [
        "any",
        *(GROUPS[one] for one in ("bad", "infra", "none")),
    ]
