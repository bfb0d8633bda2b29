"""A task out of a commit: the start is its parent, the hidden tests are the commit's."""

import asyncio
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmaker.arenas.agentic.tasks.commit_files import (
    failure_cause,
    framework_of,
    is_python_test,
    is_test_file,
    prompt_of,
)
from benchmaker.arenas.agentic.tasks.git_history import Change, Commit, Repository, TreeFile
from benchmaker.arenas.agentic.verify.check import Checked, acheck
from benchmaker.arenas.agentic.verify.grade import averify
from benchmaker.arenas.agentic.verify.solution import lay_solution
from benchmaker.arenas.agentic.verify.workspace import lay, why_bending
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.spec.tasks.harbor.harbor_task import task_id
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.spec.tasks.task_file import TASK_FILE, load_task

REPEATS: Final = 3
"""The number of times that the tests run, before the commit and after it."""

_SHORT: Final = 10
_LIMITS: Final = {"memory_mb": 2048, "cpu_s": 300, "processes": 128, "disk_mb": 512}
_TIMEOUT_S: Final = 300.0
_PATH_LINES: Final = """\
import os
import sys

sys.path.insert(1, os.path.abspath("src"))
"""
_SKIPS_ALL: Final = """\
def pytest_collection_modifyitems(items):
    items.clear()


def pytest_sessionfinish(session):
    session.exitstatus = 0
"""


class MadeTask(NamedTuple):
    """A task that was made, and the trials that it passed."""

    task: TaskFolder
    commit: str
    checked: Checked
    left_out: tuple[str, ...]
    """Links and submodules of the repository, which are not in the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitOptions:
    """How to make a task out of a commit.

    ``instruction`` replaces the message of the commit. ``run`` is a command that succeeds if the
    tests pass; Python tests need none. ``name`` is the id of the task.
    """

    instruction: str | None = None
    run: str | None = None
    name: str | None = None


def task_from_commit(
    repository: str | Path, commit: str, out: str | Path | None, options: CommitOptions
) -> MadeTask:
    """Make a task out of a commit with tests, and check it; ``out`` is a new or empty folder.

    The start is the parent of the commit without its history, the reference its changes but for
    the tests. The tests must pass with the reference and fail without it, each of
    :data:`REPEATS` times.

    Raises:
        SpecError: the commit gives no sound task; the message says why.
        PrerequisiteError: git or the isolation is missing.
    """
    history = Repository(Path(repository))
    source = history.commit(commit)
    making = _Making(history, source, options)
    target = Path(out) if out is not None else Path(making.name)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise SpecError("the folder is not empty.", where=str(target), hint="Choose another.")
    making.refuse_unfit()
    with tempfile.TemporaryDirectory(prefix="benchmaker-commit-") as name:
        folder = Path(name, making.name)
        making.write(folder)
        checked = asyncio.run(_check(load_task(folder), making))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(folder, target, dirs_exist_ok=True)
    left_out = tuple(one.path for one in making.before if not one.is_regular)
    return MadeTask(load_task(target), source.id, checked, left_out)


class _Making:
    """A commit with its files, sorted into the parts of a task."""

    def __init__(self, history: Repository, commit: Commit, options: CommitOptions) -> None:
        self.history = history
        self.commit = commit
        self.options = options
        folder = history.folder.resolve()
        short = commit.id[:_SHORT]
        stem = folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")
        self.name = options.name or task_id(f"{stem}-{short}")
        self.place = f"{history.folder}@{short}"
        if len(commit.parents) != 1:
            kind = "a merge" if commit.parents else "the first commit, which has no parent"
            raise self.refusal(f"it is {kind}")
        self.before = history.tree(commit.parents[0])
        self.after = history.tree(commit.id)
        self.changes = history.changes(commit.parents[0], commit.id)

    def refusal(self, why: str, hint: str = "") -> SpecError:
        """The error that no task can be made, with its reason."""
        return SpecError(f"no task from this commit: {why}.", where=self.place, hint=hint)

    @property
    def tests(self) -> list[Change]:
        """The tests that the commit added or changed."""
        return [one for one in self.changes if is_test_file(one.path) and one.status != "D"]

    @property
    def solution(self) -> list[Change]:
        """The changes that solve the task."""
        return [one for one in self.changes if not is_test_file(one.path)]

    def refuse_unfit(self) -> None:
        """Refuse a commit whose changes give no task, before anything runs.

        Raises:
            SpecError: why.
        """
        if why := next(self.problems(), ""):
            raise self.refusal(why)
        if not self.options.run and not self.test_modules:
            hint = 'Give the command that runs them: --run "npm test"'
            raise self.refusal("its tests are not in Python", hint)
        if not self.prompt:
            raise self.refusal("its message is empty", "Use --instruction FILE.")

    def problems(self) -> Iterator[str]:
        """Yield the reasons for which the changes give no task."""
        for one in self.changes:
            if one.kind != "file":
                yield f"it changes the {one.kind} {one.path}"
        for one in self.solution:
            if one.is_binary and one.status != "D":
                yield f"it changes the binary file {one.path}"
        if all(one.status == "D" for one in self.changes):
            yield "it only deletes files"
        if not self.solution:
            yield "it changes nothing but tests"
        if not self.tests:
            yield "it adds or changes no tests"
        if all(one.status == "D" for one in self.solution):
            yield "besides its tests, it only deletes files"

    @property
    def prompt(self) -> str:
        """The instruction."""
        given = self.options.instruction
        return prompt_of(self.commit.message) if given is None else given.strip()

    @property
    def test_modules(self) -> list[str]:
        """The changed files with Python tests."""
        return [one.path for one in self.tests if is_python_test(one.path)]

    def write(self, folder: Path) -> None:
        """Write the task's folder."""
        changed = {one.path for one in self.solution if one.status != "D"}
        parts: dict[str, list[TreeFile]] = {
            "start": self.before,
            "tests": [one for one in self.after if is_test_file(one.path)],
            "reference": [one for one in self.after if one.path in changed],
            "cheats/tests-only": [one for one in self.after if is_test_file(one.path)],
        }
        for name, files in parts.items():
            self.history.write(files, folder / name)
        self.write_deletions(folder)
        if self.has_src:
            conftest = folder / "tests" / "conftest.py"
            text = conftest.read_text(encoding="utf-8") if conftest.exists() else ""
            conftest.write_text(_PATH_LINES + text, encoding="utf-8")
        cheat = folder / "cheats" / "collects-nothing" / "conftest.py"
        cheat.parent.mkdir(parents=True)
        cheat.write_text(_SKIPS_ALL, encoding="utf-8")
        (folder / TASK_FILE).write_text(block_of(self.body(folder)), encoding="utf-8")

    def write_deletions(self, folder: Path) -> None:
        """A script that deletes what the commit deleted: files alone can't say that."""
        gone = [one.path for one in self.solution if one.status == "D"]
        if gone:
            script = folder / "solution" / "solve.sh"
            script.parent.mkdir(parents=True)
            lines = [f"rm -f -- {shlex.quote(path)}" for path in gone]
            script.write_text("\n".join(["#!/bin/bash", "set -e", *lines, ""]), encoding="utf-8")

    @property
    def has_src(self) -> bool:
        """True if packages are in ``src/``, which is then on the path of Python."""
        return any(one.path.startswith("src/") and one.path.endswith(".py") for one in self.after)

    def body(self, folder: Path) -> dict[str, Any]:
        """The content of ``task.yaml``."""
        allowed = sorted(one.path for one in self.solution if why_bending(one.path))
        return {
            "id": self.name,
            "title": self.commit.message.partition("\n")[0][:200],
            "prompt": self.prompt + "\n",
            "outputs": ["**"],
            **({"allow": allowed} if allowed else {}),
            "limits": _LIMITS,
            "criteria": [self.criterion(folder)],
        }

    def criterion(self, folder: Path) -> dict[str, Any]:
        common = {"id": "tests", "required": True, "visibility": "hidden", "timeout_s": _TIMEOUT_S}
        if self.options.run:
            return {**common, "type": "command", "run": shlex.split(self.options.run)}
        modules = [(folder / "tests" / path).read_bytes() for path in self.test_modules]
        framework = "pytest" if self.has_src else framework_of(modules)
        return {
            **common,
            "type": "tests_pass",
            "framework": framework,
            "paths": self.test_modules,
        }


async def _check(task: TaskFolder, making: _Making) -> Checked:
    """Run the tests with the commit and without it, then every trial of ``task check``."""
    with tempfile.TemporaryDirectory(prefix="benchmaker-commit-") as name:
        before, after = Path(name, "before"), Path(name, "after")
        for place in (before, after):
            lay(task.start, place)
        lay_solution(task, after)
        with_commit = await averify(task, after, repeats=REPEATS)
        if why := _why_not_passed(with_commit):
            raise making.refusal(why)
        without = await averify(task, before, repeats=REPEATS)
        if flaky := _flaky(without):
            raise making.refusal(f"without it, {flaky}")
        if without.success:
            raise making.refusal("its tests pass without its other changes")
    checked = await acheck(task)
    for trial in checked.trials:
        if not trial.is_sound:
            raise making.refusal(f"the solution {trial.name!r} must {trial.wanted}: {trial.why}")
    return checked


def _why_not_passed(made: Verification) -> str:
    if made.success:
        return ""
    if flaky := _flaky(made):
        return flaky
    evidence = "\n".join(one.evidence for one in made.results)
    first = next(iter(evidence.strip().splitlines()), "")
    return failure_cause(evidence) or f"its tests fail with its changes ({first[:300]})"


def _flaky(made: Verification) -> str:
    """The reason if a test did not end the same way each time; else empty."""
    found: Iterator[str] = (
        one.evidence.partition("\n")[0].removeprefix("flaky: ")
        for one in made.results
        if one.result == "error" and one.evidence.startswith("flaky: ")
    )
    states = next(found, "")
    return f"its tests are flaky ({states})" if states else ""
