import gzip

import click
import pytest

from benchmaker.cli.commands.db import command
from benchmaker.store import Store
from benchmaker.store.database.schema import REVISIONS
from tests.store.filled import add_run, all_trials, put
from tests.store.whole import kept_store


@pytest.fixture
def filled(home):
    """A home with a run."""
    with Store.open(home / "benchmaker.db") as store:
        add_run(store)
        put(store, *all_trials(3))
    return home


def test_every_command_has_options_and_examples(cli):
    with click.Context(command) as context:
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert all(it.startswith(f"benchmaker db {name}") for it in found.examples)
            assert all(it in cli("db", name, "--help").stdout for it in ("--json", "Examples:"))


def test_an_unknown_one_is_refused_with_the_nearest(cli):
    assert "Did you mean 'restore'?" in cli("db", "restor", code=2).stderr


def test_a_store_is_checked(cli, filled):
    said = cli("db", "check").stdout
    with Store.open(filled / "benchmaker.db", read_only=True) as store:
        assert f"{store.address}: intact" in said
    assert "1 run, 6 trials" in said
    told = cli("db", "check", "--json").data
    assert told["ok"]
    assert told["is_newest"]
    assert told["hash"] in said
    assert told["rows"]["trials"] == 6


def test_options_may_stand_before_the_command(cli, filled):
    assert cli("db", "--json", "check").data == cli("db", "check", "--json").data
    assert cli("db", "--home", filled, "check", "--json").data["ok"]


@pytest.mark.usefixtures("filled")
def test_a_backup_is_made_checked_and_restored(cli, tmp_path):
    made = cli("db", "backup", tmp_path / "saved.db", "--json").data
    assert cli("db", "check", tmp_path / "saved.db", "--json").data["hash"] == made["hash"]
    done = cli("db", "restore", tmp_path / "saved.db", "--home", tmp_path / "other", "--json").data
    assert done["hash"] == made["hash"]
    assert "run-1" in cli("runs", "--home", tmp_path / "other").stdout
    again = cli("db", "restore", tmp_path / "saved.db", code=2)
    assert "not empty" in again.stderr
    assert "already exists" in cli("db", "backup", tmp_path / "saved.db", code=2).stderr


def test_a_backup_without_a_name_is_named_by_the_time(cli, filled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cli("db", "backup")
    filled.mkdir(exist_ok=True)
    cli("db", "backup", filled)
    found = [*tmp_path.glob("benchmaker-*"), *filled.glob("benchmaker-*")]
    assert len(found) == 2


@pytest.mark.usefixtures("filled")
def test_a_store_is_copied(cli, tmp_path):
    said = cli("db", "copy", tmp_path / "copy.db").stdout
    assert ", verified in the copy" in said
    done = cli("db", "copy", f"sqlite:///{tmp_path / 'second.db'}", "--json").data
    assert done["hash"] in said


@pytest.mark.sqlite("the backup is a file of SQLite")
@pytest.mark.usefixtures("filled")
def test_a_damaged_backup_is_told_with_code_3(cli, tmp_path):
    cli("db", "backup", tmp_path / "saved.db")
    with Store.open(tmp_path / "saved.db") as store:
        store.delete_run("run-1")
    said = cli("db", "check", tmp_path / "saved.db", code=3)
    assert "DAMAGED" in said.stdout
    assert (
        "hash"
        in cli("db", "restore", tmp_path / "saved.db", "--home", tmp_path / "o", code=3).stderr
    )
    (tmp_path / "text").write_bytes(gzip.compress(b"{}"))
    assert (
        cli("db", "check", tmp_path / "text", "--json", code=3).data["error"]["type"] == "Corrupt"
    )


def test_an_older_store_is_checked_as_it_is_and_upgraded_when_asked(cli, home):
    home.mkdir()
    kept_store("0007", home / "benchmaker.db")
    assert f"this Benchmaker writes {REVISIONS[-1]}" in cli("db", "check").stdout
    told = cli("db", "upgrade", "--json").data
    assert told == {"before": "0007", "after": REVISIONS[-1]}
    assert "Nothing to do" in cli("db", "upgrade").stdout
    assert cli("db", "check", "--json").data["is_newest"]


@pytest.mark.sqlite("stores on PostgreSQL have their tables from the start here")
def test_an_empty_database_gets_its_tables(cli, home):
    assert cli("db", "upgrade", "--json").data == {"before": None, "after": REVISIONS[-1]}
    assert "Nothing to do" in cli("db", "upgrade").stdout
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        assert list(store.runs()) == []


@pytest.mark.parametrize("name", ["check", "backup"])
def test_without_a_store_there_is_nothing_to_do(cli, name):
    assert "no runs yet" in cli("db", name, code=2).stderr


@pytest.mark.usefixtures("filled")
def test_a_server_that_is_not_there_is_said_so_with_code_4(cli, tmp_path):
    said = cli("db", "copy", f"postgresql://ann:secret@/runs?host={tmp_path}", code=4)
    assert "unreachable" in said.stderr
    assert "secret" not in said.stderr
