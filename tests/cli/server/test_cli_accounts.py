import os
import pty
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import click
import pytest

from benchmaker.accounts.passwords import verify
from benchmaker.accounts.tokens import hash_secret, is_secret
from benchmaker.cli.commands import audit, team, token, user
from benchmaker.store import Store
from tests.cli.conftest import environment

GOOD = "correct horse battery staple"


@pytest.fixture
def ada(cli):
    """The first user."""
    return cli("user", "add", "ada", "--password-stdin", "--json", stdin=f"{GOOD}\n").data


@pytest.fixture
def max_(cli, ada):
    """A second one, in no team."""
    assert ada
    return cli("user", "add", "max", "--password-stdin", "--json", stdin=f"{GOOD}\n").data


@pytest.fixture
def rooms(home, ada):
    assert ada
    with Store.open(home / "benchmaker.db") as store:
        yield store.accounts


def actions(cli):
    found = cli("audit", "--json").data["entries"]
    assert {it["actor"] for it in found} == {"cli"}
    return [(it["action"], it["object"], it["team"]) for it in reversed(found)]


@pytest.mark.parametrize("group", [user.command, team.command, token.command])
def test_every_command_has_options_and_examples(cli, group):
    with click.Context(group) as context:
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert all(it.startswith(f"benchmaker {group.name} {name}") for it in found.examples)
            said = cli(group.name, name, "--help").stdout
            assert all(it in said for it in ("--json", "Examples:"))


def test_the_log_has_options_and_examples(cli):
    assert all(it.startswith("benchmaker audit") for it in audit.command.examples)
    assert "Examples:" in cli("audit", "--help").stdout


def test_where_there_is_nothing_nobody_is_listed_and_no_store_is_made(cli, home):
    assert "open to you alone" in cli("user", "list").stdout
    assert cli("team", "list").stdout == "No teams.\n"
    assert cli("token", "list").stdout == "No tokens.\n"
    assert cli("audit").stdout == "No recorded changes match.\n"
    assert cli("user", "list", "--json").data == {"users": []}
    assert cli("team", "list", "--json").data == {"teams": []}
    assert cli("token", "list", "--json").data == {"tokens": []}
    assert cli("audit", "--json").data == {"entries": []}
    assert not home.exists()


def test_the_first_user_is_an_admin_of_main(cli, ada, rooms):
    assert ada["name"] == "ada"
    assert ada["teams"] == [{"team": "main", "role": "admin"}]
    assert verify(rooms.password_hash("ada"), GOOD)
    assert "admin of main" in cli("user", "list").stdout
    assert actions(cli) == [("user.add", "ada", "main")]


def test_no_hash_of_a_password_is_printed(cli, ada):
    everything = f"{ada}{cli('user', 'list', '--json').stdout}{cli('audit', '--json').stdout}"
    assert "argon2" not in everything


def test_a_person_is_added_to_a_team(cli, max_):
    assert max_["teams"] == []
    words = ("--password-stdin", "--team", "main", "--role", "viewer", "--json")
    vi = cli("user", "add", "vi", *words, stdin=f"{GOOD}\n").data
    assert vi["teams"] == [{"team": "main", "role": "viewer"}]
    said = cli("user", "add", "eve", "--password-stdin", stdin=f"{GOOD}\n")
    assert "in no team" in said.stdout
    assert "benchmaker team role TEAM eve member" in said.stderr


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("add", "ada"), None, "user 'ada' already exists"),
        (("add", "Eve"), None, "not a valid user name"),
        (("add", "eve", "--password-stdin"), "short\n", "shorter than 12"),
        (("add", "eve", "--password-stdin"), "", "shorter than 12"),
        (("add", "eve", "--password-stdin"), "x" * 2_000, "longer than 1,024"),
        (("add", "eve"), None, "--password-stdin"),
        (("add", "eve", "--team", "none"), None, "there is no team 'none'"),
        (("password", "adda"), None, "Did you mean 'ada'?"),
        (("disable", "ada"), None, "last admin of team 'main'"),
        (("disable", "nobody"), None, "See: benchmaker user list"),
    ],
)
def test_what_can_not_be_is_refused_and_changes_nothing(cli, words, stdin, said):
    assert said in cli("user", *words, code=2, stdin=stdin).stderr
    assert [it["name"] for it in cli("user", "list", "--json").data["users"]] == ["ada"]
    assert actions(cli) == [("user.add", "ada", "main")]


@pytest.mark.usefixtures("ada")
def test_a_new_password_signs_out_and_leaves_tokens(cli, rooms):
    end = "9999-12-31T00:00:00.000Z"
    owner = rooms.user("ada").id
    rooms.open_session(owner, "c", team="main", address="", agent="", expires_at=end)
    cli("token", "add", "ada", "ci")
    said = cli("user", "password", "ada", "--password-stdin", stdin="another long password\r\n")
    assert "signed out in 1 browser." in said.stdout
    assert verify(rooms.password_hash("ada"), "another long password")
    assert rooms.session_by_hash("c") is None
    assert len(rooms.tokens()) == 1
    told = cli("user", "password", "ada", "--password-stdin", "--json", stdin=GOOD).data
    assert told == {"name": "ada", "signed_out": 0}


@pytest.mark.usefixtures("max_")
def test_a_person_is_disabled_and_let_in_again(cli):
    assert "max is disabled." in cli("user", "disable", "max").stdout
    assert "disabled" in cli("user", "list").stdout
    assert cli("user", "disable", "max", "--json").data["disabled_at"]
    assert "may sign in again" in cli("user", "enable", "max").stdout
    assert cli("user", "enable", "max", "--json").data["disabled_at"] is None
    assert [it[0] for it in actions(cli)[2:]] == ["user.disable"] * 2 + ["user.enable"] * 2


@pytest.mark.usefixtures("max_")
def test_a_team_is_added_with_its_admin(cli):
    told = cli("team", "add", "vision", "Vision group", "--admin", "max", "--json").data
    assert (told["slug"], told["title"], told["is_public"]) == ("vision", "Vision group", False)
    assert told["members"] == [{"user": "max", "role": "admin"}]
    said = cli("team", "add", "other")
    assert "benchmaker team role other USER admin" in said.stderr
    assert actions(cli)[2:] == [
        ("team.add", "vision", "vision"),
        ("team.role", "max", "vision"),
        ("team.add", "other", "other"),
    ]
    listed = cli("team", "list").stdout
    assert re.search(r"^vision +Vision group +the team's +max \(admin\)$", listed, re.MULTILINE)
    assert re.search(r"^other +other +the team's +nobody$", listed, re.MULTILINE)


@pytest.mark.usefixtures("max_")
def test_a_role_is_set_and_taken(cli):
    assert (
        cli("team", "role", "main", "max", "viewer").stdout == "max has the role viewer in main.\n"
    )
    told = cli("team", "role", "main", "max", "member", "--json").data
    assert {"user": "max", "role": "member"} in told["members"]
    assert cli("team", "role", "main", "max", "none").stdout == "max is not in main.\n"
    assert "last admin" in cli("team", "role", "main", "ada", "none", code=2).stderr
    assert "Did you mean 'main'?" in cli("team", "role", "mani", "max", "member", code=2).stderr
    assert actions(cli)[2:] == [("team.role", "max", "main")] * 3


@pytest.mark.usefixtures("ada")
def test_boards_are_shown_to_everybody(cli):
    assert "to everybody" in cli("team", "public", "main", "on").stdout
    assert "public" in cli("team", "list").stdout
    assert not cli("team", "public", "main", "off", "--json").data["is_public"]
    assert cli("team", "public", "none", "on", code=2).stderr
    assert [it[0] for it in actions(cli)[1:]] == ["team.public"] * 2


@pytest.mark.usefixtures("ada")
def test_the_secret_of_a_token_stands_alone_on_stdout_once(cli, rooms):
    said = cli("token", "add", "ada", "ci", "--scope", "submit", "--scope", "read")
    secret = said.stdout.strip()
    assert is_secret(secret)
    assert "not shown again" in said.stderr
    found = rooms.token_by_hash(hash_secret(secret))
    assert found.scopes == ("read", "submit")
    shown = (cli("token", "list"), cli("token", "list", "--json"), cli("audit", "--json"))
    assert not any(secret in it.stdout or hash_secret(secret) in it.stdout for it in shown)
    assert actions(cli)[1:] == [("token.add", found.id, "main")]


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("words", "days"), [((), 90), (("--expires", "7d"), 7), (("--expires", "48h"), 2)]
)
def test_a_token_ends(cli, words, days):
    told = cli("token", "add", "ada", "ci", *words, "--json").data
    left = datetime.fromisoformat(told["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=days, minutes=-5) < left <= timedelta(days=days)
    assert told["scopes"] == ["read"]


@pytest.mark.usefixtures("ada")
def test_a_token_ends_at_a_date_or_never(cli):
    told = cli("token", "add", "ada", "ci", "--expires", "2099-01-31T12:00+02:00", "--json").data
    assert told["expires_at"] == "2099-01-31T10:00:00.000Z"
    never = cli("token", "add", "ada", "ci", "--expires", "never", "--json").data
    assert never["expires_at"] is None
    assert " never " in cli("token", "list").stdout


@pytest.mark.usefixtures("max_")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ada", "ci", "--expires", "soon"), "invalid expiry"),
        (("ada", "ci", "--expires", "99999d"), "ci"),
        (("ada", "ci", "--expires", "2001-01-01"), "in the past"),
        (("ada", ""), "1 to 80 characters"),
        (("ada", "ci", "--scope", "all"), "Invalid value for '--scope'"),
        (("max", "ci"), "max is not in team 'main'"),
        (("ada", "ci", "--team", "none"), "there is no team 'none'"),
    ],
)
def test_an_odd_token_is_refused(cli, words, said):
    if "99999d" in words:
        assert cli("token", "add", *words, "--json").data["expires_at"] > "2200"
        return
    assert said in cli("token", "add", *words, code=2).stderr
    assert cli("token", "list", "--json").data == {"tokens": []}


@pytest.mark.usefixtures("max_")
def test_a_disabled_person_gets_no_token(cli):
    cli("team", "role", "main", "max", "member")
    cli("user", "disable", "max")
    assert "max is disabled" in cli("token", "add", "max", "ci", code=2).stderr


@pytest.mark.usefixtures("max_")
def test_tokens_are_listed_by_person_and_team(cli):
    cli("token", "add", "ada", "ci")
    cli("team", "add", "vision", "--admin", "max")
    cli("token", "add", "max", "reports", "--team", "vision")

    def names(*words):
        return [it["name"] for it in cli("token", "list", *words, "--json").data["tokens"]]

    assert sorted(names()) == ["ci", "reports"]
    assert names("--user", "max") == names("--team", "vision") == ["reports"]
    assert names("--user", "ada", "--team", "vision") == []
    assert "Did you mean 'vision'?" in cli("token", "list", "--team", "visoin", code=2).stderr


@pytest.mark.usefixtures("ada")
def test_a_token_is_revoked_by_its_id_or_its_secret(cli):
    first = cli("token", "add", "ada", "one", "--json").data
    second = cli("token", "add", "ada", "two", "--json").data
    assert "one of ada" in cli("token", "revoke", first["id"]).stdout
    told = cli("token", "revoke", second["secret"], "--json").data
    assert told["id"] == second["id"]
    assert told["revoked_at"]
    assert cli("token", "list").stdout.count("revoked") == 2
    assert "no active token" in cli("token", "revoke", second["secret"], code=2).stderr
    assert "no token 't-none'" in cli("token", "revoke", "t-none", code=2).stderr
    entries = cli("audit", "--action", "token.", "--json").data["entries"]
    assert [it["action"] for it in entries] == ["token.revoke"] * 2 + ["token.add"] * 2
    assert second["secret"] not in str(entries)


@pytest.mark.usefixtures("max_")
def test_the_log_is_read_by_parts(cli):
    cli("team", "add", "vision")
    said = cli("audit", "--limit", "2")
    assert re.search(r"^ +3 .* cli +vision +team.add +vision", said.stdout, re.MULTILINE)
    assert "benchmaker audit --before 2" in said.stderr
    assert len(cli("audit", "--before", "2", "--json").data["entries"]) == 1
    assert len(cli("audit", "--team", "vision", "--json").data["entries"]) == 1
    assert cli("audit", "--actor", "ada", "--json").data["entries"] == []
    assert cli("audit", "--action", "user.add", "--actor", "cli").stderr == ""


@pytest.mark.usefixtures("max_")
def test_a_backup_and_its_restored_store_have_people_tokens_and_log(cli, tmp_path):
    cli("token", "add", "ada", "ci")
    told = [cli(*words, "--json").data for words in (("user", "list"), ("token", "list"))]
    log = cli("audit", "--json").data
    cli("db", "backup", tmp_path / "saved.db")
    other = ("--home", tmp_path / "other")
    cli("db", "restore", tmp_path / "saved.db", *other)
    assert [cli("user", "list", "--json", *other).data] == told[:1]
    assert [cli("token", "list", "--json", *other).data] == told[1:]
    assert cli("audit", "--json", *other).data == log


def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(home, tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "benchmaker", "user", "add", "ada"]
    with subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env=environment(home),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        said = answered(ours, [b"Password of ada: ", b"Repeat for confirmation: "])
        assert process.wait(60) == 0
    assert "Added ada" in said
    assert GOOD not in said
    with Store.open(home / "benchmaker.db") as store:
        assert verify(store.accounts.password_hash("ada"), GOOD)


def answered(terminal, questions):
    """All that is printed there, the password being typed at each question."""
    said, asked = b"", 0
    while True:
        try:
            part = os.read(terminal, 1_000)
        except OSError:
            break
        if not part:
            break
        said += part
        if asked < len(questions) and questions[asked] in said:
            os.write(terminal, GOOD.encode() + b"\n")
            asked += 1
    os.close(terminal)
    return said.decode()


def test_help_loads_neither_the_store_nor_argon2():
    code = """
import sys
from benchmaker.cli import main
for words in (["user"], ["user", "add"], ["team"], ["token", "add"], ["audit"]):
    try:
        main([*words, "--help"])
    except SystemExit:
        pass
print([name for name in ("sqlalchemy", "argon2", "msgspec") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
