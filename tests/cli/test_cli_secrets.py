import re

import pytest

from benchmaker.accounts.sealing import KEY_VARIABLE, new_key
from benchmaker.cli.commands.secret import command
from benchmaker.store import Store
from benchmaker.store.home import Home

SECRET = "sk-made-up-0123456789abcdef"  # noqa: S105  made up
PASSWORD = "four words in common none"  # noqa: S105  made up


@pytest.fixture
def peopled(cli, home):
    """A data folder with ada, and a team besides main."""
    cli("user", "add", "ada", "--password-stdin", stdin=f"{PASSWORD}\n")
    cli("team", "add", "vision", "--admin", "ada")
    return home


def everything(home):
    """Whatever lies in the data folder, in one."""
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_every_command_has_examples(cli):
    assert {"set", "list", "drop", "key", "reseal"} == set(command.commands)
    for name in command.commands:
        assert "Examples:" in cli("secret", name, "--help").stdout


def test_a_secret_is_entered_on_stdin_and_never_shown(cli, peopled):
    said = cli("secret", "set", "OPENAI_API_KEY", stdin=f"{SECRET}\n")
    listed = cli("secret", "list")

    assert "OPENAI_API_KEY" in listed.stdout
    for one in (said, listed, cli("secret", "list", "--json"), cli("audit", "--json")):
        assert SECRET not in one.stdout + one.stderr
    assert SECRET.encode() not in everything(peopled)


def test_a_secret_is_of_its_team_alone(cli, peopled):
    cli("secret", "set", "OPENAI_API_KEY", "--team", "vision", stdin=SECRET)

    assert cli("secret", "list", "--json").data["secrets"] == []
    assert [
        it["name"] for it in cli("secret", "list", "--team", "vision", "--json").data["secrets"]
    ]
    with Store.open(peopled / "benchmaker.db") as store:
        assert set(store.accounts.secrets("vision")) == {"OPENAI_API_KEY"}


@pytest.mark.usefixtures("peopled")
def test_what_is_changed_stands_in_the_audit_log(cli):
    cli("secret", "set", "A_KEY", stdin=SECRET)
    cli("secret", "drop", "A_KEY")

    assert cli("secret", "list", "--json").data["secrets"] == []
    log = cli("audit").stdout
    assert "secret.set" in log
    assert "secret.drop" in log


@pytest.mark.usefixtures("peopled")
@pytest.mark.parametrize(
    ("words", "stdin", "says"),
    [
        (("HTTPS_PROXY",), SECRET, "can't be set for a team"),
        (("small",), SECRET, "not a valid name of a secret"),
        (("A_KEY",), "", "is empty"),
        (("A_KEY",), "kurz", "shorter"),
        (("A_KEY",), f"{SECRET}\n{SECRET}", "line break"),
        (("A_KEY", "--team", "visoin"), SECRET, "vision"),
    ],
)
def test_what_can_be_no_secret_is_refused(cli, words, stdin, says):
    said = cli("secret", "set", *words, stdin=stdin, code=2)

    assert says in said.stderr
    assert SECRET not in said.stderr


@pytest.mark.usefixtures("peopled")
def test_dropping_what_is_not_there_says_how_to_look(cli):
    assert "secret list" in cli("secret", "drop", "A_KEY", code=2).stderr


def test_without_accounts_there_is_nobody_to_keep_secrets_for(cli):
    assert "user add" in cli("secret", "set", "A_KEY", stdin=SECRET, code=2).stderr


def test_a_key_is_printed_and_not_stored(cli, home):
    assert len(cli("secret", "key").stdout.strip()) == 44
    assert not home.exists()


@pytest.mark.usefixtures("peopled")
def test_a_key_can_be_replaced(cli, monkeypatch):
    old, new = new_key(), new_key()
    monkeypatch.setenv(KEY_VARIABLE, old)
    cli("secret", "set", "A_KEY", stdin=SECRET)
    cli("secret", "set", "B_KEY", "--team", "vision", stdin=SECRET)
    before = cli("secret", "list", "--json").data["secrets"]
    monkeypatch.setenv(KEY_VARIABLE, f"{new},{old}")

    assert cli("secret", "reseal", "--json").data == {"resealed": 2, "left": []}
    assert cli("secret", "list", "--json").data["secrets"] == before
    monkeypatch.setenv(KEY_VARIABLE, new)
    assert cli("secret", "reseal", "--json").data["resealed"] == 2
    monkeypatch.setenv(KEY_VARIABLE, old)
    assert cli("secret", "reseal", "--json").data["left"] == ["main/A_KEY", "vision/B_KEY"]


def test_a_team_has_a_folder_and_a_store_at_once(cli, peopled):
    assert Home(peopled).of_team("vision").is_there()
    assert cli("db", "check", "--team", "vision", "--json").data["ok"]


def test_a_team_is_backed_up_by_itself(cli, peopled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cli("db", "backup", "--team", "vision")

    made = next(tmp_path.glob("benchmaker-vision-*"))
    assert re.fullmatch(r"benchmaker-vision-\d{8}T\d{6}Z\.(db|jsonl\.gz)", made.name)
    assert cli("db", "check", made, "--json").data["ok"]
    assert "vision" in cli("db", "backup", "--team", "visoin", code=2).stderr
    assert peopled.is_dir()


@pytest.mark.usefixtures("peopled")
def test_an_upgrade_goes_over_every_team(cli):
    told = cli("db", "upgrade", "--json").data

    assert told["teams"]["vision"]["before"] == told["after"]
    assert "vision: Nothing to do" in cli("db", "upgrade").stdout
