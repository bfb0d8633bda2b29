"""Tasks as folders of Harbor: there and back, and graded by their own script."""

import json
import tomllib

import pytest

from benchmaker.arenas.agentic.tasks.grader.criterion_functions import schema_problems
from benchmaker.arenas.agentic.tasks.harbor_export import export_to_harbor
from benchmaker.arenas.agentic.verify import new_task, verify
from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids, shipped_task
from benchmaker.arenas.agentic.verify.solution import lay_solution
from benchmaker.arenas.agentic.verify.workspace import lay
from benchmaker.errors import SpecError
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.verify.made import a_task


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o100)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("task_id", shipped_ids())
def test_a_bundled_task_comes_back_equal(tmp_path, task_id):
    task = shipped_task(task_id)
    exported = export_to_harbor(task, tmp_path / task_id)
    back = load_task(exported.folder)
    assert exported.left_out == ()
    assert (back.task, back.digest) == (task.task, task.digest)
    for part in ("start", "tests", "reference", "cheats"):
        assert contents(back.folder / part) == contents(task.folder / part)


def as_plain(folder):
    """The exported task, read as any other folder of Harbor: its grader has another digest."""
    script = folder / "tests" / "test.sh"
    script.write_text(script.read_text() + "# changed\n")
    return load_task(folder)


@pytest.fixture
def exported(tmp_path):
    new_task(tmp_path / "total")
    task = load_task(tmp_path / "total")
    return task, export_to_harbor(task, tmp_path / "exported" / "total").folder


def test_a_changed_grader_is_read_as_a_test_script(exported):
    task, folder = exported
    assert load_task(folder).task == task.task
    plain = as_plain(folder)
    assert [one.type for one in plain.task.criteria] == ["harbor_test"]
    assert plain.task.needs_container == ()
    assert plain.task.outputs == ("total.py",)


def test_a_changed_instruction_is_the_prompt(exported):
    task, folder = exported
    (folder / "instruction.md").write_text("Another prompt.\n")
    back = load_task(folder).task
    assert back == task.task.model_copy(update={"prompt": "Another prompt.\n"})


def test_the_script_gives_the_reference_a_reward_and_nothing_else(exported, tmp_path):
    _, folder = exported
    plain = as_plain(folder)
    found = {}
    for name in ("solution", "untouched", *(one.name for one in plain.cheats)):
        place = tmp_path / "work" / name
        place.mkdir(parents=True)
        lay(plain.start, place)
        if name == "solution":
            lay_solution(plain, place)
        elif name != "untouched":
            lay(plain.folder / "cheats" / name, place)
        (result,) = verify(plain, place).results
        found[name] = (result.result, result.evidence.splitlines()[0])
    failed = ("fail", "reward 0, at least 1 required")
    assert found == {
        "solution": ("pass", "reward 1, at least 1 required"),
        "untouched": failed,
        "example-only": failed,
    }


def test_the_file_says_what_harbor_needs(exported):
    toml = tomllib.loads((exported[1] / "task.toml").read_text())
    assert toml["schema_version"] == "1.4"
    assert toml["task"]["name"] == "benchmaker/total"
    assert toml["verifier"]["environment_mode"] == "separate"
    assert toml["artifacts"] == ["/app/total.py"]
    assert toml["environment"]["network_mode"] == "no-network"


def test_criteria_that_need_a_judge_are_left_out_or_refused(tmp_path):
    rubric = {"type": "llm_rubric", "id": "style", "rubric": "Nice?", "paths": ["a"]}
    there = {"type": "file_exists", "path": "a", "required": True}
    task = a_task(tmp_path / "a", there, rubric)
    exported = export_to_harbor(task, tmp_path / "out")
    assert exported.left_out == ("style",)
    assert load_task(exported.folder).task == task.task
    refused = a_task(tmp_path / "b", there, rubric | {"required": True})
    with pytest.raises(SpecError, match="1 criterion can't be graded by a script: style"):
        export_to_harbor(refused, tmp_path / "none")
    with pytest.raises(SpecError, match="not empty"):
        export_to_harbor(task, tmp_path / "out")


def test_schemas_are_checked_as_by_jsonschema():
    """The second road is the library that Benchmaker itself uses."""
    import jsonschema  # noqa: PLC0415

    text = (shipped_task("river-gauges").tests / "tests/report.schema.json").read_text()
    schema = json.loads(text)
    station = {
        "name": "A", "readings": 1, "missing": 0, "days": 1, "mean_m": 1.5, "min_m": 1,
        "max_m": None, "max_at": "2025-01-07T04:00Z", "largest_rise_m": 0.1,
    }  # fmt: skip
    good = {"rows": 1, "duplicates": 0, "rejected": [{"line": 2, "reason": "time"}]}
    good |= {"stations": [station]}
    bad = [
        {},
        good | {"rows": 0},
        good | {"rows": 1.5},
        good | {"rows": True},
        good | {"more": 1},
        good | {"stations": []},
        good | {"rejected": [{"line": 2, "reason": "x"}]},
        good | {"stations": [station | {"max_at": "yesterday"}]},
        good | {"stations": [station | {"largest_rise_m": 0}]},
        good | {"stations": [station | {"mean_m": "1"}]},
    ]
    validator = jsonschema.Draft202012Validator(schema)
    for value in [good, good | {"rows": 2.0}, *bad]:
        assert (not list(schema_problems(value, schema, "x"))) is validator.is_valid(value), value
