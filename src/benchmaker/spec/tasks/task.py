"""A task: the instructions for a coding tool and its success criteria."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, Self

import msgspec
from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchmaker.spec.suites.check_spec import Label
from benchmaker.spec.tasks.criterion import (
    AnyCriterion,
    Criterion,
    InWorkspace,
    Isolation,
    LlmRubric,
)
from benchmaker.spec.tasks.hosts import Network

SOLVE_SCRIPT: Final = "solve.sh"

CATEGORIES = (
    "frontend_development",
    "backend_development",
    "data_analysis",
    "debugging",
    "refactoring",
)
"""The categories with published weights."""

TaskId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]


VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
"""The name of an environment variable."""


class TaskWeights(BaseModel):
    """The weights of efficiency, speed, cost and correctness; they sum to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    efficiency: float = Field(ge=0, le=1)
    speed: float = Field(ge=0, le=1)
    cost: float = Field(ge=0, le=1)
    correctness: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        total = self.efficiency + self.speed + self.cost + self.correctness
        if abs(total - 1) > 1e-9:  # noqa: PLR2004  what decimals may be off in binary
            msg = f"the four weights add up to {total:g}, not 1"
            raise ValueError(msg)
        return self


class TaskLimits(BaseModel):
    """Resource limits of each criterion when it runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_mb: int = Field(1024, ge=16, le=1_048_576)
    cpu_s: float = Field(60.0, gt=0, le=86_400)
    processes: int = Field(64, ge=1, le=10_000)
    disk_mb: int = Field(256, ge=1, le=1_048_576)
    files: int = Field(20_000, ge=1, le=10_000_000)
    output_bytes: int = Field(2**20, ge=1024, le=2**30)


class Task(BaseModel):
    """One task, as defined by its file.

    ``outputs`` are the patterns of graded files; all others are ignored. ``allow`` are
    configuration files that a submission may contain although they could influence a test run
    (``conftest.py``, ``pytest.ini``). ``isolation`` is the minimum level for its criteria,
    ``image`` their container image, and ``agent_image`` that of the solver if it is another one;
    ``needs_container`` are the reasons for a container, each with its place. ``network`` gives the
    criteria the network, or the solver and the criteria the listed hosts. ``workdir`` is a second
    path of the workspace inside the sandbox, such as ``/app``. ``env`` are variables of the solver
    and of every criterion that runs something. ``agent_timeout_s`` is the time that the author
    allows the solver.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: TaskId
    title: Annotated[str, Field(max_length=200)] = ""
    prompt: Annotated[str, Field(min_length=1)]
    category: Label | None = None
    difficulty: Label | None = None
    tags: tuple[Label, ...] = ()
    outputs: tuple[InWorkspace, ...] = ("**",)
    allow: tuple[InWorkspace, ...] = ()
    isolation: Isolation = "namespace"
    image: Annotated[str, Field(max_length=500)] = ""
    agent_image: Annotated[str, Field(max_length=500)] = ""
    network: Network = False
    workdir: Annotated[str, Field(pattern=r"^(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$")] = ""
    env: dict[VariableName, str] = Field(default_factory=dict)
    agent_timeout_s: float | None = Field(None, gt=0, le=604_800)
    needs_container: tuple[str, ...] = ()
    limits: TaskLimits = TaskLimits()
    weights: TaskWeights | None = None
    profile: Label | None = None
    criteria: tuple[AnyCriterion, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that the solver and the criteria may reach; empty without a list."""
        return self.network if isinstance(self.network, tuple) else ()

    @property
    def required_criteria(self) -> tuple[Criterion, ...]:
        """The criteria without which the task is not solved."""
        return tuple(one for one in self.criteria if one.required)

    def to_document(self) -> dict[str, Any]:
        """Return the task as plain data, in the form of its file."""
        return self.model_dump(mode="json", by_alias=True)

    def objections(self) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
        """Yield conflicts between fields: path, message, hint."""
        if self.weights and self.profile:
            yield ("profile",), "both weights and profile are given.", "Remove one of them."
        yield from self._weight_and_rubric_objections()
        for i, one in enumerate(self.criteria):
            isolation = one.isolation or self.isolation
            if lacking := one.describe_missing():
                yield ("criteria", i), f"{one.id} needs {lacking}.", "See: benchmaker schema task"
            if one.runs_code and isolation == "container" and not self.image:
                hint = "Add one, such as: image: docker.io/library/python:3.11"
                yield (
                    ("criteria", i),
                    f"{one.id} runs in a container, but the task has no image.",
                    hint,
                )
            if one.runs_code and isolation == "none":
                what = f"{one.id} runs submitted code, but the isolation is none."
                yield ("criteria", i), what, "Set isolation to process, namespace or container."

    def _weight_and_rubric_objections(self) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
        if not self.criteria:
            return
        if not sum(one.weight for one in self.criteria) > 0:
            hint = "Give at least one of them a weight above 0."
            yield ("criteria",), "the weights of the criteria add up to 0.", hint
        deciding = self.required_criteria or self.criteria
        if all(isinstance(one, LlmRubric) for one in deciding):
            hint = "Add a criterion that is checked by a program."
            yield ("criteria",), "only a judge would decide the success of the task.", hint


class TaskFolder(NamedTuple):
    """A task with its folder.

    The folder holds ``task.yaml``, ``start`` (the initial files), ``tests`` (copied over the
    submission for grading), ``reference`` (a solution) or ``solution`` (whose ``solve.sh`` writes
    one), and ``cheats`` (a folder for each solution that must fail). All but ``task.yaml`` are
    optional. ``digest`` is the SHA-256 of everything that grading depends on: the task, ``start``
    and ``tests``.
    """

    task: Task
    folder: Path
    digest: str

    @property
    def version(self) -> str:
        """The first twelve digits of the digest: the version of the task, by content."""
        return self.digest[:12]

    @property
    def start(self) -> Path:
        """The tool's initial files."""
        return self.folder / "start"

    @property
    def tests(self) -> Path:
        """The files copied over the submission for grading."""
        return self.folder / "tests"

    @property
    def reference(self) -> Path:
        """A solution that passes."""
        return self.folder / "reference"

    @property
    def solve_script(self) -> Path | None:
        """The program that writes a solution into the start; None without one."""
        script = self.folder / "solution" / SOLVE_SCRIPT
        return script if script.is_file() else None

    @property
    def cheats(self) -> tuple[Path, ...]:
        """Solutions that must fail, by name."""
        folder = self.folder / "cheats"
        return (
            tuple(sorted(one for one in folder.iterdir() if one.is_dir()))
            if folder.is_dir()
            else ()
        )


_LATER_FIELDS: Final = ("workdir", "env", "agent_timeout_s", "needs_container", "agent_image")
"""Fields that older tasks lack; empty ones are no part of the digest."""


def canonical_bytes(task: Task) -> bytes:
    """The task as bytes that are the same for the same content."""
    data = task.model_dump(mode="json", by_alias=True)
    for name in _LATER_FIELDS:
        if not data[name]:
            del data[name]
    return msgspec.json.encode(data, order="sorted")
