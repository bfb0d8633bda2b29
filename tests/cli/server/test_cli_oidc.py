import re

import pytest

from benchmaker.accounts.identities import pending_identity
from benchmaker.cli.context import Context
from benchmaker.cli.server.oidc import OidcOptions
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record.account import Role
from benchmaker.store import Store

SECRET = "the-secret-of-the-client-1"  # noqa: S105
VARIABLES = {
    "BENCHMAKER_OIDC_ISSUER": "https://login.example.org",
    "BENCHMAKER_OIDC_CLIENT_ID": "bench",
    "BENCHMAKER_OIDC_CLIENT_SECRET": SECRET,
}
NOTHING = {
    "issuer": "", "client_id": "", "name": "", "claim": "", "join": "", "domains": (), "groups": (),
}  # fmt: skip
GOOD = "correct horse battery staple\n"


@pytest.fixture
def ada(home):
    with Store.open(home / "benchmaker.db") as store:
        return store.accounts.add_user("ada", None)


def asked(home, variables=VARIABLES, **words):
    context = Context(home=home, environ=variables)
    return OidcOptions(**{**NOTHING, **words}).settings(context)


@pytest.mark.usefixtures("ada")
def test_the_variables_name_a_provider(home):
    found = asked(home)

    assert (found.issuer, found.client_id) == ("https://login.example.org", "bench")
    assert found.client_secret == SECRET
    assert found.joining is None


@pytest.mark.usefixtures("ada")
def test_an_option_goes_before_a_variable(home):
    found = asked(home, issuer="https://other.example.org", client_id="x", name="Other")

    assert (found.issuer, found.client_id, found.display_name) == (
        "https://other.example.org",
        "x",
        "Other",
    )


@pytest.mark.usefixtures("ada")
def test_who_joins_is_a_team_a_role_and_a_condition(home):
    found = asked(home, join="main:viewer", domains=("example.org",)).joining

    assert (found.team, found.role, found.domains) == ("main", Role.VIEWER, ("example.org",))


def test_without_a_provider_there_is_none(home):
    assert asked(home, {}) is None


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("variables", "words", "says"),
    [
        ({}, {"client_id": "x"}, "no identity provider"),
        ({}, {"name": "x"}, "no identity provider"),
        ({}, {"groups": ("x",)}, "no identity provider"),
        ({**VARIABLES, "BENCHMAKER_OIDC_CLIENT_SECRET": ""}, {}, "the client secret"),
        ({**VARIABLES, "BENCHMAKER_OIDC_CLIENT_ID": ""}, {}, "the client id"),
        (VARIABLES, {"issuer": "http://login.example.org"}, "does not use HTTPS"),
        (VARIABLES, {"domains": ("example.org",)}, "no team to join"),
        (VARIABLES, {"join": "main:viewer"}, "no rule for automatic join"),
        (VARIABLES, {"join": "nosuch:viewer", "groups": ("x",)}, "no team 'nosuch'"),
        (VARIABLES, {"join": "main:admin", "groups": ("x",)}, "join as admin is not allowed"),
    ],
)
def test_what_can_not_be_is_refused_with_what_to_do(home, variables, words, says):
    with pytest.raises(SpecError, match=says) as found:
        asked(home, variables, **words)
    assert found.value.hint


def test_without_accounts_it_is_refused(home):
    with pytest.raises(SpecError, match="there are none"):
        asked(home)


@pytest.mark.usefixtures("ada")
def test_without_the_extra_it_is_refused(home, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "joserfc" else 1)
    with pytest.raises(PrerequisiteError, match="needs joserfc"):
        asked(home)


@pytest.mark.usefixtures("ada")
def test_a_server_refuses_bad_settings_before_it_listens(cli, monkeypatch):
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    said = cli("serve", "--port", "0", "--oidc-issuer", "http://login.example.org", code=2)

    assert "does not use HTTPS" in said.stderr
    assert SECRET not in said.stderr + said.stdout


# People who sign in elsewhere


@pytest.mark.usefixtures("ada")
def test_an_account_is_prepared_without_a_password(cli, home):
    said = cli("user", "add", "max", "--oidc", "--identity", "max@example.org", "--team", "main")
    assert "waits for the sign-in of max@example.org" in said.stdout
    cli("user", "add", "noa", "--oidc")
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.password_hash("max") is None
        assert store.accounts.user("max").oidc == pending_identity("max@example.org")
        assert store.accounts.user("noa").oidc == pending_identity("noa")

    assert re.search(r"max +member of main +\S+ \S+ +awaits max@example.org", listed(cli))


def listed(cli):
    return cli("user", "list").stdout


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("add", "max", "--oidc", "--password-stdin"),
            "--oidc and --password-stdin exclude each other",
        ),
        (("add", "max", "--identity", "max", "--password-stdin"), "needs --oidc"),
        (("add", "max", "--oidc", "--identity", ""), "is not a valid identity"),
        (("add", "max", "--oidc", "--identity", " max"), "is not a valid identity"),
        (("add", "max", "--oidc", "--identity", "x" * 256), "is not a valid identity"),
        (("identity", "ada"), "--none"),
        (("identity", "ada", "x", "--none"), "--none"),
        (("identity", "nobody", "x"), "no user 'nobody'"),
    ],
)
def test_an_identity_that_can_not_be_is_refused(cli, words, says):
    assert says in cli("user", *words, code=2, stdin=GOOD).stderr


@pytest.mark.usefixtures("ada")
def test_two_accounts_never_await_the_same(cli):
    cli("user", "add", "max", "--oidc", "--identity", "m@example.org")
    assert (
        "same external identity"
        in cli("user", "add", "may", "--oidc", "--identity", "m@example.org", code=2).stderr
    )


def test_an_account_that_is_there_is_prepared_and_signed_out(cli, home, ada):
    with Store.open(home / "benchmaker.db") as store:
        store.accounts.open_session(
            ada.id, "hash", team="main", address="", agent="", expires_at="2999"
        )
    cli("user", "identity", "ada", "ada@example.org")
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("ada").oidc == pending_identity("ada@example.org")
        assert store.accounts.sessions(ada.id) == ()
        line = store.accounts.audit_entries(limit=1)[0]
    assert (line.action, line.object, line.detail) == ("user.identity", "ada", "ada@example.org")

    cli("user", "identity", "ada", "--none")
    with Store.open(home / "benchmaker.db") as store:
        assert store.accounts.user("ada").oidc == ""
