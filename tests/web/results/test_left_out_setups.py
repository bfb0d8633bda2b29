"""A run of which one model was stopped: every surface compares the others over all cases."""

import json
import re

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.plain_figures import cells_of, text_of
from tests.web.results_data import fetched
from tests.web.serving import serving

RIGHT = {"fake/good": 36, "fake/fair": 20, "fake/poor": 12, "fake/gone": 40}
STOPPED_AT = 13
LEFT_OUT = "fake/gone (stopped after 13 of 40 cases)"


def answer(request):
    number = int(request.case_id[1:])
    if request.model == "fake/gone" and number >= STOPPED_AT:
        return AuthError("HTTP 401: wrong key", status=401)
    return "Lima" if number < RIGHT[request.model] else "Quito"


def run_of(home, models):
    cases = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(40)]
    return aside(
        benchmaker.run,
        Suite("cities", cases, scorer="exact"),
        provider=Scripted(answer, models=models),
        home=home,
        options=RunOptions(concurrency=1, retries=0),
    )


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The address of a server with the run, and its result."""
    home = tmp_path_factory.mktemp("stopped")
    made = run_of(home, tuple(RIGHT))
    with serving(home, works=False) as address:
        yield address, made


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """The comparison of the other three in a run of their own."""
    home = tmp_path_factory.mktemp("others")
    return aside(benchmaker.compare, run_of(home, tuple(RIGHT)[:3]))


def page(stopped, path):
    address, made = stopped
    status, _, body = fetched(address + path.format(run=made.run_ids[0]))
    assert status == 200, body[:300]
    return body.decode()


def test_home_and_results_have_the_verdict_on_the_others_with_its_basis(stopped):
    for path in ("/", "/runs"):
        said = text_of(page(stopped, path))
        assert "fake/good" in said
        assert re.search(
            r"[Aa]head of fake/fair by 40\.0 points \[[\d.]+, [\d.]+\], Holm over 3 pairs, without "
            + re.escape(LEFT_OUT),
            said,
        ), said
        figure = said.index("fake/gone 100.0%")
        assert said.index("fake/poor 30.0%") < figure
        assert (
            said[figure:].split("cost unknown, ", 1)[1].startswith("stopped after 13 of 40 cases")
        )


def test_the_run_page_says_who_is_left_out_and_shows_it_last(stopped):
    body = page(stopped, "/runs/{run}")
    assert f"Left out: {LEFT_OUT}." in text_of(body)
    heads, *rows = cells_of(body, 'id="h-forest"')
    assert [row[0].split(" ")[0] for row in rows] == list(RIGHT)
    assert rows[-1][0] == "fake/gone left out: stopped after 13 of 40 cases"
    assert rows[0][heads.index("Verdict")] == "reference"


def test_another_reference_changes_no_interval_and_no_verdict(stopped):
    def pairs(query):
        heads, *rows = cells_of(page(stopped, "/runs/{run}" + query), 'id="h-forest"')
        at = next(n for n, head in enumerate(heads) if head.startswith("Difference"))
        return heads[at], {row[0]: re.findall(r"[\d.]+", row[at]) for row in rows}

    (head, from_best), (other_head, from_fair) = pairs(""), pairs("?ref=1")
    assert head == other_head == "Difference Holm-adjusted CI, 3 pairs"
    by, low, high = from_best["fake/fair"]
    assert from_fair["fake/good"] == [by, high, low] or from_fair["fake/good"] == [by, low, high]


def test_figures_of_the_others_are_those_of_a_run_without_it(stopped, others):
    made = aside(benchmaker.compare, stopped[1])
    assert [
        (it.model_a, it.model_b, it.diff, it.low, it.high, it.p_adjusted, it.verdict)
        for it in made.family_of(made.headline)
    ] == [
        (it.model_a, it.model_b, it.diff, it.low, it.high, it.p_adjusted, it.verdict)
        for it in others.pairs
    ]


def test_the_interface_names_those_left_out(stopped):
    found = json.loads(page(stopped, "/api/v1/compare?run={run}"))
    assert found["left_out"] == {"fake/gone": "stopped after 13 of 40 cases"}
    assert (found["n_common"], found["n_cases"]) == (40, 40)
    assert {it["n"] for it in found["pairs"] if "fake/gone" in (it["model_a"], it["model_b"])} == {
        STOPPED_AT
    }
    ranked = json.loads(page(stopped, "/api/v1/rank?run={run}"))
    assert "fake/gone" not in {it["model"] for it in ranked["models"]}
    assert "not ranked (stopped after 13 of 40 cases): fake/gone" in ranked["warnings"]
