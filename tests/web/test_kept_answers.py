"""Answers from memory equal freshly made ones, whichever process changes the store."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest

import benchmaker
from benchmaker.web.render_cache import RenderCache
from tests.arenas.agentic.handed import many, write_submissions
from tests.running import warm
from tests.waiting import until_quiet
from tests.web.from_memory import found_in_memory
from tests.web.results.answered_runs import answered_runs
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.store_changes import CHANGES, Place, change_in_child

pytestmark = pytest.mark.long

STEPS = 10
VIEWERS = (
    {},
    {"cookie": "benchmaker_theme=dark; benchmaker_keys=off"},
    {"accept-encoding": "gzip"},
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A data folder with two runs and 30 submissions, and the runs; nobody writes to it."""
    home = tmp_path_factory.mktemp("filled") / "home"
    return home, fill(home)


def fill(home: Path) -> tuple[str, ...]:
    home.mkdir()
    runs = answered_runs(home)
    benchmaker.evaluate(write_submissions(home.with_name("30.jsonl"), many(30)), home=home)
    return runs


@pytest.fixture
def served(filled, tmp_path):
    """The address of a server over a copy, the copy, and the runs."""
    home, runs = filled
    if home.exists():
        home = Path(shutil.copytree(home, tmp_path / "home"))
    else:  # a store on a server can't be copied so
        home = tmp_path / "home"
        runs = fill(home)
    with serving(home, works=False) as address:
        yield address, home, runs


def pages_of(runs):
    return (
        "/agentic",
        "/agentic?by=tool&metric=success",
        "/agentic.json",
        "/agentic/submissions",
        "/agentic/submissions?q=m1",
        *(f"/runs/{run}" for run in runs),
        f"/runs/{runs[1]}?tab=settings",
    )


def answer(address, path, viewer):
    """Status, the headers that say what the body is, and the body."""
    status, headers, body = fetched(address + path, headers=viewer)
    kept = ("content-type", "content-encoding", "vary", "cache-control")
    return status, {name: headers.get(name) for name in kept}, body


def fresh(address, path, viewer, monkeypatch):
    """The answer without any kept one."""
    with monkeypatch.context() as patched:
        patched.setattr(RenderCache, "find", lambda *_: None)
        return answer(address, path, viewer)


def change_elsewhere(name, at):
    """Make a change in another process."""
    with tempfile.TemporaryFile() as complaints:
        process, line = warm.call(change_in_child, name, at, stderr=complaints)
        with line:
            code = process.wait()
        complaints.seek(0)
        assert code == 0, complaints.read().decode()


@pytest.mark.postgresql("what changes the state of its transactions")
@pytest.mark.parametrize("seed", range(2))
def test_reads_between_changes_of_two_processes_get_what_is_there(served, monkeypatch, seed):
    address, home, runs = served
    draw = random.Random(seed)  # noqa: S311  a draw, no secret
    for number in range(STEPS):
        change = CHANGES[draw.choice(sorted(CHANGES))]
        if draw.random() < 0.5:
            change(Place(home, number, runs))
        else:
            change_elsewhere(change.__name__, Place(home, number, runs))
        for _ in range(4):
            path, viewer = draw.choice(pages_of(runs)), draw.choice(VIEWERS)
            twice = [answer(address, path, viewer) for _ in range(2)]
            assert twice == [fresh(address, path, viewer, monkeypatch)] * 2, (change, path)
    with serving(home, works=False) as other:
        for path in pages_of(runs):
            assert answer(address, path, {}) == answer(other, path, {}), path


@pytest.mark.postgresql("the state is read in a thread there")
def test_a_page_of_an_unchanged_store_needs_no_route(served, monkeypatch):
    address, _, runs = served
    found = found_in_memory(monkeypatch)
    path = f"/runs/{runs[1]}"
    until_quiet(lambda: answer(address, path, {}), lambda _: found)
    assert set(found) == {path}


def test_a_part_of_a_page_is_never_the_kept_page(served, monkeypatch):
    address, _, _ = served
    found = found_in_memory(monkeypatch)
    for _ in range(2):
        answer(address, "/agentic", {"hx-request": "true"})
    answer(address, "/agentic", {})
    answer(address, "/agentic", {"hx-request": "true"})
    assert found == []
