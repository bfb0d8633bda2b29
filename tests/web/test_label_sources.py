"""Labels from the page and the API: those that the random part reaches later count as random."""

from urllib.parse import urlencode

import pytest

import benchmaker
from benchmaker import Case, ScorerSpec, Suite
from benchmaker.store import Store
from tests.web.api.asking import Client
from tests.web.aside import aside
from tests.web.serving import serving
from tests.web.test_guard import ask

CASES = 8
SUITE = Suite(
    "sums",
    [Case(id=f"c{n}", prompt=f"{n}?", expected="right") for n in range(CASES)],
    scorer=ScorerSpec(id="exact"),
)


@pytest.fixture
def made(tmp_path):
    """A data folder and a run in it."""
    done = aside(benchmaker.run, SUITE, provider=lambda _: "right", models=["m"], home=tmp_path)
    return tmp_path, done.run_ids[0]


def sources(home, run):
    with Store.open(home / "benchmaker.db") as store:
        return sorted(label.source for label in store.labels([run]) if label.source != "trap")


def waiting(client, run, n):
    return [it["id"] for it in client.rows(f"/runs/{run}/labels/queue", n=n)]


def by_page(address, run):
    fields = {"run": run, "n": "16", "by": "local", "do": "say", "score": "10", "note": ""}

    def say(item):
        body = urlencode({**fields, "item": item}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": address}
        assert ask(address, "POST", "/judges/label", headers=headers, body=body)[0] == 303

    return say


def by_api(address, run):
    def say(item):
        Client(address).post(f"/runs/{run}/labels", {"id": item, "score": "pass", "n": 16})

    return say


@pytest.mark.parametrize("door", [by_page, by_api])
def test_a_targeted_label_that_the_random_part_reaches_counts_as_random(made, door):
    home, run = made
    with serving(home, works=False) as address:
        client = Client(address)
        for name in waiting(client, run, 4):
            client.post(f"/runs/{run}/labels", {"id": name, "score": "pass", "n": 4})
        assert set(sources(home, run)) == {"random", "targeted"}
        door(address, run)(waiting(client, run, 16)[0])
    assert set(sources(home, run)) == {"random"}
