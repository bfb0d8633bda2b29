"""A series that ended before all its runs started is as old as its first run."""

import html
import json
import re
from urllib.parse import urlencode

import pytest

from benchmaker import Case, RunOptions, Suite, results, run, trend
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = tuple(Case(id=f"c{n}", prompt=f"{n} + 1?", expected=str(n + 1)) for n in range(8))
PRICE = 0.01
BUDGETS = {"in the first run": 6.5 * PRICE, "in the second run": 11.5 * PRICE}
"""Budgets that a series of three runs reaches."""


class Priced(Scripted):
    """A script whose answers have one price."""

    def most_usd(self, request):
        assert request.model
        return PRICE


def answers(wrong):
    """Right answers at a price, except of so many cases at the beginning."""

    def answer(request):
        number = int(request.case_id[1:])
        text = "none" if number < wrong else str(number + 1)
        return Completion(text=text, cost_usd=PRICE)

    return Priced(answer, models=["fake/one"])


def measured(home, wrong, runs=1, budget=None):
    suite = Suite("sums", CASES, scorer="numeric")
    made = aside(
        run,
        suite, provider=answers(wrong), home=home,
        options=RunOptions(runs=runs, concurrency=1, max_cost_usd=budget),
    )  # fmt: skip
    return made.runs[0].series_id or made.runs[0].id


@pytest.fixture(scope="module", params=BUDGETS)
def stopped(request, tmp_path_factory):
    """The address, the home, an earlier run, and a later series with runs that never started."""
    home = tmp_path_factory.mktemp("stopped")
    first = measured(home, wrong=0)
    series = measured(home, wrong=3, runs=3, budget=BUDGETS[request.param])
    with Store.open(home / STORE_FILE, read_only=True) as store:
        assert "" in [one.started_at for one in store.runs(series_id=series)]
    with serving(home, works=False) as address:
        yield address, home, first, series


def page(address, path, **words):
    return html.unescape(fetched(f"{address}{path}?{urlencode(words)}")[2].decode())


def test_the_later_series_is_after_in_either_order(stopped):
    address, _, first, series = stopped
    for order in ((first, series), (series, first)):
        text = page(address, "/compare", runs=",".join(order))
        assert re.search(rf'before:\s+run <a href="/runs/{first}"', text)
        assert re.search(rf'after:\s+series <a href="/series/{series}"', text)


def test_its_difference_is_a_loss(stopped):
    address, _, first, series = stopped
    words = {"runs": f"{first},{series}", "table": "changes", "form": "json"}
    (row,) = json.loads(page(address, "/compare", **words))["changes"]
    assert row["mean_before"] == 1.0
    assert row["diff"] < 0


def test_the_cases_page_offers_it_with_the_date_of_its_first_run(stopped):
    address, home, first, series = stopped
    with Store.open(home / STORE_FILE, read_only=True) as store:
        began = min(one.started_at for one in store.runs(series_id=series) if one.started_at)
    text = page(address, f"/runs/{first}/cases")
    option = re.search(rf'<option value="{series}".*?</option>', text, re.DOTALL)[0]
    assert began[11:16] in option


def test_a_trend_has_it_at_the_start_of_its_first_run(stopped):
    _, home, first, series = stopped
    made = trend([results(series, home=home), results(first, home=home)])
    (model,) = made.models
    assert [point.series_id for point in model.points] == [None, series]
    assert all(point.at for point in model.points)
