import json

import pytest

from benchmaker.record import RunState
from benchmaker.store import Store
from benchmaker.store.database import account_tables
from benchmaker.web.accounts.audit import made_in
from tests.databases import direct_transaction
from tests.web.accounts.people import JSON, PASSWORDS, sign_in
from tests.web.serving import apps


@pytest.fixture
def lines(own_server):
    """The log, the newest line first."""

    def read(**words):
        return apps[own_server.address].state.signed.accounts.audit_entries(**words)

    return read


def test_a_change_is_written_down_with_who_and_what(own_server, lines):
    ada = own_server.browser("ada")
    run = ada.get("/api/v1/runs").data["items"][0]["run_id"]

    assert ada.ask("DELETE", f"/api/v1/runs/{run}", X_Request_Id="from-a-test").status == 200

    line = lines(limit=1)[0]
    assert (line.actor, line.action, line.object) == ("ada", "run.delete", run)
    assert (line.team, line.address, line.request_id) == ("main", "127.0.0.1", "from-a-test")
    assert line.at.endswith("Z")


def test_a_token_is_named_with_its_person(own_server, lines):
    program = own_server.program("write")
    suite = json.dumps(
        {
            "name": "one more",
            "scorer": "exact",
            "cases": [{"id": "a", "prompt": "1+1", "expected": "2"}],
        }
    )

    answer = program.ask("POST", "/api/v1/suites", suite, **JSON)

    assert answer.status == 201, answer.text
    line = lines(limit=1)[0]
    assert (line.actor, line.action) == ("token a program of ada", "suite.add")
    assert line.object in answer.text
    assert len(line.object) == 64


def test_what_was_refused_is_not(own_server, lines):
    before = lines(limit=1)
    ada, vi = own_server.browser("ada"), own_server.program("vi-admin")
    signed = lines(limit=1)
    assert ada.ask("DELETE", "/api/v1/runs/nosuch").status == 404
    assert vi.ask("DELETE", "/api/v1/runs/nosuch").status == 403
    assert ada.post("/suites").status == 422
    assert ada.ask("DELETE", "/api/v1/runs/nosuch", Origin="http://evil.example").status == 403
    assert sign_in(own_server.address, "ada", "not the password")[1].status == 422

    assert lines(limit=1) == signed != before


def test_reading_is_not(own_server, lines):
    ada = own_server.browser("ada")
    signed = lines(limit=1)
    for path in ("/", "/runs", "/api/v1/runs", "/account"):
        assert ada.get(path).status == 200

    assert lines(limit=1) == signed


def test_signing_in_and_out_is(own_server, lines):
    browser = own_server.browser("max")
    browser.post("/sign-out")

    out, into = lines(limit=2)
    assert (into.actor, into.action, into.object) == ("max", "session.open", "max")
    assert (out.actor, out.action) == ("max", "session.close")


def test_no_secret_is_ever_in_it(own_server, lines):
    ada = own_server.browser("ada")
    page = ada.post("/account/tokens", token="nightly", scope_read="on", days="7")
    secret = page.text.partition('id="secret">')[2].partition("<")[0]
    new = "another four odd words"
    changed = ada.post("/account/password", password=PASSWORDS["ada"], new=new, again=new)
    assert changed.status == 303

    told = str(lines(limit=50))
    assert secret.startswith("bm_")
    assert secret not in told
    assert new not in told
    assert PASSWORDS["ada"] not in told


def test_a_decision_on_a_page_says_what_it_is_about(own_server, lines):
    """A vote, a label and a review carry the name of whoever is signed in; see test_names."""
    ada = own_server.browser("ada")
    ada.post("/account/sessions", do="others")

    line = lines(limit=1)[0]
    assert (line.action, line.object) == ("session.revoke", "ada")
    assert line.detail.startswith("all others")


def test_what_can_not_be_written_down_is_not_said_to_be_done(own_server):
    ada = own_server.browser("ada")
    with (
        Store.open(own_server.home / "benchmaker.db") as store,
        direct_transaction(store) as connection,
    ):
        account_tables.audit_log.drop(connection)

    answer = ada.post("/account/tokens", token="x", scope_read="on", days="7")

    assert answer.status == 503
    assert "bm_" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert ada.get("/account").status == 200


def test_nothing_is_written_where_there_are_no_accounts(home):
    from tests.web.serving import serving  # noqa: PLC0415  one test
    from tests.web.test_guard import ask  # noqa: PLC0415

    with serving(home, works=False) as address:
        theme = {"Content-Type": "application/x-www-form-urlencoded"}
        assert ask(address, "POST", "/preferences/theme", theme, "theme=dark")[0] == 303
        run = json.loads(ask(address, path="/api/v1/runs")[2])["items"][0]["run_id"]
        assert ask(address, "DELETE", f"/api/v1/runs/{run}")[0] == 200
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.audit_entries() == ()
        assert store.accounts.teams() == ()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"run_ids": ["r-1"], "series_id": null}', "r-1"),
        (b'{"submissions": ["a", "b"]}', "a, b"),
        (b'{"attempts": [{"id": "a-1", "number": 1}, {"id": "a-2"}]}', "a-1, a-2"),
        (b"[1]", ""),
        (b"no json", ""),
        (b'{"other": 1}', ""),
        (memoryview(b"{}"), ""),
    ],
)
def test_what_was_made_is_found_in_an_answer(body, name):
    assert made_in(body) == name


def test_control_of_a_run_is_written_down_and_not_for_viewers(own_server, lines):
    with Store.open(own_server.home / "benchmaker.db") as store:
        run = store.runs(limit=1)[0]
        store.set_run_state(run.id, RunState.INTERRUPTED)
    body = json.dumps({"action": "pause"})
    path = f"/api/v1/runs/{run.id}/control"

    assert own_server.browser("vi").ask("POST", path, body, **JSON).status == 403
    assert own_server.program("read").ask("POST", path, body, **JSON).status == 403
    answer = own_server.browser("max").ask("POST", path, body, **JSON)

    assert answer.status == 200, answer.text
    assert answer.data["commands"][0]["actor"] == "max"
    assert answer.data["state"] == "paused"
    line = lines(limit=1)[0]
    assert (line.actor, line.action, line.object) == ("max", "run.control", run.id)
    assert line.detail == "pause"
