"""Long runs: pages by key, and figures that are computed once."""

import json
from itertools import pairwise

import pytest

from benchmaker.record import Score
from benchmaker.store import Store, Writer
from benchmaker.web.results.run_cache import OverviewCache
from tests.web.browser import answers_to, weight
from tests.web.results_data import MODELS, fetched, hostile_home, many_cases_home
from tests.web.serving import serving

CASES = 203


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return many_cases_home(tmp_path_factory.mktemp("many"), CASES)


@pytest.fixture(scope="module")
def address(many):
    with serving(many) as served:
        yield served


def follow(tab, address):
    tab.goto(address)
    while True:
        yield tab.locator("table.heat tbody tr")
        following = tab.get_by_role("link", name="Next page")
        if not following.count():
            return
        with tab.expect_navigation():
            following.click()


@pytest.mark.parametrize("sort", ["mean", "-mean", "m1", "-case"])
def test_every_case_is_on_one_page_exactly(tab, address, sort):
    names, means = [], []
    for rows in follow(tab, f"{address}/runs/many-1/cases?sort={sort}"):
        names += rows.locator("th").all_inner_texts()
        means += map(float, rows.locator("td.mean").all_inner_texts())

    assert sorted(names) == sorted(f"case-{at}" for at in range(CASES))
    if "mean" in sort:
        ordered = [b >= a if sort == "mean" else b <= a for a, b in pairwise(means)]
        assert all(ordered)


def test_a_page_of_cases_is_light(tab, address):
    came = answers_to(tab)
    tab.goto(f"{address}/runs/many-1/cases")

    assert tab.locator("table.heat tbody tr").count() == 50
    assert weight(came) < 150_000


def test_all_rows_come_as_json(address):
    _, _, body = fetched(f"{address}/runs/many-1/cases.json?sort=mean")
    cases = json.loads(body)["cases"]

    assert len(cases) == CASES
    assert [one["mean"] for one in cases] == sorted(one["mean"] for one in cases)


def test_the_next_case_follows_the_order(tab, address):
    tab.goto(f"{address}/runs/many-1/cases?sort=mean")
    names = tab.locator("table.heat tbody th").all_inner_texts()
    tab.get_by_role("link", name=names[0], exact=True).click()
    tab.get_by_role("link", name="Next case").click()
    tab.wait_for_load_state()

    assert tab.locator("h1").inner_text() == f"Case {names[1]}"


def test_figures_are_computed_anew_only_after_a_change(tmp_path):
    hostile_home(tmp_path)
    known = OverviewCache()
    with Store.open(tmp_path / "benchmaker.db") as store:
        first = known.of_runs(store, ["hostile-1"])
        assert known.of_runs(store, ["hostile-1"]) is first

        rescored(store, "hostile-2")
        assert known.of_runs(store, ["hostile-1"]) is first

        rescored(store, "hostile-1")
        assert known.of_runs(store, ["hostile-1"]) is not first


def test_a_stamp_knows_what_changed(tmp_path):
    hostile_home(tmp_path)
    with Store.open(tmp_path / "benchmaker.db") as store:
        before = store.run_changes.stamp_of(["hostile-1"])
        assert not store.run_changes.has_changed(before, store.run_changes.stamp_of(["hostile-1"]))
        rescored(store, "hostile-2")
        assert not store.run_changes.has_changed(before, store.run_changes.stamp_of(["hostile-1"]))
        rescored(store, "hostile-1")
        assert store.run_changes.has_changed(before, store.run_changes.stamp_of(["hostile-1"]))


def rescored(store, run_id):
    trial = next(trial for trial in store.trials(run_id, model=MODELS[0]))
    with Writer(store) as writer:
        writer.put_score(trial.key, Score(score=1.0, scorer="exact"))
