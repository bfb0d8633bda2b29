import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.accounts.identities import awaited_value, identity, is_claim_value, pending_identity
from benchmaker.accounts.oidc_settings import JoinPolicy, OidcSettings
from benchmaker.errors import SpecError
from benchmaker.record.account import Role

GOOD = {"issuer": "https://login.example.org", "client_id": "bench", "client_secret": "s" * 20}


@pytest.mark.parametrize(
    "issuer",
    [
        "https://login.example.org",
        "https://login.example.org/realms/main",
        "https://login.example.org:8443/",
        "http://localhost:9000",
        "http://127.0.0.1:9000/a",
        "http://[::1]:9000",
        "https://10.0.0.7",
    ],
)
def test_an_issuer_is_an_address_that_is_encrypted_or_on_this_machine(issuer):
    assert OidcSettings(**{**GOOD, "issuer": issuer}).issuer == issuer


@pytest.mark.parametrize(
    "issuer",
    [
        "",
        "login.example.org",
        "http://login.example.org",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "ftp://login.example.org",
        "https://",
        "https://ada:secret@login.example.org",
        "https://login.example.org#a",
        "https://login.example.org?a=b",
        "https://login.example.org?",
        "https://login.example.org:99999",
        "https://login.exämple.org",
        "https://login.example.org/a b",
        "https://[::1",
        "https://login.example.org/" + "a" * 1_000,
    ],
)
def test_what_is_none_is_refused_with_what_to_do(issuer):
    with pytest.raises(SpecError) as found:
        OidcSettings(**{**GOOD, "issuer": issuer})
    assert found.value.hint


@pytest.mark.parametrize(
    "words",
    [
        {"client_id": ""},
        {"client_secret": ""},
        {"client_secret": "a\nb"},
        {"client_secret": " a"},
        {"name": "x" * 41},
        {"name": "a\nb"},
        {"claim": ""},
        {"claim": "two words"},
    ],
)
def test_what_is_missing_or_odd_is_refused_and_no_secret_is_repeated(words):
    with pytest.raises(SpecError) as found:
        OidcSettings(**{**GOOD, **words})
    assert GOOD["client_secret"] not in str(found.value)


def test_the_secret_is_not_printed():
    assert GOOD["client_secret"] not in repr(OidcSettings(**GOOD))


def test_the_button_says_the_name_else_the_host():
    assert OidcSettings(**GOOD).display_name == "login.example.org"
    assert OidcSettings(**GOOD, name="Example login").display_name == "Example login"


def test_no_more_is_asked_for_than_is_looked_at():
    by_domain = JoinPolicy(team="main", role=Role.VIEWER, domains=("example.org",))
    by_group = JoinPolicy(team="main", role=Role.VIEWER, groups=("all",))

    assert OidcSettings(**GOOD).scopes == ("openid", "profile")
    assert OidcSettings(**GOOD, claim="email").scopes == ("openid", "profile", "email")
    assert OidcSettings(**GOOD, joining=by_domain).scopes == ("openid", "profile", "email")
    assert OidcSettings(**GOOD, joining=by_group).scopes == ("openid", "profile", "groups")


@pytest.mark.parametrize(
    ("text", "domains", "says"),
    [
        ("main", ("example.org",), "not a team and role"),
        ("main:owner", ("example.org",), "not a team and role"),
        ("main:admin", ("example.org",), "join as admin is not allowed"),
        ("main:viewer", (), "no rule for automatic join"),
        ("main:viewer", ("@example.org",), "is not an e-mail domain"),
        ("main:viewer", ("Example.org",), "is not an e-mail domain"),
        ("main:viewer", ("*",), "is not an e-mail domain"),
        ("main:viewer", ("org",), "is not an e-mail domain"),
    ],
)
def test_joining_that_can_not_be_is_refused(text, domains, says):
    with pytest.raises(SpecError, match=says):
        JoinPolicy.of(text, domains=domains, groups=())


def test_joining_is_a_team_and_a_role():
    made = JoinPolicy.of("main:member", domains=("example.org",), groups=("a b",))
    assert (made.team, made.role, made.groups) == ("main", Role.MEMBER, ("a b",))


@given(st.text(), st.text(), st.text())
def test_whom_an_account_awaits_is_nobodys_identity(path, subject, value):
    found = identity(f"https://login.example.org/{path}", subject)

    assert found != pending_identity(value)
    assert awaited_value(found) == ""
    assert awaited_value(pending_identity(value)) == value


@given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text())))
def test_what_a_claim_says_is_a_plain_text(value):
    if is_claim_value(value):
        assert value.strip() == value
        assert value.isprintable()
