"""What the API does not take, and how it says so."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from benchmaker.spec import Case
from benchmaker.store import Store
from tests.store.filled import a_run, a_suite
from tests.web.api.asking import Client
from tests.web.api.operations import EVERY
from tests.web.serving import serving

HASH = "0" * 64
CHANGING = [one for one in EVERY if one[0] != "GET"]
MISSING = (
    "/nothing",
    "/runs/none",
    "/runs/none/summary",
    "/runs/none/trials",
    "/runs/none/labels/queue",
    "/runs/none/events",
    "/runs/latest/cases/999",
    "/series/s-none",
    f"/suites/{HASH}",
    f"/suites/{HASH}/cases",
    "/jobs/none",
    "/jobs/none/events",
    "/judges/999/calibrations",
    "/calibrations/none",
    "/compare?run=none",
    "/code/runs/none/pages",
    "/code/runs/none/pair",
    f"/code/shots/{HASH}",
    "/code/standings?run=none",
    "/agentic/submissions/none",
    "/agentic/submissions/none/trace",
    "/agentic/tasks/none",
    "/agentic/baselines/none",
    "/agentic/profiles/none",
    "/agentic/board?task=none",
    "/agentic/board?tool=none",
    "/agentic/front?task=none",
    "/agentic/front?system=none",
    "/agentic/usage?tool=none",
    "/agentic/usage?task=none",
)
WRONG = (
    ("/runs?limit=0", "query.limit"),
    ("/runs?limit=501", "query.limit"),
    ("/runs?sort=startd", "query.sort"),
    ("/runs?state=walking", "query.state"),
    ("/runs?stat=finished", "query.stat"),
    ("/runs?after=nowhere", "query.after"),
    ("/suites?after=WyJ4Il0", "query.after"),
    ("/suites/xyz", "path.content"),
    ("/compare?level=2", "query.level"),
    ("/power", "query"),
    ("/code/shots/xyz", "path.sha256"),
    ("/code/runs?after=nowhere", "query.after"),
    ("/agentic/board?metric=beauty", "query.metric"),
    ("/agentic/usage?by=colour", "query.by"),
)


@pytest.mark.quick("every route has to refuse what it must not answer")
@pytest.mark.parametrize(("method", "path"), EVERY)
def test_another_host_is_refused_on_every_route(api, method, path):
    found = api.ask(method, path, headers={"Host": "evil.example"})

    assert found.status == 421
    assert "evil.example" not in found.body.decode()


@pytest.mark.parametrize(("method", "path"), CHANGING)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.quick("every route has to refuse what it must not answer")
def test_another_origin_changes_nothing_on_any_route(api, method, path, headers):
    found = api.ask(method, path, body={}, headers=headers)

    assert found.status == 403
    assert found.error["type"] == "Forbidden"


@pytest.mark.quick("every route has to refuse what it must not answer")
@pytest.mark.parametrize(("method", "path"), EVERY)
def test_without_a_session_nothing_is_answered(locked, method, path):
    found = locked.ask(method, path)

    assert found.status == 401
    assert "benchmaker serve" in found.error["message"]


@pytest.fixture(scope="module")
def locked(api, tmp_path_factory):
    """A server that wants a session; what its answers promise another one says."""
    with serving(tmp_path_factory.mktemp("locked"), works=False, token="t") as address:
        made = Client(address)
        made.__dict__["document"] = api.document
        yield made


def test_every_error_has_the_same_shape(api):
    for path in MISSING:
        error = api.ask("GET", path).error
        assert set(error) == {"type", "status", "message", "where", "hint", "findings"}


@pytest.mark.parametrize("path", MISSING)
def test_what_is_not_there_is_404(api, path):
    found = api.ask("GET", path)

    assert found.status == 404, found.body
    assert found.error["status"] == 404
    assert found.error["message"].endswith(".")


@pytest.mark.parametrize("path", ["/agentic/board", "/agentic/front"])
def test_a_board_of_an_unknown_name_is_404_with_the_nearest(api, path):
    tasks = {one["task"] for one in api.get("/agentic/submissions")["items"]} - {None}
    name = min(tasks)
    error = api.ask("GET", f"{path}?task={quote(name)}x").error
    assert (error["status"], error["where"]) == (404, "query.task")
    assert error["message"] == f"there is no task '{name}x'."
    assert error["hint"].startswith("Did you mean '")
    error = api.ask("GET", f"{path}?task=0123456789").error
    assert error["hint"] == "See /api/v1/agentic/tasks."


@pytest.mark.parametrize("path", [one for one in MISSING if "none" in one])
def test_nor_is_what_no_file_could_be_called(api, path):
    assert api.ask("GET", path.replace("none", quote("é" * 150))).status in {404, 422}


@pytest.mark.parametrize(("path", "where"), WRONG)
def test_a_wrong_word_is_named_with_what_to_do(api, path, where):
    found = api.ask("GET", path)

    assert found.status == 422, found.body
    assert found.error["where"] == where or found.error["findings"][0]["where"] == where
    assert found.error["hint"]


def test_another_method_is_405_and_says_which_it_takes(api):
    found = api.ask("PUT", "/runs")

    assert found.status == 405
    assert found.headers["allow"]
    assert found.error["type"] == "MethodNotAllowed"


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_another_type_than_json_is_415(api, kind):
    found = api.ask("POST", "/runs", body={}, headers={"Content-Type": kind})

    assert found.status == 415
    assert "application/json" in found.error["message"]


def test_json_where_a_file_is_meant_is_415(api):
    assert api.ask("POST", "/suites/import", body={}).status == 415


def test_what_is_no_json_is_refused(api):
    for body in (b"{", b"\xff\xfe", b"[]", b'"x"', b"nul"):
        found = api.ask("POST", "/runs", body=body)
        assert found.status in {400, 422}, body
        assert found.error["message"]


def test_too_much_is_413(api):
    found = api.ask("POST", "/runs", body=b"{}", headers={"Content-Length": "5000000"})

    assert found.status == 413


def test_an_unknown_size_is_411(api):
    found = api.ask("POST", "/runs", body=b"{}", headers={"Transfer-Encoding": "chunked"})

    assert found.status in {411, 400}


def test_every_fault_of_a_body_is_told(api):
    found = api.ask("POST", "/runs", body={"runs": 0, "limit": "x", "colour": "red"})

    places = {one["where"] for one in found.error["findings"]}
    assert places == {"body.runs", "body.limit", "body.colour"}


def test_a_program_is_no_model_here(api):
    found = api.ask("POST", "/runs", body={"models": ["command:rm -rf /"]})

    assert found.status == 422
    assert "starts a program" in found.error["message"]


def test_a_missing_key_is_424_and_says_which(api):
    found = api.ask("POST", "/runs", body={"models": ["openai/gpt-5"]})

    assert found.status == 424
    assert "OPENAI_API_KEY" in found.error["message"]


def test_no_key_is_ever_shown(full_home):
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"  # noqa: S105  nobody's
    with serving(full_home, works=False, environ={"OPENAI_API_KEY": secret}) as address:
        client = Client(address)
        rows = client.rows("/endpoints")
        found = [client.ask("GET", f"/{one}").body for one in ("endpoints", "about", "models")]

    own = next(row for row in rows if row["name"] == "openai")
    assert own["key_set"] == "OPENAI_API_KEY"
    assert not any(secret.encode() in body or secret[-8:].encode() in body for body in found)


def test_answers_hide_what_looks_like_a_key(tmp_path):
    from tests.web.results_data import HOSTILE_RUNS, SECRET, hostile_home  # noqa: PLC0415  large

    with serving(hostile_home(Path(tmp_path, "home")), works=False) as address:
        client = Client(address)
        for path in (f"/runs/{HOSTILE_RUNS[0]}/trials", f"/runs/{HOSTILE_RUNS[0]}/trials/0/0"):
            found = client.ask("GET", path)
            assert found.status == 200
            assert SECRET.encode() not in found.body
            assert "[redacted]" in json.dumps(found.data)


def test_groups_of_a_run_without_answers_can_not_be_compared(own, own_home):
    suite = a_suite(cases=(Case(id="c", prompt="What?", expected="42", category="sums"),))
    run = a_run(suite, "20990101-none1", models=("a", "b"))
    with Store.open(own_home / "benchmaker.db") as store:
        store.put_suite(suite)
        store.add_run(run)

    found = own.ask("GET", "/compare/groups", run=run.id, by="category")

    assert found.status == 422, found.body
    assert found.error["message"].startswith("No category can be compared. None of their cases")
