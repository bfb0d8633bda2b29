"""Runs that end before their last case: two setups of which one is stopped, and budgets."""

import json

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.runs.comparison import comparison_text
from benchmaker.report.runs.text import summary_text
from tests.web.aside import aside
from tests.web.plain_figures import cells_of, text_of
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(18)]
STOPPED_AT, PAID = 13, 8
ENDED = f"stopped after {STOPPED_AT} of 18 cases"
PRICE = 0.01


class Priced(Scripted):
    """A script whose answers have one price."""

    def most_usd(self, request):
        assert request.model
        return PRICE


def answer(request):
    number = int(request.case_id[1:])
    if request.model == "fake/gone" and number >= STOPPED_AT:
        return AuthError("HTTP 401: wrong key", status=401)
    return Completion(text="Lima" if number % 3 else "Quito", cost_usd=PRICE)


def run_of(home, suite, models, budget=None):
    return aside(
        benchmaker.run,
        suite,
        provider=Priced(answer, models=models),
        home=home,
        options=RunOptions(concurrency=1, retries=0, max_cost_usd=budget),
    )


def said(address, path):
    return " ".join(text_of(fetched(address + path)[2].decode()).split())


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The address of a server with a run of two setups, and its result."""
    home = tmp_path_factory.mktemp("stopped")
    prompts = [{"id": "plain", "prompt": "{{ prompt }}"}]
    suite = Suite("cities", CASES, scorer="exact", prompts=prompts)
    made = run_of(home, suite, ("fake/gone", "fake/good"))
    with serving(home, works=False) as address:
        yield address, made


@pytest.fixture(scope="module")
def paid(tmp_path_factory):
    """The address of a server with a run that its budget ended, its result, and an empty one."""
    home = tmp_path_factory.mktemp("paid")
    suite = Suite("cities", CASES, scorer="exact")
    made = run_of(home, suite, ("fake/good",), budget=PRICE * (PAID + 0.5))
    none = run_of(home, suite, ("fake/good",), budget=PRICE / 2)
    with serving(home, works=False) as address:
        yield address, made, none


def test_every_page_says_when_one_of_two_setups_was_stopped(stopped):
    address, made = stopped
    run = made.run_ids[0]
    assert ENDED in said(address, "/")
    assert ENDED in said(address, "/runs")
    rows = cells_of(fetched(f"{address}/runs/{run}")[2].decode(), 'id="h-forest"')[1:]
    assert [ENDED in row[0] for row in rows] == ["gone" in row[0] for row in rows]
    assert "left out" not in rows[0][0] + rows[1][0]
    assert ENDED in said(address, f"/suites/{made.runs[0].suite_hash}")


def test_the_documents_name_the_setup_that_was_stopped(stopped):
    address, made = stopped
    gone = next(name for name in made.models if "gone" in name)
    assert made.summary.to_dict()["ended_early"] == {gone: ENDED}
    (row,) = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
    ends = {one["setup"]: one["ended_early"] for one in row["setups"]}
    assert ends == {name: ENDED if name == gone else "" for name in made.models}


def test_cases_that_a_budget_left_are_in_the_denominator(paid):
    address, made, _ = paid
    assert f"{PAID} of 18 cases scored" in summary_text(made.summary)
    assert f"{PAID} of 18 cases scored" in said(address, f"/runs/{made.run_ids[0]}")
    found = made.summary.to_dict()
    assert (found["scored_cases"], found["selected_cases"]) == (PAID, 18)


def test_a_run_with_nothing_sent_has_its_cases_in_the_denominator(paid):
    address, _, none = paid
    assert "0 of 18 cases scored" in summary_text(none.summary)
    assert "0 of 18 cases scored" in said(address, f"/runs/{none.run_ids[0]}")


def test_a_run_with_nothing_sent_has_no_scores_so_far_and_cost_nothing(paid):
    address, _, none = paid
    run = none.run_ids[0]
    rows = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
    row = next(one for one in rows if one["run"] == run)
    assert (row["verdict"], row["total_cost_usd"]) == ("no scores so far", 0.0)
    for path in (f"/runs/{run}", f"/arena/{run}"):
        assert "$0.00" in said(address, path), path


def test_a_comparison_over_a_part_names_all_selected_cases(tmp_path):
    suite = Suite("cities", CASES, scorer="exact")
    made = run_of(tmp_path, suite, ("fake/good", "fake/fair"), budget=PRICE * (2 * PAID + 1.5))
    found = benchmaker.compare(made)
    assert (found.n_common, found.n_cases) == (PAID, 18)
    assert f"over the {PAID} of 18 cases" in " ".join(comparison_text(found).split())
