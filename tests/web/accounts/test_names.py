"""Votes, labels and reviews carry the name of whoever is signed in, whatever was sent."""

import json
import shutil
from pathlib import Path

import pytest

from benchmaker.store import Store
from tests.web import agentic_data
from tests.web.accounts.conftest import MANY, SignedServer, peopled
from tests.web.accounts.people import JSON
from tests.web.api.conftest import full_home  # noqa: F401  a fixture
from tests.web.serving import serving


@pytest.fixture
def full(full_home, tmp_path):  # noqa: F811  the fixture
    home = Path(shutil.copytree(full_home, tmp_path / "home"))
    secrets = peopled(home)
    with serving(home, works=False, requests_a_minute=MANY) as address:
        yield SignedServer(address, home, secrets)


def sent(asker, path, **fields):
    answer = asker.ask("POST", path, json.dumps(fields), **JSON)
    assert answer.status in {200, 201}, answer.text
    return answer.data


def test_a_label_is_its_persons(full):
    max_ = full.browser("max")
    run = max_.get("/api/v1/runs").data["items"][0]["run_id"]
    queue = max_.get(f"/api/v1/runs/{run}/labels/queue?by=somebody").data
    assert queue["by"] == "max"

    item = queue["items"][0]["id"]
    kept = sent(max_, f"/api/v1/runs/{run}/labels", id=item, score="pass", by="somebody")
    assert kept["by"] == "max"
    fields = {"run": run, "by": "somebody", "item": queue["items"][1]["id"], "score": "pass"}
    assert max_.ask("POST", "/judges/label", fields).status == 303
    with Store.open(full.home / "benchmaker.db", read_only=True) as store:
        by = [it.actor for it in store.labels([run])]
    assert by.count("max") == 2
    assert "somebody" not in by


def test_a_vote_is_its_persons(full):
    program = full.program("write")
    runs = program.get("/api/v1/code/runs").data["items"]
    run = runs[0]["run_id"]
    pair = program.get(f"/api/v1/code/runs/{run}/pair?by=somebody").data
    assert pair["by"] == "ada"

    browser = full.browser("max")
    pair = browser.get(f"/api/v1/code/runs/{run}/pair").data["pair"]
    place = {"position": pair["position"], "a": pair["a"]["number"], "b": pair["b"]["number"]}
    told = sent(browser, f"/api/v1/code/runs/{run}/votes", **place, pick="left", by="somebody")
    assert told["by"] == "max"
    with Store.open(full.home / "benchmaker.db", read_only=True) as store:
        votes = store.votes.read([run], actor="max")
    assert len(votes) == 1


def test_a_decision_is_its_persons(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    agentic_data.ordinary(home)
    secrets = peopled(home)
    with serving(home, works=False) as address:
        server = SignedServer(address, home, secrets)
        ada = server.browser("ada")
        waiting = ada.get("/api/v1/agentic/reviews").data["items"]
        name = waiting[0]["submission_id"]
        decided = sent(ada, f"/api/v1/agentic/reviews/{name}", do="clear", actor="somebody")
        assert decided["review"]["actor"] == "ada"
        max_ = server.browser("max")
        body = json.dumps({"do": "clear"})
        refused = max_.ask("POST", f"/api/v1/agentic/reviews/{name}", body, **JSON)
        assert refused.status == 403
