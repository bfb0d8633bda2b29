"""The verdicts on right and wrong solutions of programming tasks."""

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from ruamel.yaml import YAML

from tests.scoring.program.conftest import scored

TASKS = [
    SimpleNamespace(**task)
    for task in YAML(typ="safe").load(Path(__file__).with_name("tasks.yaml"))
]
PYTHON = [task for task in TASKS if task.language == "python"]
RIGHT = [(task, at) for task in TASKS for at in range(len(task.right))]
WRONG = [(task, name) for task in TASKS for name in task.wrong]
PASSED_BY_NAME = 5


def test_there_are_twenty_tasks_in_two_languages():
    assert len(TASKS) == 20
    assert len(WRONG) > 40
    assert {task.language for task in TASKS} == {"python", "javascript"}


@pytest.mark.parametrize(("task", "at"), RIGHT, ids=[f"{task.name}-{at}" for task, at in RIGHT])
def test_a_right_solution_passes(task, at):
    score = scored(task.right[at], task.tests, language=task.language, timeout=30)
    assert (score.score, score.detail.get("failures")) == (1.0, []), score


@pytest.mark.parametrize(
    ("task", "name"), WRONG, ids=[f"{task.name}-{name.replace(' ', '_')}" for task, name in WRONG]
)
def test_a_wrong_solution_fails(task, name):
    timeout = 4 if name == "hangs" else 30
    score = scored(task.wrong[name], task.tests, language=task.language, timeout=timeout)
    assert score.score == 0.0, score
    assert score.notes


@pytest.mark.parametrize("seed", range(PASSED_BY_NAME))
def test_the_names_of_helpers_do_not_matter(seed):
    """A right solution passes whatever it calls its own functions, classes and variables."""
    chance = random.Random(seed)  # noqa: S311  names alone
    words = [
        "test_all",
        "pytest",
        "abs",
        "len",
        "solution",
        "check",
        "Report",
        "link",
        "client",
        "x",
    ]
    helper, other = chance.sample(words, 2)
    program = (
        f"def {helper}(*values): return sum(values)\n"
        f"{other} = {helper}\n"
        f"def added(a, b): return {other}(a, b)\n"
    )
    tests = "assert added(1, 2) == 3\nassert abs(added(0, -2)) == 2\nassert len([added(1, 1)]) == 1"
    assert scored(program, tests).score == 1.0


def test_every_task_has_tests_that_use_its_names():
    for task in PYTHON:
        names = re.findall(r"^(?:async )?(?:def|class) (\w+)", task.right[0], re.MULTILINE)
        assert any(name in task.tests for name in names), task.name
