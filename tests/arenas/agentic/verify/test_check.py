import asyncio

import pytest

from benchmaker.arenas.agentic.verify import acheck, new_task
from benchmaker.errors import SpecError
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.verify.made import a_task

PRINTS = {"type": "output_match", "id": "prints", "run": ["python", "a.py"], "expected": "42"}


def checked(task):
    return asyncio.run(acheck(task))


def test_a_new_task_is_sound(tmp_path):
    new_task(tmp_path / "sum")

    found = checked(load_task(tmp_path / "sum"))

    assert found.is_sound
    assert [(trial.name, trial.found) for trial in found.trials] == [
        ("reference", "pass"),
        ("empty", "fail"),
        ("untouched", "fail"),
        ("{}", "fail"),
        ("cheats/example-only", "fail"),
    ]


@pytest.mark.parametrize("name", ["Sum", "a task", ".hidden", "-x"])
def test_a_name_that_is_no_id_is_refused(tmp_path, name):
    with pytest.raises(SpecError, match="not a valid task id"):
        new_task(tmp_path / name)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "sum").mkdir()
    with pytest.raises(SpecError, match="not empty"):
        new_task(tmp_path / "sum")


def test_a_cheat_that_passes_is_named_with_what_let_it_through(tmp_path):
    task = a_task(
        tmp_path / "task",
        {**PRINTS, "required": True},
        {"type": "file_exists", "path": "b", "id": "there"},
        files={"reference/a.py": "print(6 * 7)", "reference/b": "", "cheats/x/a.py": "print(42)"},
    )

    found = checked(task)

    (wrong,) = [trial for trial in found.trials if not trial.is_sound]
    assert (wrong.name, wrong.found, wrong.why) == ("cheats/x", "pass", "passed by prints")
    assert not found.is_sound


def test_a_reference_that_fails_is_named_with_what_failed(tmp_path):
    task = a_task(tmp_path / "task", PRINTS, files={"reference/a.py": "print(41)"})

    trial = checked(task).trials[0]

    assert (trial.name, trial.is_sound) == ("reference", False)
    assert trial.why == "failed prints: line 1 differs: '41'"


def test_a_criterion_that_breaks_is_no_fail(tmp_path):
    criterion = {"type": "command", "run": ["no-such-program"]}
    task = a_task(tmp_path / "task", criterion, files={"reference/a": "1"})

    found = checked(task)

    assert {trial.found for trial in found.trials} == {"error"}
    assert not found.is_sound


def test_what_every_workspace_passes_is_not_sound(tmp_path):
    task = a_task(
        tmp_path / "task",
        {"type": "json_schema", "path": "a.json", "schema": {"type": "object"}},
        files={"reference/a.json": '{"x": 1}'},
    )

    found = {trial.name: trial.is_sound for trial in checked(task).trials}

    assert found == {"reference": True, "empty": True, "{}": False}


def test_braces_stand_in_outputs_that_are_named_only(tmp_path):
    task = a_task(
        tmp_path / "task",
        {"type": "file_absent", "path": "b.json"},
        outputs=["b.json"],
        files={"reference/a": "1"},
    )

    assert {trial.name: trial.found for trial in checked(task).trials}["{}"] == "fail"


def test_without_reference_or_criteria_it_is_not_sound(tmp_path):
    found = checked(a_task(tmp_path / "task"))

    assert len(found.missing) == 2
    assert not found.is_sound


def test_a_judge_is_left_out(tmp_path):
    rubric = {"type": "llm_rubric", "rubric": "r", "paths": ["a.py"]}
    task = a_task(tmp_path / "task", PRINTS, rubric, files={"reference/a.py": "print(42)"})

    assert checked(task).is_sound
