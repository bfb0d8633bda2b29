"""Pages of finished runs are rendered once, and again when anything that they show changes."""

import shutil
from pathlib import Path

import pytest

import benchmaker
from benchmaker.record import RunState
from benchmaker.record.job import Job
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.web.pages.results import results
from benchmaker.web.render_cache import RenderCache
from benchmaker.web.unchanged import unchanged_store
from tests.web.results.answered_runs import answered_runs
from tests.web.results_data import fetched
from tests.web.serving import apps, serving
from tests.web.test_case_selection import sent


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data folder with an earlier and a later run; nobody writes to it."""
    home = tmp_path_factory.mktemp("kept") / "home"
    home.mkdir()
    return home, answered_runs(home)


@pytest.fixture
def served(made, tmp_path):
    """The address of a server over a copy, the copy, and the ids of the runs."""
    home, runs = made
    if home.exists():
        home = Path(shutil.copytree(home, tmp_path / "home"))
    else:  # a store on a server can't be copied so
        home = tmp_path / "home"
        home.mkdir()
        runs = answered_runs(home)
    with serving(home, works=False) as address:
        yield address, home, runs


def body(address, path, **headers):
    status, _, found = fetched(address + path, headers=headers)
    assert status == 200
    return found


def fresh(address, path, monkeypatch, **headers):
    """The page as it is without any kept one."""
    with monkeypatch.context() as patched:
        patched.setattr(RenderCache, "find", lambda *_: None)
        return body(address, path, **headers)


def refuse_to_render(monkeypatch):
    def page(*_args, **_named):
        raise AssertionError

    monkeypatch.setattr(results, "page", page)


def rescored(home, run):
    benchmaker.rescore(run, home=home, options=benchmaker.RunOptions(profile="classic"))


@pytest.mark.parametrize("tab", ["cases", "categories", "pairs", "plots", "settings"])
def test_a_page_of_a_finished_run_is_rendered_once(served, monkeypatch, tab):
    address, _, runs = served
    path = f"/runs/{runs[1]}?tab={tab}"
    first = body(address, path)
    assert first == fresh(address, path, monkeypatch)
    refuse_to_render(monkeypatch)
    assert body(address, path) == first


def test_a_change_that_it_does_not_show_leaves_it(served, monkeypatch):
    address, home, runs = served
    first = body(address, f"/runs/{runs[1]}")
    with Store.open(home / STORE_FILE) as store:
        store.accounts.add_team("other", "The others")
    refuse_to_render(monkeypatch)
    assert body(address, f"/runs/{runs[1]}") == first


@pytest.mark.parametrize("at", [0, 1])
def test_new_scores_of_it_or_of_the_earlier_run_are_on_it_at_once(served, monkeypatch, at):
    address, home, runs = served
    path = f"/runs/{runs[1]}"
    before = body(address, path)
    rescored(home, runs[at])
    after = body(address, path)
    assert after != before
    assert after == fresh(address, path, monkeypatch)


def test_a_label_is_on_it_at_once(served):
    address, _, runs = served
    path = f"/runs/{runs[1]}?tab=settings"
    before = body(address, path)
    form = "application/x-www-form-urlencoded"
    assert sent(address, "POST", f"/runs/{runs[1]}/trials/5-0/label", "score=8", form)[0] == 303
    assert body(address, path) != before


def test_a_job_at_work_and_its_end_are_on_it_at_once(served):
    address, home, runs = served
    path = f"/runs/{runs[1]}"
    idle = body(address, path)
    with Store.open(home / STORE_FILE) as store:
        store.jobs.add(Job(id="j1", kind="run", target=runs[1]))
        assert b"1 running" in body(address, path)
        store.jobs.ask_to_stop(runs[1])
    assert body(address, path) == idle


def test_an_earlier_run_that_is_deleted_is_no_longer_on_it(served):
    address, home, runs = served
    assert b"before 100.0" in body(address, f"/runs/{runs[1]}")
    with Store.open(home / STORE_FILE) as store:
        store.delete_run(runs[0])
    after = body(address, f"/runs/{runs[1]}")
    assert b"before 100.0" not in after
    assert b">Changes</a>" not in after


def test_an_unfinished_run_is_rendered_each_time(served):
    address, home, runs = served
    with Store.open(home / STORE_FILE) as store:
        store.set_run_state(runs[1], RunState.INTERRUPTED)
    body(address, f"/runs/{runs[1]}")
    kept = unchanged_store(apps[address].state.bench)
    assert (len(kept.answers), len(kept.pages)) == (0, 0)


def test_every_viewer_and_address_has_its_own(served):
    address, _, runs = served
    path = f"/runs/{runs[1]}"
    dark = {"cookie": "benchmaker_theme=dark; benchmaker_keys=off"}
    plain = body(address, path)
    assert b'data-theme="dark" data-keys="off"' in body(address, path, **dark)
    assert body(address, path) == plain
    assert b"ignored: nobody" in body(address, f"{path}?nobody=knows")
    assert body(address, path) == plain
