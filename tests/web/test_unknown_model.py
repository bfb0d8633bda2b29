"""The pages of a run whose only model its endpoint does not have: no retry, another model."""

import re

import pytest

import benchmaker
from benchmaker import RunOptions
from tests.web.aside import aside
from tests.web.refusing import refusing
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(5)]


@pytest.fixture(scope="module")
def unknown(tmp_path_factory):
    """The address of a server with such a run, and the run."""
    home = tmp_path_factory.mktemp("unknown")
    suite, how = benchmaker.Suite("cities", CASES, scorer="exact"), RunOptions(retries=0)
    with refusing() as models:
        made = aside(
            benchmaker.run, suite, models=[models.wrong], home=home, options=how, environ={}
        )
    with serving(home, works=False) as address:
        yield address, made.runs[0]


@pytest.mark.parametrize("path", ["/runs", "/arena"])
def test_pages_offer_another_model_in_place_of_a_retry(unknown, path):
    address, run = unknown
    page = fetched(f"{address}{path}/{run.id}")[2].decode()
    assert "Retry " not in page
    assert f'href="/arena?suite={run.suite_hash}">Set up a run with another model</a>' in page


def test_page_says_once_that_there_are_no_scores(unknown):
    address, run = unknown
    page = fetched(f"{address}/runs/{run.id}")[2].decode()
    assert page.count("No scores.") == 1


def test_home_has_the_reason(unknown):
    address, _ = unknown
    page = fetched(f"{address}/")[2].decode()
    waiting = re.search(r'aria-labelledby="h-waiting".*?</section>', page, re.DOTALL)[0]
    assert "HTTP 404" in waiting
    assert "open the run" not in waiting
