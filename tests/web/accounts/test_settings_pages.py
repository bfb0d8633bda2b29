"""People and teams, secrets, the audit log: what they do, for whom, and how they look."""

import csv
import io

import pytest

from benchmaker.accounts.sealing import SecretSealer
from benchmaker.record.account import AuditEntry
from benchmaker.store import Store
from benchmaker.store.database.paging import encode_cursor
from benchmaker.store.home import Home
from tests.web.accessible import violations_here
from tests.web.accounts.people import PASSWORDS
from tests.web.serving import serving

SECRET = "sk-made-up-0123456789abcdef"  # noqa: S105  made up
PAGES = ("/settings/people", "/settings/secrets", "/settings/audit")
NEW = "seven boats on a grey lake"


@pytest.fixture
def accounts(own_server):
    with Store.open(own_server.home / "benchmaker.db") as store:
        yield store.accounts


def seen(page, server, name, path):
    """The page as somebody who is signed in sees it."""
    page.goto(f"{server.address}/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORDS[name])
    page.get_by_role("button", name="Sign in").click()
    page.goto(server.address + path)


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(tab, own_server, accounts, path):
    sealed = SecretSealer.of(own_server.home, {}).seal(SECRET, team="main", name="OPENAI_API_KEY")
    accounts.put_secret("main", "OPENAI_API_KEY", sealed, by="ada")
    accounts.put_secret("main", "LOST_KEY", b"of another key", by="ada")
    seen(tab, own_server, "ada", path)

    assert violations_here(tab) == []


def test_axe_finds_nothing_on_an_empty_page_and_a_refusal(tab, own_server):
    seen(tab, own_server, "eve", "/settings/secrets")
    assert violations_here(tab) == []
    tab.get_by_label("Variable read by an endpoint").fill("HTTPS_PROXY")
    tab.get_by_label("Value").fill(SECRET)
    with tab.expect_response("**/settings/secrets") as answered:
        tab.get_by_role("button", name="Save").click()
    tab.wait_for_load_state()
    assert answered.value.status == 422
    tab.complaints.clear()  # the browser tells of the status
    assert "can't be set for a team" in tab.get_by_role("alert").inner_text()
    assert violations_here(tab) == []


@pytest.mark.parametrize("path", [*PAGES, "/settings/audit.csv", "/settings/audit.json"])
@pytest.mark.parametrize("name", ["max", "vi"])
def test_only_admins_see_these_pages(signed_server, name, path):
    browser = signed_server.browser(name)

    assert browser.get(path).status == 403
    assert path not in browser.get("/settings/about").text


@pytest.mark.parametrize(("name", "is_named"), [("ada", True), ("max", False), ("vi", False)])
def test_only_admins_see_where_files_are_on_the_server(signed_server, name, is_named):
    text = signed_server.browser(name).get("/settings/prices").text

    assert "prices.yaml" in text
    assert ("/prices.yaml" in text) is is_named


def test_admins_find_them_beside_the_others(signed_server):
    about = signed_server.browser("ada").get("/settings/about").text

    assert all(f'href="{path}"' in about for path in PAGES)


@pytest.mark.parametrize("path", PAGES)
def test_without_accounts_there_are_no_such_pages(demo_home, path):
    from tests.web.test_guard import ask  # noqa: PLC0415  its neighbour's

    with serving(demo_home, works=False) as address:
        assert ask(address, path=path)[0] == 404
        assert path not in ask(address, path="/settings/about")[2]


# Secrets


def test_a_secret_is_entered_once_and_never_shown(own_server, accounts):
    ada = own_server.browser("ada")
    answer = ada.post("/settings/secrets", name="OPENAI_API_KEY", value=f"{SECRET}\n")
    pages = [ada.get(path).text for path in (*PAGES, "/settings/endpoints", "/settings/audit.json")]

    assert answer.status == 303
    assert "OPENAI_API_KEY" in pages[1]
    assert all(SECRET not in text and str(len(SECRET)) + " char" not in text for text in pages)
    assert accounts.secret_names("main")[0].by == "ada"
    assert SECRET.encode() not in accounts.secrets("main")["OPENAI_API_KEY"]
    assert accounts.audit_entries(action="secret.set")[0].object == "OPENAI_API_KEY"
    disk = b"".join(it.read_bytes() for it in own_server.home.rglob("*") if it.is_file())
    assert SECRET.encode() not in disk


def test_endpoints_find_the_key_at_once(own_server):
    ada = own_server.browser("ada")

    def is_set():
        return (
            "<b>set</b>" in ada.get("/settings/endpoints").text.partition(">mistral</bdi>")[2][:600]
        )

    assert not is_set()
    ada.post("/settings/secrets", name="MISTRAL_API_KEY", value=SECRET)
    assert is_set()
    ada.post("/settings/secrets/drop", name="MISTRAL_API_KEY")
    assert not is_set()


def test_a_secret_of_one_team_is_not_anothers(own_server):
    own_server.browser("eve").post("/settings/secrets", name="MISTRAL_API_KEY", value=SECRET)

    assert "MISTRAL_API_KEY</bdi>" not in own_server.browser("ada").get("/settings/secrets").text
    assert own_server.browser("ada").post(
        "/settings/secrets/drop", name="MISTRAL_API_KEY"
    ).status == 404  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("https_proxy", SECRET, "not a valid name of a secret"),
        ("BENCHMAKER_REACH", "any-thing", "can't be set"),
        ("OPENAI_API_KEY", "sh0rt!", "shorter than 8"),
        ("OPENAI_BASE_URL", "http://169.254.169.254/latest", "does not connect"),
        ("OPENAI_BASE_URL", "http://localhost:8000/v1", "does not connect"),
        ("OPENAI_BASE_URL", "https://me:w0rdpass@host/v1", "Not a base URL"),
        ("OPENAI_BASE_URL", SECRET, "Not a base URL"),
        ("OLLAMA_HOST", "10.0.0.7:11434", "does not connect"),
        ("OLLAMA_HOST", "0.0.0.0:11434", "does not connect"),
    ],
)
def test_what_can_be_no_secret_is_refused_and_not_repeated(own_server, accounts, name, value, says):
    answer = own_server.browser("ada").post("/settings/secrets", name=name, value=value)

    assert answer.status == 422
    assert says in answer.text.replace("&#39;", "'")
    assert value not in answer.text
    assert accounts.secret_names("main") == ()
    assert accounts.audit_entries(action="secret.set") == ()


def test_only_so_many_secrets_are_kept(own_server, accounts):
    for number in range(100):
        accounts.put_secret("main", f"A_{number}", b"sealed", by="ada")
    answer = own_server.browser("ada").post("/settings/secrets", name="ONE_MORE", value=SECRET)

    assert answer.status == 422


# People and teams


def test_a_person_is_taken_in_changed_and_taken_out(own_server, accounts):
    ada, noa = own_server.browser("ada"), accounts.user("noa")
    for said, role in (("member", "member"), ("viewer", "viewer"), ("none", None)):
        assert ada.post("/settings/people/role", user="noa", role=said).status == 303
        assert accounts.role(noa.id, "main") == role
    assert [it.detail for it in accounts.audit_entries(action="team.role")] == [
        "none",
        "viewer",
        "member",
    ]


def test_an_admin_changes_their_own_team_alone(own_server, accounts):
    eve = own_server.browser("eve")
    eve.post("/settings/people/role", user="noa", role="member")
    eve.post("/settings/people/team", title="Renamed", public="on")

    assert accounts.role(accounts.user("noa").id, "other") == "member"
    assert accounts.role(accounts.user("noa").id, "main") is None
    assert (accounts.team("other").title, accounts.team("other").is_public) == ("Renamed", True)
    assert not accounts.team("main").is_public


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("add-user", {"user": "new", "password": NEW, "again": NEW, "role": "admin"}),
        ("user", {"user": "ada", "do": "disable"}),
        ("add-team", {"slug": "third", "title": "Third"}),
    ],
)
def test_the_server_is_for_admins_of_main(own_server, accounts, path, fields):
    eve = own_server.browser("eve")

    assert eve.post(f"/settings/people/{path}", **fields).status == 403
    assert accounts.user("new") is None
    assert accounts.user("ada").is_enabled
    assert accounts.team("third") is None
    assert "vi</bdi>" not in eve.get("/settings/people").text


def test_the_last_admin_stays_one(own_server, accounts):
    answer = own_server.browser("ada").post("/settings/people/role", user="ada", role="viewer")

    assert answer.status == 422
    assert accounts.role(accounts.user("ada").id, "main") == "admin"


def test_nobody_shuts_themselves_out(own_server, accounts):
    answer = own_server.browser("ada").post("/settings/people/user", user="ada", do="disable")

    assert answer.status == 422
    assert accounts.user("ada").is_enabled


def test_who_is_shut_out_is_signed_out(own_server):
    ada, maxs = own_server.browser("ada"), own_server.browser("max")
    ada.post("/settings/people/user", user="max", do="disable")
    assert maxs.get("/").wants_sign_in
    ada.post("/settings/people/user", user="max", do="enable")
    assert own_server.browser("max").get("/").status == 200


def test_a_new_person_signs_in_with_their_first_password(own_server):
    from tests.web.accounts.people import sign_in  # noqa: PLC0415  beside what is meant

    ada = own_server.browser("ada")
    fields = {"user": "new", "password": NEW, "again": NEW, "role": "viewer"}
    assert ada.post("/settings/people/add-user", **fields).status == 303
    browser, answer = sign_in(own_server.address, "new", NEW)
    assert answer.status == 303
    assert browser.get("/runs").status == 200


@pytest.mark.parametrize(
    "changed",
    [{"again": "another one entirely"}, {"password": "short", "again": "short"}, {"user": "ADA!"},
     {"user": "ada"}],
)  # fmt: skip
def test_a_person_who_can_not_be_is_refused_and_no_password_shown(own_server, accounts, changed):
    before = len(accounts.users())
    fields = {"user": "new", "password": NEW, "again": NEW, "role": "viewer", **changed}
    answer = own_server.browser("ada").post("/settings/people/add-user", **fields)

    assert answer.status == 422
    assert NEW not in answer.text
    assert len(accounts.users()) == before


def test_a_new_team_has_its_store_and_its_admin(own_server, accounts):
    ada = own_server.browser("ada")

    assert ada.post("/settings/people/add-team", slug="../evil", title="").status == 422
    assert ada.post("/settings/people/add-team", slug="third", title="Third").status == 303
    assert Home(own_server.home).of_team("third").is_there()
    assert accounts.role(accounts.user("ada").id, "third") == "admin"
    ada.post("/account/team", team="third")
    assert ada.get("/runs").status == 200
    assert "team <bdi>third" in ada.get("/settings/people").text


# The audit log


def rows_of(answer):
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_every_change_is_listed_the_newest_first(own_server):
    ada = own_server.browser("ada")
    ada.post("/settings/people/role", user="noa", role="viewer")
    ada.post("/settings/secrets", name="A_KEY", value=SECRET)
    rows = rows_of(ada.get("/settings/audit.csv"))

    assert [it["action"] for it in rows[:3]] == ["secret.set", "team.role", "session.open"]
    assert rows[1]["actor"] == "ada"
    assert (rows[1]["object"], rows[1]["detail"]) == ("noa", "viewer")
    numbers = [int(it["number"]) for it in rows]
    assert numbers == sorted(numbers, reverse=True)


def test_the_log_is_filtered_and_paged(own_server, accounts):
    for number in range(120):
        entry = AuditEntry(actor="ada", action="run.start", object=f"run-{number}")
        accounts.audit(entry)
    ada = own_server.browser("ada")
    first = ada.get("/settings/audit?action=run.")
    assert "run-119" in first.text
    assert "run-69" not in first.text
    rows = ada.get("/settings/audit.json?action=run.&actor=ada").data["audit"]
    assert [it["object"] for it in rows] == [f"run-{it}" for it in range(119, -1, -1)]
    after = first.text.partition('rel="next" href="')[2].partition('"')[0]
    assert "run-69" in ada.get(after.replace("&amp;", "&")).text
    assert ada.get("/settings/audit?after=nonsense").status == 422
    assert ada.get(f"/settings/audit?after={encode_cursor('', 2**63)}").status == 200


def test_the_log_of_another_team_is_not_shown(own_server, accounts):
    accounts.audit(AuditEntry(actor="ada", action="run.start", object="of-main", team="main"))
    accounts.audit(AuditEntry(actor="eve", action="run.start", object="of-other", team="other"))
    eve, ada = own_server.browser("eve"), own_server.browser("ada")

    assert "of-main" not in eve.get("/settings/audit?team=main").text
    assert "of-other" in eve.get("/settings/audit").text
    assert {"of-main", "of-other"} <= {
        it["object"] for it in rows_of(ada.get("/settings/audit.csv"))
    }
    assert "of-main" not in ada.get("/settings/audit?team=other").text


def test_hostile_text_in_the_log_is_text(own_server, accounts):
    evil = "<script>alert(1)</script>\u202e=cmd"
    accounts.audit(AuditEntry(actor=evil, action="run.start", object=evil, detail=f"={evil}"))
    ada = own_server.browser("ada")

    assert "<script>alert" not in ada.get("/settings/audit").text
    assert rows_of(ada.get("/settings/audit.csv?action=run.start"))[0]["detail"].startswith("'=")
