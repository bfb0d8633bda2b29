"""The start of a trial: the agent's home and the task's initial files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.verify.solution import has_solution, lay_solution
from benchmaker.arenas.agentic.verify.workspace import CACHES, HISTORY, lay
from benchmaker.errors import SpecError
from benchmaker.sandbox import WORKSPACE
from benchmaker.spec.tasks.task import TaskFolder

HOME_NAME: Final = "home"
PROJECT_NAME: Final = "project"
HOME: Final = f"{WORKSPACE}/{HOME_NAME}"
PROJECT: Final = f"{WORKSPACE}/{PROJECT_NAME}"
"""The agent's home and working folder inside."""

_LEFT_OUT: Final = HISTORY | CACHES


def lay_start(task: TaskFolder, into: Path) -> None:
    """Copy the task's initial files; never its tests, its solution, or a history.

    A history in the image of a task belongs to it.
    """
    into.mkdir(parents=True, exist_ok=True)
    left_out = frozenset() if task.task.needs_container else _LEFT_OUT
    lay(task.start, into, lambda path: left_out.isdisjoint(path.split("/")))


def lay_home(agent: Agent, into: Path, values: Mapping[str, str]) -> None:
    """Write the agent's configuration files."""
    into.mkdir(parents=True, exist_ok=True)
    for path, text in agent.adapter.laid_files(values) if agent.adapter else ():
        place = into / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def lay_stand_in(agent: Agent, task: TaskFolder, into: Path, *, attempt: int) -> None:
    """Write the workspace that a stand-in leaves.

    Raises:
        SpecError: the task has no such solution.
    """
    lay_start(task, into)
    match agent.stand_in:
        case "oracle":
            _require(has_solution(task), task, "reference solution")
            lay_solution(task, into)
        case "cheat":
            _require(bool(task.cheats), task, "cheats")
            lay(task.cheats[(attempt - 1) % len(task.cheats)], into)
        case _:
            pass


def _require(is_there: bool, task: TaskFolder, what: str) -> None:  # noqa: FBT001  a condition
    if not is_there:
        raise SpecError(f"the task {task.task.id} has no {what}.")
