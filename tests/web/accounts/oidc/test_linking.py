"""Being known by an identity elsewhere, beside a password."""

from benchmaker.accounts.identities import identity
from benchmaker.store import Store
from benchmaker.web.accounts.oidc.sign_in_state import COOKIE
from tests.web.accounts.oidc.browsers import (
    agreed,
    begun,
    held,
    is_refused,
    leads_to,
    name_of,
    signed,
    through,
)
from tests.web.accounts.people import PASSWORDS, Asker, sign_in

# Linking


LINK, UNLINK = "/account/identity/link", "/account/identity/unlink"
MAX = {"sub": "max there", "preferred_username": "m.x"}


def test_who_is_signed_in_links_it_and_may_sign_in_with_it(own, provider):
    address, home = own()
    provider.conduct.person = MAX
    browser, _ = sign_in(address, "max")
    away, there = begun(address, asker=browser, path=LINK, password=PASSWORDS["max"])
    answer = away.get(agreed(there))

    assert (answer.status, leads_to(answer), signed(answer)) == (200, "/account", None)
    assert browser.get("/").status == 200
    assert "You sign in with" in browser.get("/account").text
    assert name_of(address, through(address)) == "max"
    assert sign_in(address, "max")[1].status == 303
    with Store.open(home / "benchmaker.db") as store:
        lines = {(it.actor, it.action) for it in store.accounts.audit_entries(limit=9)}
    assert ("max", "user.link") in lines

    assert browser.post(UNLINK).status == 303
    assert is_refused(through(address))
    assert sign_in(address, "max")[1].status == 303


def test_it_takes_the_password(own):
    address, _ = own()
    browser, _ = sign_in(address, "max")
    answer = browser.post(LINK, password="not the password")

    assert (answer.status, "Wrong password" in answer.text) == (422, True)
    assert held(answer, COOKIE) is None


def test_nobody_links_what_is_somebody_elses(own):
    address, home = own()
    browser, _ = sign_in(address, "max")
    away, there = begun(address, asker=browser, path=LINK, password=PASSWORDS["max"])

    assert is_refused_page(away.get(agreed(there)))
    assert name_of(address, through(address)) == "olga"
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("max").oidc == ""


def is_refused_page(answer):
    assert (answer.status, "failed" in answer.text) == (422, True)
    return signed(answer) is None


def test_whoever_signed_out_meanwhile_links_nothing(own, provider):
    address, home = own()
    provider.conduct.person = MAX
    browser, _ = sign_in(address, "max")
    away, there = begun(address, asker=browser, path=LINK, password=PASSWORDS["max"])
    browser.post("/sign-out")

    assert is_refused_page(away.get(agreed(there)))
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("max").oidc == ""


def test_one_who_is_linked_is_not_linked_to_another(own, provider):
    address, home = own()
    provider.conduct.person = MAX
    for subject, works in (("first", True), ("second", False)):
        provider.conduct.person = {"sub": subject}
        browser, _ = sign_in(address, "max")
        away, there = begun(address, asker=browser, path=LINK, password=PASSWORDS["max"])
        assert (away.get(agreed(there)).status == 200) is works
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("max").oidc == identity(provider.issuer, "first")


def test_without_a_password_it_stays_linked(own):
    address, _ = own()
    browser = Asker(address, signed(through(address)))
    page = browser.get("/account").text
    assert "you cannot unlink it" in page
    assert "Change password" not in page

    assert browser.post(UNLINK).status == 422
    assert signed(through(address))
