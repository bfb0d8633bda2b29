"""Retries on the page of one run of a series: its own failed trials, or those of all runs."""

import re

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.answering import answering
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_failed_models import posted

CASES = [benchmaker.Case(id=f"c{at}", prompt=f"{at}?", expected="42") for at in range(2)]


@pytest.fixture
def series(tmp_path):
    """Models that answer by now, an address, the runs of a series that all failed, and its id."""
    suite = benchmaker.Suite("sums", CASES, scorer="numeric")
    with answering() as models:
        models.refusals, models.refused_s = 1_000, 0
        how = RunOptions(retries=0, runs=3)
        made = aside(
            benchmaker.run,
            suite,
            models=[f"{models.url}#m"],
            home=tmp_path,
            options=how,
            environ={},
        )
        models.refusals = 0
        with serving(tmp_path) as address:
            yield models, address, made.run_ids, made.series_id


def outcomes(home, runs):
    with Store.open(home / STORE_FILE, read_only=True) as store:
        return [{str(one.outcome) for one in store.trials(run)} for run in runs]


def forms(page):
    """The addresses of the retries of a page, by the text of their button."""
    found = re.findall(r'<form method="post" action="([^"]+/resume)">.*?>([^<]+)</button>', page)
    return {text: path for path, text in found}


def retried(home, address, path):
    """The page that a retry leads to, once its job has ended."""
    status, location = posted(address + path, {"again": "failed"})
    assert status == 303
    with Store.open(home / STORE_FILE, read_only=True) as store:
        until(lambda: not store.jobs.list_open())
    return location


def test_a_run_of_a_series_offers_both_retries(series):
    _, address, runs, name = series
    page = fetched(f"{address}/runs/{runs[1]}")[2].decode()
    assert forms(page) == {
        "Retry 2 failed trials of this run": f"/arena/{runs[1]}/resume",
        "Retry failed trials of the series": f"/arena/{name}/resume",
    }
    page = fetched(f"{address}/series/{name}")[2].decode()
    assert forms(page) == {"Retry 6 failed trials": f"/arena/{name}/resume"}


def test_a_retry_of_one_run_leaves_the_others(series, tmp_path):
    models, address, runs, name = series
    location = retried(tmp_path, address, f"/arena/{runs[1]}/resume")
    assert location == f"/arena/{name}?run=2"
    assert sorted(models.asked) == ["0?", "1?"]
    assert outcomes(tmp_path, runs) == [{"provider_error"}, {"scored"}, {"provider_error"}]
    with Store.open(tmp_path / STORE_FILE, read_only=True) as store:
        assert store.jobs.find_newest(name).body["run"] == runs[1]
    assert "Retry" not in fetched(f"{address}/runs/{runs[1]}")[2].decode()


def test_a_retry_of_the_series_covers_all_runs_also_after_that_of_one(series, tmp_path):
    models, address, runs, name = series
    retried(tmp_path, address, f"/arena/{runs[1]}/resume")
    assert retried(tmp_path, address, f"/arena/{name}/resume") == f"/arena/{name}"
    assert len(models.asked) == 6
    assert outcomes(tmp_path, runs) == [{"scored"}] * 3


def test_no_retry_is_offered_while_the_series_is_worked_on(series, tmp_path):
    models, address, runs, _ = series
    models.flows.clear()
    assert posted(f"{address}/arena/{runs[0]}/resume", {"again": "failed"})[0] == 303
    for run in runs:
        assert forms(fetched(f"{address}/runs/{run}")[2].decode()) == {}
    models.flows.set()
    with Store.open(tmp_path / STORE_FILE, read_only=True) as store:
        until(lambda: not store.jobs.list_open())


def test_axe_finds_nothing_on_a_run_with_both_retries(tab, series):
    _, address, runs, _ = series
    assert violations(tab, f"{address}/runs/{runs[0]}") == []
