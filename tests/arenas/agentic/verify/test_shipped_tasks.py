"""The tasks that ship: listed, copied, and each fit to grade by."""

import ast
import asyncio
import re
import sys
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.verify import acheck, averify
from benchmaker.arenas.agentic.verify.shipped_tasks import (
    copy_task,
    shipped_ids,
    shipped_task,
    shipped_tasks,
)
from benchmaker.errors import SpecError
from benchmaker.spec.tasks import criterion
from benchmaker.spec.tasks.task import CATEGORIES
from benchmaker.spec.tasks.task_file import load_task

IDS = shipped_ids()
SOLVED_EARLY = ("river-gauges", "workshop-form")
"""Tasks that take little time to grade; the check of the long suite grades all references."""


def named_tests(task):
    return [
        name for one in task.criteria if isinstance(one, criterion.TestsPass) for name in one.tests
    ]


def written_tests(folder):
    for path in sorted(folder.rglob("test_*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for kind in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(kind, ast.ClassDef):
                yield from (
                    f"{module}.{kind.name}.{one.name}"
                    for one in kind.body
                    if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
                )


def files(folder):
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_six_tasks_ship_one_for_each_category_and_an_advanced_one():
    tasks = [it.task for it in shipped_tasks()]

    assert len(tasks) == 6
    assert {task.category for task in tasks if task.difficulty != "advanced"} == set(CATEGORIES)
    assert [task.id for task in tasks if task.difficulty == "advanced"] == ["tiny-sheet"]


def test_a_mistyped_id_is_answered_with_the_nearest():
    with pytest.raises(SpecError, match="no built-in task 'tiny-shet'"):
        shipped_task("tiny-shet")


@pytest.mark.parametrize("name", IDS)
def test_a_task_is_called_as_its_folder(name):
    assert shipped_task(name).task.id == name


@pytest.mark.parametrize("name", IDS)
def test_ten_tests_or_more_are_asked_for_by_name_and_they_are_all_there_are(name):
    found = shipped_task(name)

    named = named_tests(found.task)

    assert len(named) == len(set(named)) >= 10
    assert sorted(named) == sorted(written_tests(found.tests))


@pytest.mark.parametrize("name", IDS)
def test_some_criteria_are_required_and_some_hidden(name):
    task = shipped_task(name).task

    assert any(isinstance(one, criterion.TestsPass) for one in task.required_criteria)
    assert {one.visibility for one in task.criteria} == {"public", "hidden"}
    assert task.isolation == "namespace"
    assert len({one.type for one in task.criteria}) >= 3


@pytest.mark.parametrize("name", IDS)
def test_three_cheats_or_more_come_along(name):
    assert len(shipped_task(name).cheats) >= 3


@pytest.mark.parametrize("name", IDS)
def test_the_examples_that_a_tool_sees_are_those_it_is_graded_by(name):
    found = shipped_task(name)
    seen, graded = found.start / "tests", found.tests / "tests"

    assert "test_examples.py" in files(seen)
    for path in files(seen):
        assert (seen / path).read_bytes() == (graded / path).read_bytes()


@pytest.mark.parametrize("name", IDS)
def test_tests_need_nothing_but_python(name):
    found = shipped_task(name)
    own = {path.stem for path in found.folder.rglob("*.py")}
    imported = {
        name.partition(".")[0]
        for path in found.tests.rglob("*.py")
        for name in imports(ast.parse(path.read_text(encoding="utf-8")))
    }

    assert imported <= sys.stdlib_module_names | own


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_a_task_is_copied_whole(tmp_path):
    made = copy_task("room-calendar", tmp_path / "work")

    assert files(tmp_path / "work") == files(made.folder)


def test_what_a_tool_begins_with_holds_neither_hidden_tests_nor_solutions(tmp_path):
    made = copy_task("room-calendar", tmp_path / "work", only_start=True)

    assert files(tmp_path / "work") == files(made.start)
    assert "tests/test_behaviour.py" not in files(tmp_path / "work")


def test_nothing_is_copied_over_what_is_there(tmp_path):
    (tmp_path / "mine").write_text("")

    with pytest.raises(SpecError, match="not empty"):
        copy_task("room-calendar", tmp_path)
    with pytest.raises(SpecError, match="not empty"):
        copy_task("room-calendar", tmp_path / "mine")


LIMITED = re.compile(r"\b((?:timeout_s|max_seconds|cpu_s|seconds|timeout)(?:: |=))([\d.]+)")


def patient(name, folder):
    """A task as it ships, but with plenty of time for each criterion and for its tests."""
    shipped = copy_task(name, folder)
    for path in (folder / "task.yaml", *(folder / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        longer = LIMITED.sub(lambda found: f"{found[1]}{20 * float(found[2]):g}", text)
        path.write_text(longer, encoding="utf-8")
    made = load_task(folder)
    assert made.task != shipped.task
    return made


def solved(name, folder, *, task=None):
    """The verdict on a task's reference."""
    task = task or shipped_task(name)
    copy_task(name, folder, only_start=True)
    for path in files(task.reference):
        target = Path(folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((task.reference / path).read_bytes())
    return asyncio.run(averify(task, folder))


@pytest.mark.parametrize("name", SOLVED_EARLY)
def test_the_reference_solves_it(name, tmp_path):
    made = solved(name, tmp_path / "work", task=patient(name, tmp_path / "task"))

    failed = {it.id: it.evidence for it in made.results if it.result != "pass"}
    assert failed == {}
    assert made.success is True


@pytest.mark.long
@pytest.mark.parametrize("name", IDS)
def test_nothing_but_the_reference_passes(name):
    checked = asyncio.run(acheck(shipped_task(name)))

    assert [(it.name, it.why) for it in checked.trials if not it.is_sound] == []
    assert checked.missing == ()
