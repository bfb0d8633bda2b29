"""Rescoring is a job: it is seen, stopped, and gone on with after the server was killed."""

import re
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import Case, ScorerSpec, Suite
from benchmaker.arenas.standard.job_handlers import RESCORE
from benchmaker.providers.scripted import Scripted
from benchmaker.record.job import JobState
from benchmaker.store import Store
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.gated import AT_ONCE, GATE
from tests.web.serving import serving
from tests.web.test_arena_live import started

CASES = 80


@pytest.fixture(scope="module")
def gated(tmp_path_factory):
    """A data folder with a run whose scoring can be held; its id."""
    home = tmp_path_factory.mktemp("gated")
    suite = Suite(
        "gated",
        [Case(id=f"c{n}", prompt="?", expected="a") for n in range(CASES)],
        scorer=ScorerSpec(id="tests.web.gated:Gated"),
        profile="robust",
    )
    provider = Scripted(lambda _: "a", models=("m",))
    with ThreadPoolExecutor(1) as aside:  # Playwright runs a loop in the main thread
        made = aside.submit(benchmaker.run, suite, provider=provider, home=home).result()
    return home, made.run_ids[0]


@pytest.fixture
def home(gated, tmp_path):
    """A copy that a test may change, and the run's id."""
    return Path(shutil.copytree(gated[0], tmp_path / "home")), gated[1]


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """The file without which no more than some answers are scored."""
    monkeypatch.setenv(GATE, str(tmp_path / "gate"))
    return tmp_path / "gate"


def ask(tab):
    tab.get_by_text("Rescore").first.click()
    tab.get_by_label("Profile").select_option("classic")
    tab.get_by_role("button", name="Rescore", exact=True).click()


def newest(home, run):
    with Store.open(home / "benchmaker.db") as store:
        return store.jobs.find_newest(run, kinds=(RESCORE,))


def scored(home, run):
    """How many trials have the new score."""
    with Store.open(home / "benchmaker.db") as store:
        job = store.jobs.find_newest(run, kinds=(RESCORE,))
        return store.scores.count_scored_after([run], job.body["since"])


def test_a_killed_server_goes_on_with_it_and_scores_nothing_twice(tab, home, gate):
    home, run = home
    with started(home) as (process, address):
        tab.goto(address.replace("/?", f"/runs/{run}?"))
        ask(tab)
        expect(tab.get_by_text("Rescoring:")).to_contain_text(f"of {CASES} trials")
        until(lambda: scored(home, run) == AT_ONCE)
        process.send_signal(signal.SIGKILL)
        process.wait()
        tab.goto("about:blank")
    before = scored(home, run)
    gate.touch()
    assert before == AT_ONCE
    assert newest(home, run).state is JobState.RUNNING
    with started(home) as (_, address):
        tab.goto(address.partition("/?")[0] + f"/runs/{run}")
        expect(tab.get_by_text("Rescored: profile classic")).to_be_visible()
    tab.complaints.clear()  # the browser notes that the server was gone
    with Store.open(home / "benchmaker.db") as store:
        assert not store.jobs.list_open()
        versions = [store.scores.versions(run, "m", f"c{n}") for n in range(CASES)]
        assert [[one.profile for one in each] for each in versions] == [
            ["robust/2", "classic/1"]
        ] * CASES
        assert store.run(run).profile == "classic"


def test_it_is_stopped_and_says_how_far_it_came(tab, home, gate):
    home, run = home
    with serving(home) as address:
        tab.goto(f"{address}/runs/{run}")
        ask(tab)
        assert violations(tab, tab.url) == []
        until(lambda: scored(home, run) == AT_ONCE)
        tab.get_by_role("button", name="Stop rescoring").click()
        gate.write_text("1.0")  # a minute for the rest, and much less for the stop
        expect(tab.get_by_text("Rescoring stopped: profile classic")).to_be_visible()
        said = tab.get_by_text("Rescoring stopped").locator("xpath=..").inner_text()
        assert violations(tab, tab.url) == []
    done = int(re.search(rf"(\d+) of {CASES} trials", said)[1])
    assert 0 < done < CASES
    assert done == scored(home, run)
    with Store.open(home / "benchmaker.db") as store:
        assert store.run(run).notes[-1].endswith("in part")


def test_without_a_worker_it_waits_and_says_how_to_start_one(tab, home):
    home, run = home
    with serving(home, works=False) as address:
        tab.goto(f"{address}/runs/{run}")
        ask(tab)
        assert urlsplit(tab.url).path == f"/runs/{run}"
        told = tab.get_by_text("Waiting for a worker").locator("xpath=../..")
        assert "benchmaker worker" in told.inner_text()
        tab.get_by_role("button", name="Stop rescoring").click()
        expect(tab.get_by_text("Rescoring stopped")).to_be_visible()


def test_asking_twice_is_refused(tab, home):
    home, run = home
    with serving(home, works=False) as address:
        tab.goto(f"{address}/runs/{run}")
        ask(tab)
        tab.goto(f"{address}/runs/{run}")
        ask(tab)
        assert "already has a job in progress" in tab.locator("main").inner_text()
    tab.complaints.clear()  # the browser reports the status of the page


def test_a_run_of_models_is_not_gone_on_with_as_a_rescoring(tab, home):
    home, run = home
    with serving(home) as address:
        tab.goto(f"{address}/runs/{run}")
        ask(tab)
        tab.goto(f"{address}/arena/{run}")
        expect(tab.locator("#notice")).to_contain_text("Finished.")
