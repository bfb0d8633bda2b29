import pytest

from benchmaker.record.account import Role
from benchmaker.store import Store
from tests.web.accessible import scrolls_sideways, violations_here
from tests.web.accounts.people import PASSWORDS, sign_in, with_token

NEW = "eight other words of mine"


def secret_of(answer):
    assert answer.status == 200, answer.text
    return answer.text.partition('id="secret">')[2].partition("<")[0]


def made(browser, *scopes, name="nightly", days="30"):
    fields = {f"scope_{it}": "on" for it in scopes}
    return browser.post("/account/tokens", token=name, days=days, **fields)


def test_a_token_is_shown_once_and_works_at_once(own_server):
    browser = own_server.browser("ada")
    secret = secret_of(made(browser, "read"))

    assert with_token(own_server.address, secret).get("/api/v1/runs").status == 200
    page = browser.get("/account").text
    assert "nightly" in page
    assert secret not in page


def test_a_token_goes_no_further_than_its_person(own_server):
    program = with_token(own_server.address, secret_of(made(own_server.browser("vi"), "admin")))

    assert program.get("/api/v1/runs").status == 200
    assert program.ask("DELETE", "/api/v1/runs/x").status == 403


def test_a_revoked_token_opens_nothing(own_server):
    browser = own_server.browser("ada")
    program = with_token(own_server.address, secret_of(made(browser, "read")))
    token_id = browser.get("/account").text.partition('name="id" value="t-')[2][:12]

    assert browser.post("/account/tokens/revoke", id=f"t-{token_id}").status == 303
    assert program.get("/api/v1/runs").status == 401


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"token": "", "scope_read": "on"}, "needs a name"),
        ({"token": "x" * 61, "scope_read": "on"}, "needs a name"),
        ({"token": "x"}, "at least one scope"),
        ({"token": "x", "scope_root": "on"}, "at least one scope"),
    ],
)
def test_a_token_that_can_not_be_is_refused(own_server, fields, says):
    answer = own_server.browser("ada").ask("POST", "/account/tokens", fields)

    assert (answer.status, says in answer.text) == (422, True)
    assert "bm_" not in answer.text


def test_an_odd_time_is_a_short_one(own_server):
    browser = own_server.browser("ada")
    secret_of(made(browser, "read", days="99999"))
    with Store.open(own_server.home / "benchmaker.db") as store:
        newest = store.accounts.tokens(user_id=store.accounts.user("ada").id)[0]
    assert newest.made_at[:7] <= newest.expires_at[:7] < "2999"
    assert newest.expires_at is not None


def test_nobody_revokes_what_is_another_persons(own_server):
    with Store.open(own_server.home / "benchmaker.db") as store:
        adas = store.accounts.tokens(user_id=store.accounts.user("ada").id)[0]
    own_server.browser("ada")
    with Store.open(own_server.home / "benchmaker.db") as store:
        session = store.accounts.sessions(store.accounts.user("ada").id)[0]
    max_ = own_server.browser("max")

    assert max_.post("/account/tokens/revoke", id=adas.id).status == 404
    assert max_.post("/account/sessions", id=session.id).status == 404


def test_one_sign_in_or_all_others_are_ended(own_server):
    first, second, third = (own_server.browser("ada") for _ in range(3))
    with Store.open(own_server.home / "benchmaker.db") as store:
        sessions = store.accounts.sessions(store.accounts.user("ada").id)
    oldest = min(sessions, key=lambda it: it.made_at)

    assert third.post("/account/sessions", id=oldest.id).status == 303
    assert [it.get("/").status for it in (first, second, third)] == [303, 200, 200]
    assert third.post("/account/sessions", do="others").status == 303
    assert [it.get("/").status for it in (second, third)] == [303, 200]


def test_another_password_ends_every_other_sign_in(own_server):
    here, there = own_server.browser("max"), own_server.browser("max")
    answer = here.post("/account/password", password=PASSWORDS["max"], new=NEW, again=NEW)

    assert answer.status == 303
    fresh = answer.cookies[0].partition(";")[0]
    assert fresh != here.headers["Cookie"]
    assert [it.get("/").status for it in (here, there)] == [303, 303]
    here.headers["Cookie"] = fresh
    assert here.get("/").status == 200
    assert sign_in(own_server.address, "max")[1].status == 422
    assert sign_in(own_server.address, "max", NEW)[1].status == 303


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"password": "not mine, this one", "new": NEW, "again": NEW}, "Wrong password"),
        (
            {"password": PASSWORDS["max"], "new": NEW, "again": NEW + "!"},
            "The two new passwords differ",
        ),
        ({"password": PASSWORDS["max"], "new": "short", "again": "short"}, "shorter than 12"),
        ({"password": PASSWORDS["max"], "new": "maxmaxmaxmax", "again": "maxmaxmaxmax"}, "easy"),
    ],
)
def test_a_password_that_can_not_be_is_refused(own_server, words, says):
    browser = own_server.browser("max")
    answer = browser.ask("POST", "/account/password", words)

    assert (answer.status, says in answer.text) == (422, True)
    assert sign_in(own_server.address, "max")[1].status == 303


def test_one_in_two_teams_goes_from_one_to_the_other(own_server):
    with Store.open(own_server.home / "benchmaker.db") as store:
        store.accounts.set_role("other", store.accounts.user("ada").id, Role.VIEWER)
    browser = own_server.browser("ada")
    assert "Current team" in browser.get("/account").text

    assert browser.post("/account/team", team="other").status == 303
    assert "team <bdi>other</bdi>" in browser.get("/account").text
    assert browser.ask("DELETE", "/api/v1/runs/x").status == 403
    assert browser.post("/account/team", team="main").status == 303
    assert browser.ask("DELETE", "/api/v1/runs/x").status == 404


@pytest.mark.parametrize("width", [375, 1440])
def test_the_pages_are_accessible(tab, own_server, width):
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(f"{own_server.address}/runs")
    assert violations_here(tab) == []
    tab.get_by_label("Name").fill("ada")
    tab.get_by_label("Password").fill(PASSWORDS["ada"])
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_url("**/runs")
    tab.get_by_role("link", name="Account of ada").click()
    tab.wait_for_url("**/account")
    tab.get_by_label("Name of the new token").fill("nightly")
    tab.get_by_role("button", name="Create token").click()
    tab.wait_for_load_state()

    assert tab.locator("#secret").inner_text().startswith("bm_")
    assert violations_here(tab) == []
    assert not scrolls_sideways(tab)


def test_the_pages_read_without_script(chromium, own_server):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_server.address}/account")
    page.get_by_label("Name").fill("vi")
    page.get_by_label("Password").fill(PASSWORDS["vi"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    assert page.locator("h1").inner_text() == "Account"
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_load_state()
    assert page.locator("h1").inner_text() == "Sign in"
    context.close()
