"""A moderated team over the web: who has to wait, who sees what waits, and the word on it."""

import json

import msgspec
import pytest

from benchmaker.accounts import tokens
from benchmaker.record.account import TokenScope
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id
from tests.web.accessible import violations_here
from tests.web.accounts.people import JSON, PASSWORDS, with_token

NEW = the_id(70)
PUBLIC = (
    "/agentic", "/agentic.json", "/agentic/submissions", "/agentic/submissions.json",
    "/agentic/submissions.csv", "/agentic/tasks", "/agentic/usage", "/agentic/usage.json",
    f"/agentic/search?q={NEW}", "/agentic/search?q=waited-model", "/agentic/bias",
    "/agentic/trend", "/agentic/baselines", "/api/v1/agentic/submissions",
    "/api/v1/agentic/board", "/api/v1/agentic/boards", "/api/v1/agentic/tasks",
    "/api/v1/agentic/usage?by=model", "/api/v1/agentic/baselines",
)  # fmt: skip
CLOSED = (
    f"/agentic/submissions/{NEW}", f"/agentic/submissions/{NEW}.json",
    f"/agentic/submissions/{NEW}/trace", f"/agentic/submissions/{NEW}/cost",
    f"/agentic/compare?ids={NEW}", f"/api/v1/agentic/submissions/{NEW}",
    f"/api/v1/agentic/submissions/{NEW}/trace", f"/api/v1/agentic/submissions/{NEW}/explain",
    f"/api/v1/agentic/submissions/{NEW}/evaluation", f"/api/v1/agentic/compare?id={NEW}",
)  # fmt: skip


@pytest.fixture
def store(own_server):
    with Store.open(own_server.home / "benchmaker.db") as opened:
        opened.accounts.set_team("main", is_public=True, is_moderated=True)
        yield opened


@pytest.fixture
def max_(own_server, store):
    assert store
    return own_server.browser("max")


@pytest.fixture
def ada(own_server, store):
    assert store
    return own_server.browser("ada")


def a_log(number=70, **more):
    system = msgspec.structs.replace(a_submission(1).system, model="waited-model")
    one = a_submission(number, task="waited-task", **({"system": system} | more))
    return {"name": "rows.jsonl", "text": msgspec.json.encode(one).decode()}


def send(asker, log=None, **headers):
    body = json.dumps(log or a_log()).encode()
    answer = asker.ask("POST", "/api/v1/agentic/submissions", body, **JSON, **headers)
    assert answer.status == 201, answer.text
    return answer.data


def decide(asker, do, name=NEW, **more):
    body = json.dumps({"do": do, **more}).encode()
    return asker.ask("POST", f"/api/v1/submissions/{name}/moderation", body, **JSON)


@pytest.mark.parametrize("prefer", ["", "respond-async"])
def test_a_member_waits_and_an_admin_does_not(max_, ada, store, prefer):
    told = send(max_, Prefer=prefer)
    assert (told["waiting"], told["submissions"], told["evaluations"]) == ([NEW], [NEW], [])
    assert send(ada, a_log(71), Prefer=prefer)["waiting"] == []
    assert {it.id for it in store.submissions()} & {NEW, the_id(71)} == {the_id(71)}
    assert store.agentic.find_pending(NEW).step.by == "max"


def test_a_token_waits_unless_it_is_an_admins_with_the_scope_of_one(own_server, store):
    assert send(own_server.program("submit"))["waiting"] == [NEW]
    assert send(own_server.program("admin"), a_log(71))["waiting"] == []
    secret = tokens.new_secret()
    user = store.accounts.user("max")
    store.accounts.add_token(
        user.id, "main", name="ci", scopes=tuple(TokenScope), secret_hash=tokens.hash_secret(secret)
    )
    log = a_log(72)
    assert send(with_token(own_server.address, secret), log)["waiting"] == [the_id(72)]


def test_no_public_page_and_no_public_answer_tells_of_it(own_server, max_):
    nobody = own_server.nobody
    before = {path: nobody.get(path).body for path in PUBLIC}
    send(max_)
    assert {path: nobody.get(path).body for path in PUBLIC} == before
    for path in CLOSED:
        answer = nobody.get(path)
        assert answer.status == 404, path
        assert "waited-model" not in answer.text
    number = max_.get("/api/v1/moderation").data["items"][0]["number"]
    for path in (f"/agentic/submissions/{number}", f"/api/v1/agentic/submissions/{number}"):
        assert nobody.get(path).status == 404
    assert nobody.get("/api/v1/moderation").status == 401


def test_the_team_sees_it_with_its_figures_and_its_trace(own_server, max_):
    send(max_)
    number = max_.get("/api/v1/moderation").data["items"][0]["number"]
    for name in ("max", "ada", "vi"):
        browser = own_server.browser(name)
        page = browser.get(f"/agentic/submissions/{number}")
        assert page.status == 200
        assert "awaiting moderation" in page.text
        assert "waited-model" in page.text
        assert NEW in browser.get("/agentic/submissions").text
        told = browser.get(f"/api/v1/agentic/submissions/{NEW}").data
        assert (told["evaluations"], told["moderation"][0]["state"]) == ([], "waiting")
        for end in ("/trace", "/cost", ".json"):
            assert browser.get(f"/agentic/submissions/{number}{end}").status == 200, end
        for end in ("/trace", "/explain"):
            assert browser.get(f"/api/v1/agentic/submissions/{NEW}{end}").status == 200, end


def test_accepted_everybody_sees_it_and_the_log_says_who(own_server, max_, ada, store):
    send(max_)
    answer = decide(ada, "accept", note="looks right")
    assert (answer.status, answer.data["settled"][:1]) == (200, ["robust/2"])
    assert answer.data["moderation"]["actor"] == "ada"
    assert own_server.nobody.get(f"/agentic/submissions/{NEW}").status == 200
    assert "waited-task" in own_server.nobody.get("/agentic/tasks").text
    entry = store.accounts.audit_entries(action="moderation.decide")[0]
    assert (entry.actor, entry.object, entry.detail) == ("ada", NEW, "accepted")
    assert decide(ada, "accept").status == 409


def test_rejected_its_submitter_reads_why_and_nobody_else_anything(own_server, max_, ada):
    send(max_)
    assert decide(ada, "reject").status == 422
    assert decide(ada, "reject", note="tests were changed").status == 200
    assert "tests were changed" in max_.get(f"/agentic/submissions/{NEW}").text
    again = send(max_)
    assert (again["waiting"], again["rejected"]) == ([], [NEW])
    assert own_server.nobody.get(f"/agentic/submissions/{NEW}").status == 404
    assert max_.get("/api/v1/moderation?state=rejected").data["items"][0]["note"]


def test_a_revision_of_what_was_accepted_waits_and_both_are_to_be_seen(own_server, max_, ada):
    send(max_)
    decide(ada, "accept")
    assert send(max_, a_log(tool_calls=777))["waiting"] == [NEW]
    shown = own_server.nobody.get(f"/api/v1/agentic/submissions/{NEW}").data
    assert (shown["submission"]["tool_calls"], shown["moderation"]) == (3, [])
    number = ada.get("/api/v1/moderation").data["items"][0]["number"]
    waiting = ada.get(f"/api/v1/agentic/submissions/{number}").data
    assert waiting["submission"]["tool_calls"] == 777
    assert decide(ada, "accept", number=number + 1).status == 409
    assert decide(ada, "accept", number=number).status == 200
    shown = own_server.nobody.get(f"/api/v1/agentic/submissions/{NEW}").data
    assert shown["submission"]["tool_calls"] == 777


def test_only_admins_decide(own_server, max_):
    send(max_)
    for name in ("max", "vi"):
        assert decide(own_server.browser(name), "accept").status == 403
    assert decide(own_server.program("write"), "accept").status == 403
    assert max_.post("/agentic/moderation", n="1", do="accept").status == 403


def test_the_form_of_a_member_leads_to_what_waits(max_, store):
    one = a_log()["text"]
    boundary = "x" * 20
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="rows.jsonl"\r\n'
        f"\r\n{one}\r\n--{boundary}--\r\n"
    ).encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    staged = max_.ask("POST", "/agentic/submit", body, **kind)
    assert staged.status == 303, staged.text
    kept = max_.post(staged.headers["location"], do="keep", task="")
    number = store.agentic.find_pending(NEW).step.number
    assert kept.headers["location"] == f"/agentic/submissions/{number}"


def test_a_team_that_is_not_moderated_lets_everything_count(own_server, max_, store):
    store.accounts.set_team("main", is_moderated=False)
    assert send(max_)["waiting"] == []
    assert own_server.nobody.get(f"/agentic/submissions/{NEW}").status == 200


def sign_in(tab, server, name):
    tab.goto(f"{server.address}/sign-in")
    tab.get_by_label("Name").fill(name)
    tab.get_by_label("Password").fill(PASSWORDS[name])
    tab.get_by_role("button", name="Sign in").click()


def test_an_admin_works_through_the_queue(tab, own_server, max_, store):
    send(max_)
    send(max_, a_log(71))
    sign_in(tab, own_server, "ada")
    tab.goto(own_server.address)
    tab.get_by_role("link", name="2 submissions to moderate").click()
    tab.wait_for_load_state()
    assert violations_here(tab) == []
    tab.get_by_role("button", name="Accept item 1").click()
    tab.get_by_label("Note, on item 1").fill("the tests were changed")
    tab.get_by_role("button", name="Reject item 1").click()
    tab.wait_for_load_state()
    assert "No submissions await moderation." in tab.inner_text("main")
    assert violations_here(tab) == []
    states = {it.submission_id: str(it.state) for it in store.agentic.moderation()}
    assert states == {NEW: "accepted", the_id(71): "rejected"}
    number = store.agentic.find_pending(the_id(71)).step.number
    tab.goto(f"{own_server.address}/agentic/submissions/{number}")
    assert "the tests were changed" in tab.inner_text("main")
    assert violations_here(tab) == []


def test_an_admin_switches_it_in_the_people_page(tab, own_server, store):
    sign_in(tab, own_server, "ada")
    tab.goto(f"{own_server.address}/settings/people")
    tab.get_by_label("Submissions by non-admins wait for approval by an admin").uncheck()
    tab.get_by_role("button", name="Save").click()
    assert not store.accounts.team("main").is_moderated
    assert store.accounts.team("main").is_public
