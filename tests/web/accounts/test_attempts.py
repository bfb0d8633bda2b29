"""Attempts registered over the web, handed in for, and shown on pages."""

import json

import msgspec
import pytest

from benchmaker.record.submissions.submission import System
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id
from tests.web.accessible import violations_here
from tests.web.accounts.people import JSON

MINE = {"harness": "cli", "model": "m-attempts"}
LATE = {"started_at": "2099-01-01T00:00:00.000Z", "finished_at": "2099-01-01T00:01:00.000Z"}


@pytest.fixture
def store(own_server):
    with Store.open(own_server.home / "benchmaker.db") as opened:
        opened.accounts.set_team("main", is_public=True)
        yield opened


@pytest.fixture
def max_(own_server, store):
    assert store
    return own_server.browser("max")


def register(asker, count=1, **more):
    body = json.dumps({"task": "t-attempts", **MINE, "count": count, **more}).encode()
    return asker.ask("POST", "/api/v1/attempts", body, **JSON)


def send(asker, number, attempt, **more):
    given = {"task": "t-attempts", "system": System(**MINE), **LATE} | more
    one = a_submission(number, **given)
    log = {"name": "rows.jsonl", "text": msgspec.json.encode(one).decode(), "attempt": attempt}
    return asker.ask("POST", "/api/v1/agentic/submissions", json.dumps(log).encode(), **JSON)


def ids(answer):
    assert answer.status == 201, answer.text
    return [it["id"] for it in answer.data["attempts"]]


def test_they_are_registered_handed_in_for_and_listed(own_server, max_, store):
    first, second = ids(register(max_, 2))
    assert send(max_, 80, first).status == 201
    found = max_.get("/api/v1/attempts?task=t-attempts").data["items"]
    assert [(it["attempt"], it["submission_id"], it["by"]) for it in found] == [
        (first, the_id(80), "max"), (second, None, "max"),
    ]  # fmt: skip
    assert max_.get("/api/v1/attempts?system=another").data["items"] == []
    told = own_server.nobody.get(f"/api/v1/agentic/submissions/{the_id(80)}").data["attempt"]
    assert (told["number"], told["of"], told["without_result"], told["by"]) == (1, 2, 1, "")
    entry = store.accounts.audit_entries(action="attempt.register")[0]
    assert (entry.actor, entry.object) == ("max", f"{first}, {second}")


def test_the_page_and_the_board_say_how_many_have_no_result(tab, own_server, max_):
    names = ids(register(max_, 7))
    for number, name in enumerate(names[:5]):
        assert send(max_, 80 + number, name).status == 201
    page = own_server.nobody.get(f"/agentic/submissions/{the_id(81)}").text
    assert "Attempt 2 of 7 registered, 2 without a result" in page
    board = "agentic/board?metric=success&profile=classic"
    told = own_server.nobody.get(f"/api/v1/{board}").data["items"]
    (row,) = [it for it in told if it["model"] == MINE["model"]]
    assert (row["registered"], row["without_result"], row["attempts"]) == (7, 2, 7)
    tab.goto(f"{own_server.address}/agentic?metric=success&profile=classic")
    assert "2 of 7 attempts have no result" in tab.inner_text("main")
    assert violations_here(tab) == []


def test_what_does_not_fit_is_refused_with_what_to_do(max_, store):
    (name,) = ids(register(max_))
    answer = send(max_, 80, name, task="another")
    assert (answer.status, "Use an attempt of this system" in answer.text) == (422, True)
    assert send(max_, 80, "a-none").status == 422
    assert send(max_, 80, name).status == 201
    assert send(max_, 81, name).status == 409
    assert {it.id for it in store.submissions()} & {the_id(81)} == set()


def test_who_may_hand_in_may_register(own_server, store):
    assert store
    assert register(own_server.program("submit")).status == 201
    assert register(own_server.browser("vi")).status == 403
    assert register(own_server.program("read")).status == 403
    assert own_server.nobody.get("/api/v1/attempts").status == 401


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": 101}, {"task": "../x"}, {"model": " "}])
def test_odd_ones_are_not_registered(max_, wrong):
    assert register(max_, **{"count": 1} | wrong).status == 422
