"""Commands about the machine: doctor, plugins, demo."""

import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.server.checkup import CheckState, checkup


def the_check(name, context):
    """The check of that name; those that come after it are not made."""
    return next(check for check in checkup(context) if check.name == name)


@pytest.mark.usefixtures("ran")
def test_a_sound_machine_is_fit_and_its_store_is_looked_at(cli):
    said = cli("doctor")
    assert "All requirements are met." in said.stdout
    assert "stopped a runaway regular expression after " in said.stdout
    assert " loaded, none from other packages" in said.stdout
    assert "intact: 1 run, 12 trials" in said.stdout


def test_json_has_every_check_and_postgresql_is_not_needed(cli):
    data = cli("doctor", "--json").data
    assert data["ok"] is True
    assert {"name", "state", "found", "cure"} == set(data["checks"][0])
    assert [one["state"] for one in data["checks"] if one["name"] == "PostgreSQL"] == ["ok"]


def test_a_home_that_is_a_file_is_missing_with_a_cure(tmp_path):
    (tmp_path / "file").write_text("")
    found = the_check("Data folder", Context(home=tmp_path / "file" / "home"))
    assert found.state is CheckState.MISSING
    assert "--home" in found.cure


@pytest.mark.sqlite("it is the file that is damaged")
@pytest.mark.usefixtures("ran")
def test_a_damaged_store_is_a_finding(cli, home):
    store = home / "benchmaker.db"
    store.write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    said = cli("doctor", code=3).stdout
    assert "MISSING" in said
    assert "benchmaker.db" in said


def test_postgresql_is_needed_where_it_is_asked_for(tmp_path):
    asked = Context(home=tmp_path, store_url="postgresql://localhost:1/none")
    assert the_check("Store", asked).state is CheckState.MISSING


def test_the_plugins_are_listed_with_what_they_do(cli):
    said = cli("plugins").stdout
    for name in ("exact", "regex", "numeric", "boolean", "recorded"):
        assert f"  {name} " in said


def test_plugins_json_has_their_targets(cli):
    found = cli("plugins", "--json").data["plugins"]
    assert {"kind", "id", "version", "target", "distribution", "summary", "error"} == set(found[0])
    assert all(plugin["error"] is None for plugin in found)


def test_demo_shows_table_explanation_and_report(cli, tmp_path):
    said = cli("demo", "--home", tmp_path / "demo").stdout
    assert "Illustrative answers" in said
    assert all(f"illustrative-{letter}" in said for letter in "abcd")
    assert "the same " in said
    report = tmp_path / "demo" / "report.html"
    assert str(report) in said
    assert "<html" in report.read_text().lower()


def test_demo_makes_three_runs_that_differ(cli, tmp_path):
    data = cli("demo", "--home", tmp_path / "demo", "--json").data
    assert len(data["run_ids"]) == 3
    assert all(row["ci95"] for row in data["models"])
    spread = [row["runs"]["sd"] for row in data["models"]]
    assert any(sd > 0 for sd in spread)


def test_demo_explains_what_is_in_its_folder_wherever_the_store_is(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHMAKER_STORE", str(tmp_path / "mine.db"))
    assert "the same " in cli("demo", "--home", tmp_path / "demo").stdout
    assert not (tmp_path / "mine.db").exists()


def test_demo_without_a_home_leaves_the_usual_one_alone(cli, home):
    said = cli("demo").stdout
    assert not home.exists()
    assert "--home" in said
