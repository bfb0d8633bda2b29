"""The case list of a suite: the last mean of each case, and the run that it comes from."""

import html
import re

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.errors import ProviderError
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(4)]


def answer(request):
    if request.case_id == "c1":
        return ProviderError("HTTP 500: broken", status=500)
    return "Lima"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a server, and a run of the first three cases in which one request failed."""
    home = tmp_path_factory.mktemp("means")
    made = aside(
        benchmaker.run,
        Suite("cities", CASES, scorer="exact"),
        provider=Scripted(answer, models=["fake/one"]),
        home=home,
        options=RunOptions(retries=0, limit=3),
    )
    with serving(home, works=False) as address:
        yield address, made.runs[0]


def case_list(served):
    address, run = served
    return html.unescape(fetched(f"{address}/suites/{run.suite_hash}")[2].decode())


def test_a_case_that_was_run_without_a_score_is_not_called_not_run(served):
    rows = re.findall(r'<tr class="stick"><th scope="row" id="c\d+".*?</tr>', case_list(served))
    said = [re.findall("no score|not run|1 answer", row) for row in rows]
    assert said == [["1 answer"], ["no score"], ["1 answer"], ["not run"]]


def test_the_list_links_the_run_of_its_means(served):
    text = case_list(served)
    run = served[1]
    said = re.search(r"Last means of run <a [^>]*href=\"([^\"]*)\">([^<]*)</a>, ([^<]*)", text)
    assert said.groups()[:2] == (f"/runs/{run.id}", run.id)
    assert run.started_at[11:16] in text[said.start() : said.end() + 200]
