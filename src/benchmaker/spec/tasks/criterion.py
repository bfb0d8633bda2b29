"""Success criteria of a task: conditions on the workspace after the session."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from benchmaker.spec.suites.check_spec import Label

Isolation = Literal["none", "process", "namespace", "container"]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Argument = Annotated[str, Field(max_length=10_000)]
Command = Annotated[tuple[Argument, ...], Field(min_length=1, max_length=200)]
"""A program and its arguments; no shell reads it."""


def _relative_path(path: str) -> str:
    """A path that stays inside the workspace, or a ValueError."""
    parts = path.split("/")
    if not path or path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        msg = "expected a path inside the workspace, with / and without .."
        raise ValueError(msg)
    return path


InWorkspace = Annotated[str, Field(max_length=1000), AfterValidator(_relative_path)]
"""A file of the workspace, or a pattern of several: ``src/**/*.py``."""


class Criterion(BaseModel):
    """The fields common to all criteria.

    ``required``: the task fails if this criterion does. ``hidden``: not shown to the solver.
    ``timeout_s``: processor time in seconds; one that waits is ended after ten times as much wall
    time and 10 seconds. ``isolation``: the minimum level, if stricter than the task's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    runs_code: ClassVar[bool] = False

    id: Annotated[str, Field(max_length=200)] = ""
    weight: float = Field(1.0, ge=0, allow_inf_nan=False)
    required: bool = False
    visibility: Literal["public", "hidden"] = "public"
    timeout_s: Seconds = 60.0
    isolation: Isolation | None = None

    def describe_missing(self) -> str:
        """Return the missing fields in words; empty if none is missing."""
        return ""


def is_hidden(criterion: Mapping[str, Any]) -> bool:
    """Return True if a criterion, as plain data of a task, is not shown to the solver."""
    return criterion.get("visibility") == "hidden"


class RunnableCriterion(Criterion):
    """A criterion that runs submitted code."""

    runs_code: ClassVar[bool] = True


class FileExists(Criterion):
    """A file is there; with a pattern, at least one is."""

    type: Literal["file_exists"] = "file_exists"
    path: InWorkspace
    min_bytes: int = Field(0, ge=0)


class FileAbsent(Criterion):
    """No such file is there."""

    type: Literal["file_absent"] = "file_absent"
    path: InWorkspace


class FileContent(Criterion):
    """A file holds a text, doesn't hold another, matches a pattern, or is one exactly."""

    type: Literal["file_content"] = "file_content"
    path: InWorkspace
    contains: tuple[str, ...] = ()
    not_contains: tuple[str, ...] = ()
    pattern: str | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    def describe_missing(self) -> str:
        """Require at least one condition."""
        has_condition = self.contains or self.not_contains or self.pattern or self.sha256
        return "" if has_condition else "contains, not_contains, pattern or sha256"


class JsonSchema(Criterion):
    """A JSON file is of this schema, written here or in a file of the task's tests."""

    type: Literal["json_schema"] = "json_schema"
    path: InWorkspace
    schema_: dict[str, Any] | InWorkspace = Field(alias="schema")


class NoErrors(Criterion):
    """The session ended without an error."""

    type: Literal["no_errors"] = "no_errors"


class CodeCompiles(RunnableCriterion):
    """Source files parse: Python is parsed and never run, anything else by a command."""

    type: Literal["code_compiles"] = "code_compiles"
    paths: Annotated[tuple[InWorkspace, ...], Field(min_length=1)]
    run: Command | None = None


class CommandRuns(RunnableCriterion):
    """A command exits with this status and prints text that matches these patterns."""

    type: Literal["command"] = "command"
    run: Command
    stdin: str = ""
    exit_status: int = Field(0, ge=0, le=255)
    stdout: str | None = None
    stderr: str | None = None


class TestsPass(RunnableCriterion):
    """The task's own tests pass, those by name at least, and as many as are wanted.

    A test that is skipped did not pass. ``run`` is the command where the framework's own way to
    be called doesn't fit; ``report`` is the file that it writes then.
    """

    type: Literal["tests_pass"] = "tests_pass"
    framework: Literal["pytest", "unittest", "junit", "tap", "jest", "go"] = "pytest"
    paths: tuple[InWorkspace, ...] = ()
    tests: tuple[Argument, ...] = ()
    at_least: int = Field(1, ge=1)
    run: Command | None = None
    report: InWorkspace | None = None

    def describe_missing(self) -> str:
        """Require a command for frameworks without a default one."""
        if self.run is None:
            return "run" if self.framework in ("junit", "tap") else ""
        needs_report = self.framework in ("pytest", "unittest", "junit") and self.report is None
        return "report, the file with JUnit XML that run writes" if needs_report else ""


class Lint(RunnableCriterion):
    """A linter reports at most this number of findings; every matching output line is one."""

    type: Literal["lint"] = "lint"
    run: Command
    finding: str = r"^\S+:\d+"
    at_most: int = Field(0, ge=0)


class HttpRequest(BaseModel):
    """A request to a server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "GET"
    path: Annotated[str, Field(pattern="^/")] = "/"
    headers: dict[str, str] = Field(default_factory=dict)
    body: str | None = None


class HttpExpected(BaseModel):
    """The expected response; ``json_values`` are values by their dotted path."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: int = Field(200, ge=100, le=599)
    contains: tuple[str, ...] = ()
    pattern: str | None = None
    json_values: dict[str, Any] = Field(default_factory=dict)


class HttpProbe(RunnableCriterion):
    """A server is started inside the sandbox, and answers a request as expected."""

    type: Literal["http_probe"] = "http_probe"
    start: Command
    port: int = Field(ge=1024, le=65535)
    ready_s: Seconds = 10.0
    request: HttpRequest = HttpRequest()
    expect: HttpExpected = HttpExpected()


class DiffLimits(Criterion):
    """The changes to the task's initial files stay within bounds."""

    type: Literal["diff_limits"] = "diff_limits"
    max_files: int | None = Field(None, ge=0)
    max_lines: int | None = Field(None, ge=0)
    forbidden: tuple[InWorkspace, ...] = ()
    only: tuple[InWorkspace, ...] = ()


class OutputMatch(RunnableCriterion):
    """A command prints exactly this, or numbers that are as close as declared."""

    type: Literal["output_match"] = "output_match"
    run: Command
    stdin: str = ""
    expected: str | None = None
    expected_file: InWorkspace | None = None
    compare: Literal["exact", "trimmed", "numbers"] = "trimmed"
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)

    def describe_missing(self) -> str:
        """There is one expected text."""
        is_one = (self.expected is None) != (self.expected_file is None)
        return "" if is_one else "either expected or expected_file"


class Performance(RunnableCriterion):
    """A command succeeds within these seconds and this memory; the best of some runs counts."""

    type: Literal["performance"] = "performance"
    run: Command
    max_seconds: Seconds | None = None
    max_memory_mb: float | None = Field(None, gt=0)
    runs: int = Field(3, ge=1, le=20)

    def describe_missing(self) -> str:
        """There is a bound."""
        is_bound = self.max_seconds is not None or self.max_memory_mb is not None
        return "" if is_bound else "max_seconds or max_memory_mb"


class MinFunctionality(RunnableCriterion):
    """The task's own checks: every command must succeed."""

    type: Literal["min_functionality"] = "min_functionality"
    checks: Annotated[tuple[Command, ...], Field(min_length=1)]


class HarborTest(RunnableCriterion):
    """A shell script of the tests writes a reward, as in Harbor tasks.

    ``script`` runs in the workspace, with the tests at ``/tests``. It writes
    ``/logs/verifier/reward.json`` or ``reward.txt``; the reward must reach ``at_least``.
    """

    type: Literal["harbor_test"] = "harbor_test"
    script: InWorkspace = "test.sh"
    env: dict[str, str] = Field(default_factory=dict)
    at_least: float = Field(1.0, allow_inf_nan=False)
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 600.0


class LlmRubric(Criterion):
    """A judge reads the named files by a rubric; never the only thing that decides."""

    type: Literal["llm_rubric"] = "llm_rubric"
    rubric: Annotated[str, Field(min_length=1)]
    paths: Annotated[tuple[InWorkspace, ...], Field(min_length=1)]
    at_least: float = Field(0.5, ge=0, le=1)
    judge: Label | None = None


class HumanReview(Criterion):
    """A person decides; open until then."""

    type: Literal["human_review"] = "human_review"
    question: Annotated[str, Field(min_length=1)]


class PluginCriterion(Criterion):
    """A criterion by its dotted path, with its own parameters."""

    type: Literal["plugin"] = "plugin"
    runs_code: ClassVar[bool] = True
    use: Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
    parameters: dict[str, Any] = Field(default_factory=dict)


AnyCriterion = Annotated[
    FileExists
    | FileAbsent
    | FileContent
    | JsonSchema
    | NoErrors
    | CodeCompiles
    | CommandRuns
    | TestsPass
    | Lint
    | HttpProbe
    | DiffLimits
    | OutputMatch
    | Performance
    | MinFunctionality
    | HarborTest
    | LlmRubric
    | HumanReview
    | PluginCriterion,
    Field(discriminator="type"),
]

KINDS: dict[str, type[Criterion]] = {
    str(kind.model_fields["type"].default): kind
    for kind in (*Criterion.__subclasses__(), *RunnableCriterion.__subclasses__())
    if "type" in kind.model_fields
}
"""Each kind of criterion by its name."""
