"""``benchmaker task``."""

import json

import jsonschema
import pytest
from ruamel.yaml import YAML


@pytest.fixture
def task(cli, tmp_path):
    cli("task", "new", tmp_path / "sum")
    return tmp_path / "sum"


def test_a_new_task_is_written_and_the_next_step_told(cli, tmp_path):
    said = cli("task", "new", tmp_path / "sum")
    assert str(tmp_path / "sum" / "task.yaml") in said.stdout
    assert "task check" in said.stderr


def test_a_sound_task_is_found_sound(cli, task):
    said = cli("task", "check", task)
    assert said.stdout.count("ok ") == 5
    assert ": sound" in said.stdout


def test_a_task_that_lets_a_cheat_through_leaves_with_one(cli, task):
    cheat = task / "cheats" / "right" / "total.py"
    cheat.parent.mkdir()
    cheat.write_text((task / "reference" / "total.py").read_text())
    said = cli("task", "check", task, code=1)
    assert "WRONG  cheats/right" in said.stdout
    assert "let through by tests" in said.stdout
    data = cli("task", "check", task, "--json", code=1).data
    assert data["ok"] is False
    assert [trial["name"] for trial in data["trials"] if not trial["ok"]] == ["cheats/right"]
    assert data["trials"][0]["criteria"][0]["result"] == "pass"


def test_a_task_is_stored_once_and_shown(cli, task):
    assert cli("task", "add", task, "--json").data["new"] is True
    assert "already" in cli("task", "add", task).stdout
    assert cli("task", "show").stdout.startswith("sum ")
    shown = cli("task", "show", "sum").stdout
    assert shown == cli("task", "show", task).stdout
    assert "tests_pass" not in shown
    assert "tests_pass" in cli("task", "show", "sum", "--hidden").stdout
    assert cli("task", "show", "--json").data["tasks"][0]["id"] == "sum"
    assert cli("task", "show", "sum", "--json").data["task"]["outputs"] == ["total.py"]


def test_nothing_stored_is_said(cli):
    assert "task add" in cli("task", "show").stdout
    assert "no task 'x'" in cli("task", "show", "x", code=2).stderr


def test_a_name_is_needed(cli):
    assert "missing" in cli("task", "check", code=2).stderr


def test_the_schema_takes_a_new_task(cli, task):
    schema = json.loads(cli("task", "schema").stdout)
    assert schema == json.loads(cli("schema", "task").stdout)
    jsonschema.validate(YAML(typ="safe").load(task / "task.yaml"), schema)


def test_faults_of_a_task_are_told_with_their_places(cli, task):
    (task / "task.yaml").write_text("id: sum\n")
    assert "task.yaml" in cli("task", "check", task, code=2).stderr


def test_without_bubblewrap_nothing_is_checked(cli, task, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = cli("task", "check", task, "--unsafe-local", code=3)
    assert "nothing was run" in said.stderr
    assert "can read your files" in said.stderr


def test_tasks_that_ship_are_listed_with_those_that_are_stored(cli, task):
    cli("task", "add", task)
    rows = cli("task", "list", "--json").data["tasks"]
    assert [row["id"] for row in rows if row["where"] == "stored"] == ["sum"]
    assert len([row for row in rows if row["where"] == "shipped"]) == 6
    said = cli("task", "list").stdout.splitlines()
    assert len(said) == 7
    assert "river-gauges" in said[2]


def test_a_task_that_ships_is_copied_for_a_tool(cli, tmp_path):
    said = cli("task", "copy", "river-gauges", tmp_path / "work", "--start")
    assert "python3 report.py FILE" in said.stdout
    assert (tmp_path / "work" / "report.py").exists()
    assert not (tmp_path / "work" / "reference").exists()
    cli("task", "copy", "river-gauges", tmp_path / "whole")
    assert (tmp_path / "whole" / "task.yaml").exists()
    assert "in the way" in cli("task", "copy", "river-gauges", tmp_path / "whole", code=2).stderr


def test_copying_wants_a_task_and_a_folder(cli, tmp_path):
    assert "wanted" in cli("task", "copy", "river-gauges", code=2).stderr
    assert "Did you mean" in cli("task", "copy", "river-gauge", tmp_path / "a", code=2).stderr
    assert "no second folder" in cli("task", "show", "sum", "there", code=2).stderr


def test_a_task_that_ships_is_shown_by_its_name(cli):
    assert "river" in cli("task", "show", "river-gauges").stdout
