"""Checks if a task is fit for grading: only its solution passes."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.criterion_context import GradingClock, Jury
from benchmaker.arenas.agentic.verify.finding import join_some
from benchmaker.arenas.agentic.verify.grade import averify, isolation_by_criterion
from benchmaker.arenas.agentic.verify.patterns import is_pattern, matcher
from benchmaker.arenas.agentic.verify.solution import has_solution, lay_solution
from benchmaker.arenas.agentic.verify.task_images import with_images
from benchmaker.arenas.agentic.verify.workspace import files, lay
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task import TaskFolder

_JUDGED: Final = frozenset({"llm_rubric", "human_review", "no_errors"})
"""What needs somebody else, or a session; a check goes on without."""


@dataclass(frozen=True, slots=True)
class SolutionTrial:
    """One tried solution: the required result, and the actual one.

    ``wanted`` and ``found`` are ``pass`` or ``fail``; ``found`` is ``error`` without a verdict.
    ``why`` explains it in words, with the deciding criteria.
    """

    name: str
    wanted: str
    found: str
    why: str
    seconds: float
    verification: Verification

    @property
    def is_sound(self) -> bool:
        """True if the result is the required one."""
        return self.found == self.wanted


@dataclass(frozen=True, slots=True)
class Checked:
    """All trials of a task, and the missing solutions."""

    task_id: str
    version: str
    trials: tuple[SolutionTrial, ...]
    missing: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """True if verdicts of this task are meaningful."""
        return not self.missing and all(trial.is_sound for trial in self.trials)


async def acheck(
    task: TaskFolder,
    *,
    isolation: Isolation | None = None,
    unsafe_local: bool = False,
    jury: Jury | None = None,
    clock: GradingClock | None = None,
) -> Checked:
    """Try the reference, the untouched start, an empty folder, ``{}`` and every cheat of a task.

    The reference must pass; everything else must fail. A cheat is copied over the start, like the
    reference. Criteria that need a judge, a person or a session are skipped.

    Raises:
        PrerequisiteError: this machine has no sufficient isolation.
    """
    missing = []
    if not has_solution(task):
        missing.append("no reference solution: put one in reference/")
    if not task.task.criteria:
        missing.append("no criteria to verify")
    graded = _without_judged(task)
    levels = isolation_by_criterion(graded.task, isolation=isolation, unsafe_local=unsafe_local)
    if Isolation.CONTAINER in levels.values():
        graded = await asyncio.to_thread(with_images, graded)
    trials = [
        trial
        async for trial in _trials(
            graded, isolation=isolation, unsafe_local=unsafe_local, jury=jury, clock=clock
        )
    ]
    return Checked(task.task.id, task.version, tuple(trials), tuple(missing))


def _without_judged(task: TaskFolder) -> TaskFolder:
    kept = tuple(one for one in task.task.criteria if one.type not in _JUDGED)
    return task._replace(task=task.task.model_copy(update={"criteria": kept}))


async def _trials(
    task: TaskFolder,
    *,
    isolation: Isolation | None,
    unsafe_local: bool,
    jury: Jury | None,
    clock: GradingClock | None,
) -> AsyncIterator[SolutionTrial]:
    if not task.task.criteria:
        return
    with _folder() as base:
        for name, folder in _solutions(task, base):
            made = await averify(
                task,
                folder,
                isolation=isolation,
                unsafe_local=unsafe_local,
                jury=jury,
                clock=clock,
                actor="task check",
            )
            yield _trial(name, made)
            if folder.is_relative_to(base):
                shutil.rmtree(folder)


def _solutions(task: TaskFolder, base: Path) -> Iterator[tuple[str, Path]]:
    """Each solution by its name, as the workspace that it would leave behind."""
    if has_solution(task):
        yield "reference", lay_solution(task, _lay_out(task, None, base / "reference"))
    empty = base / "empty"
    empty.mkdir()
    yield "empty", empty
    if any(files(task.start)):
        yield "untouched", _lay_out(task, None, base / "untouched")
    yield "{}", _braces(task, base / "braces")
    for cheat in task.cheats:
        yield f"cheats/{cheat.name}", _lay_out(task, cheat, base / "cheat")


def _lay_out(task: TaskFolder, over: Path | None, into: Path) -> Path:
    lay(task.start, into)
    if over is not None:
        lay(over, into)
    return into


def _braces(task: TaskFolder, into: Path) -> Path:
    """Every file that is graded holds ``{}`` and nothing else."""
    _lay_out(task, None, into)
    is_output = matcher(task.task.outputs)
    named = {path for path in files(task.reference) if is_output(path)}
    named |= {path for path in task.task.outputs if not is_pattern(path) and "." in path}
    for path in named:
        place = into / path
        if place.is_dir():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_text("{}\n", encoding="utf-8")
    return into


def _trial(name: str, made: Verification) -> SolutionTrial:
    wanted = "pass" if name == "reference" else "fail"
    seconds = sum(it.wall_s or 0.0 for it in made.results)
    return SolutionTrial(
        name, wanted, _verdict(made), _reason(made, wanted), round(seconds, 3), made
    )


def _verdict(made: Verification) -> str:
    if made.success is None:
        return "error"
    return "pass" if made.success else "fail"


def _reason(made: Verification, wanted: str) -> str:
    """Return the deciding criteria, in words."""
    states = {
        state: [it.id for it in made.results if it.result == state]
        for state in ("pass", "fail", "error", "skipped")
    }
    if made.success is None:
        open_ones = states["error"] + states["skipped"]
        evidence = [it.evidence for it in made.results if it.id in open_ones]
        reason = evidence[0].splitlines()[0] if evidence else ""
        return f"no verdict of {join_some(open_ones)}: {reason}"
    deciding = [it for it in made.results if it.required] or list(made.results)
    if made.success and wanted == "fail":
        return f"passed by {join_some([it.id for it in deciding])}"
    if not made.success:
        stopping = [it for it in deciding if it.result == "fail"]
        first = (stopping[0].evidence.splitlines() or [""])[0]
        return f"failed {join_some([it.id for it in stopping])}: {first}"
    return f"{len(states['pass'])} of {len(made.results)} criteria passed"


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="benchmaker-check-") as folder:
        yield Path(folder)
