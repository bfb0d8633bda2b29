"""Whose account it is, and who joins by themselves."""

import threading
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from benchmaker.accounts.identities import identity, pending_identity
from benchmaker.accounts.oidc_settings import JoinPolicy
from benchmaker.record.account import Role
from benchmaker.store import Store
from tests.web.accounts.oidc.browsers import (
    OLGA,
    agreed,
    begun,
    is_refused,
    name_of,
    signed,
    through,
)

# Whose account it is


def test_somebody_unknown_is_told_whom_to_ask(address, provider):
    provider.conduct.person = {"sub": "another", "preferred_username": "zoe"}
    answer = through(address)

    assert is_refused(answer)
    assert "have no account here" in answer.text


@pytest.mark.parametrize("name", ["max", "olga", "ada"])
def test_the_name_of_somebody_who_is_here_opens_nothing(address, provider, name):
    provider.conduct.person = {
        "sub": "another",
        "preferred_username": name,
        "email": f"{name}@example.org",
        "email_verified": True,
    }

    assert is_refused(through(address))


def test_the_same_subject_at_another_issuer_is_somebody_else(own):
    address, home = own()
    with Store.open(home / "benchmaker.db") as store:
        olga = store.accounts.user("olga")
        store.accounts.set_oidc(olga.id, identity("https://another.example", OLGA["sub"]))

    assert is_refused(through(address))


def test_an_awaited_person_comes_once_and_is_known_from_then_on(own, provider):
    address, home = own(claim="email")
    pia = {"sub": "p", "email": "pia@example.org", "email_verified": True}
    provider.conduct.person = pia
    assert name_of(address, through(address)) == "pia"
    provider.conduct.person = {"sub": "p", "email": "new@example.org", "email_verified": True}
    assert name_of(address, through(address)) == "pia"
    provider.conduct.person = {**pia, "sub": "somebody with that address later on"}
    assert is_refused(through(address))
    with Store.open(home / "benchmaker.db") as store:
        lines = store.accounts.audit_entries(limit=5)
        assert store.accounts.user("pia").oidc == identity(provider.issuer, "p")

    assert ("pia", "user.link", "by Example login") in {
        (it.actor, it.action, it.detail) for it in lines
    }


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_nobody_verified_is_nobodys(own, provider, verified):
    address, _ = own(claim="email")
    person = {"sub": "p", "email": "pia@example.org", "email_verified": verified}
    provider.conduct.person = person

    assert is_refused(through(address))


@pytest.mark.parametrize("said", ["awaits pia@example.org", ["pia@example.org"], "", " ", None, 7])
def test_what_is_no_text_awaits_nobody(own, provider, said):
    address, _ = own()
    provider.conduct.person = {"sub": "p", "preferred_username": said}

    assert is_refused(through(address))


def test_two_who_come_at_once_for_one_account_are_one(own, provider):
    address, _ = own(claim="upn")
    paths = []
    provider.conduct.claims = {"upn": "pia@example.org"}
    for _ in range(6):
        browser, there = begun(address)
        paths.append((browser, agreed(there)))
    subjects = iter(range(6))
    real = provider.id_token

    def another(nonce):
        provider.conduct.claims["sub"] = f"s-{next(subjects)}"
        return real(nonce)

    provider.id_token = another
    answers = []
    threads = [threading.Thread(target=lambda b=b, p=p: answers.append(b.get(p))) for b, p in paths]
    try:
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        del provider.id_token

    assert sum(bool(signed(it)) for it in answers) == 1


def test_who_was_disabled_is_not_let_in(own, provider):
    address, home = own(claim="email")
    with Store.open(home / "benchmaker.db") as store:
        for name in ("olga", "pia"):
            store.accounts.disable(store.accounts.user(name).id)

    assert is_refused(through(address))
    provider.conduct.person = {"sub": "p", "email": "pia@example.org", "email_verified": True}
    assert is_refused(through(address))
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("pia").oidc == pending_identity("pia@example.org")


# Those who join by themselves


BY_DOMAIN = JoinPolicy(team="main", role=Role.VIEWER, domains=("example.org",))
BY_GROUP = JoinPolicy(team="other", role=Role.MEMBER, groups=("benchers",))
ZOE = {"sub": "z", "preferred_username": "Zoe", "email": "zoe@example.org", "email_verified": True}


def test_nobody_joins_unless_that_is_said(own, provider):
    address, home = own()
    provider.conduct.person = ZOE
    assert is_refused(through(address))
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("zoe") is None


@pytest.mark.parametrize(
    ("joining", "person", "is_in"),
    [
        (BY_DOMAIN, ZOE, ("main", Role.VIEWER)),
        (BY_DOMAIN, {**ZOE, "preferred_username": None}, ("main", Role.VIEWER)),
        (BY_DOMAIN, {**ZOE, "email": "zoe@EXAMPLE.ORG"}, ("main", Role.VIEWER)),
        (BY_GROUP, {**ZOE, "groups": ["all", "benchers"]}, ("other", Role.MEMBER)),
        (BY_DOMAIN, {**ZOE, "email_verified": False}, None),
        (BY_DOMAIN, {**ZOE, "email": "zoe@evil.example"}, None),
        (BY_DOMAIN, {**ZOE, "email": "zoe@example.org.evil.example"}, None),
        (BY_DOMAIN, {**ZOE, "email": "zoe@sub.example.org"}, None),
        (BY_DOMAIN, {**ZOE, "email": "example.org"}, None),
        (BY_DOMAIN, {**ZOE, "groups": ["benchers"], "email": None}, None),
        (BY_GROUP, {**ZOE, "groups": ["Benchers"]}, None),
        (BY_GROUP, {**ZOE, "groups": "benchers"}, None),
        (BY_GROUP, ZOE, None),
        (BY_DOMAIN, {**ZOE, "preferred_username": "max"}, None),
        (BY_DOMAIN, {**ZOE, "preferred_username": "pia"}, None),
        (BY_DOMAIN, {**ZOE, "preferred_username": "z"}, None),
        (BY_DOMAIN, {**ZOE, "preferred_username": "zoë"}, None),
        (replace(BY_DOMAIN, team="nosuch"), ZOE, None),
    ],
)
def test_who_may_join_has_an_account_and_nobody_elses(own, provider, joining, person, is_in):
    address, home = own(joining=joining)
    provider.conduct.person = person
    with Store.open(home / "benchmaker.db") as store:
        before = store.accounts.users()
    answer = through(address)
    with Store.open(home / "benchmaker.db") as store:
        after = store.accounts.users()
        zoe = store.accounts.user("zoe")
        roles = [(team.slug, role) for team, role in store.accounts.teams_of(zoe.id)] if zoe else []
        lines = {(it.actor, it.action) for it in store.accounts.audit_entries(limit=5)}

    if is_in is None:
        assert is_refused(answer)
        assert after == before
        return
    assert name_of(address, answer) == "zoe"
    assert roles == [is_in]
    assert ("zoe", "user.add") in lines
    assert name_of(address, through(address)) == "zoe"


@pytest.mark.parametrize(
    ("told", "scope"),
    [
        (["openid", "groups"], "openid profile groups"),
        (["openid"], "openid profile"),
        (None, "openid profile"),
    ],
)
def test_groups_are_asked_for_where_the_provider_knows_them(own, provider, told, scope):
    address, _ = own(joining=BY_GROUP)
    provider.conduct.document = {"scopes_supported": told}
    _, there = begun(address)

    assert parse_qs(urlsplit(there).query)["scope"] == [scope]
