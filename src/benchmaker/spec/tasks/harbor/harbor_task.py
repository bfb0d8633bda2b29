"""A Harbor task as a task of Benchmaker, with the reasons for a container."""

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmaker.errors import SpecError
from benchmaker.spec.tasks.criterion import HarborTest
from benchmaker.spec.tasks.harbor.dockerfile import expand
from benchmaker.spec.tasks.harbor.image_plan import DOCKERFILE, ImagePlan, Obstacle, plan_image
from benchmaker.spec.tasks.harbor.network_use import network_lines
from benchmaker.spec.tasks.harbor.task_toml import TASK_TOML, HarborToml, line_of
from benchmaker.spec.tasks.hosts import check_host
from benchmaker.spec.tasks.task import Task, TaskLimits

ENVIRONMENT: Final = "environment"
TESTS: Final = "tests"
SOLUTION: Final = "solution"
INSTRUCTION: Final = "instruction.md"
TEST_SCRIPT: Final = "test.sh"
ALLOWED: Final = (
    *("**/pyproject.toml", "**/setup.cfg", "**/tox.ini", "**/package.json", "**/*_test.go"),
    *("**/go.work", "**/go.work.sum", "**/.npmrc", "**/ruff.toml", "**/mypy.ini", "**/.eslintrc*"),
)
"""Project files that a submission may contain: the tests are outside of the workspace."""

_COMPOSE: Final = ("docker-compose.yaml", "docker-compose.yml")
_CANARY: Final = re.compile(r"<!--.*canary.*-->|#.*canary.*", re.IGNORECASE)
_UNFIT: Final = re.compile(r"[^a-z0-9._-]+")
_MOST_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class HarborTask:
    """The task, and the files of its workspace by their paths."""

    task: Task
    files: dict[str, Path]
    programs: frozenset[str]


def harbor_task(folder: Path, toml: HarborToml) -> HarborTask:
    """Read a Harbor task.

    Raises:
        SpecError: a part is missing, or it needs what Benchmaker has neither in a namespace nor in
            a container.
    """
    reader = _Reader(folder, toml, (folder / TASK_TOML).read_text(encoding="utf-8"))
    reader.refuse_unsupported()
    return reader.task()


def instruction_of(folder: Path) -> str:
    """The text of ``instruction.md``, without leading canary lines, as Harbor shows it.

    Raises:
        SpecError: the file is missing.
    """
    file = folder / INSTRUCTION
    if not file.is_file():
        raise SpecError("the file is missing.", where=str(file), hint="Write the prompt there.")
    lines = file.read_text(encoding="utf-8").split("\n")
    while lines and _CANARY.fullmatch(lines[0].strip()):
        lines.pop(0)
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


def task_id(name: str) -> str:
    """A name as an id of a task."""
    return _UNFIT.sub("-", name.lower()).strip("-._")[:100] or "task"


@dataclass(slots=True)
class _Reader:
    folder: Path
    toml: HarborToml
    text: str
    obstacles: list[Obstacle] = field(default_factory=list)

    def refuse_unsupported(self) -> None:
        """Refuse what neither a namespace nor a container of ours has."""
        toml, environment = self.toml, self.toml.environment
        for path, is_there, what in (
            (("steps",), toml.steps, "tasks with several steps are not supported"),
            (("environment", "os"), environment.os.lower() != "linux", "only Linux is supported"),
            (("environment", "tpu"), environment.tpu, "TPUs are not supported"),
            (("environment", "mcp_servers"), environment.mcp_servers, "no MCP servers are started"),
            (("solution", "env"), toml.solution.env, "set the solution's variables in solve.sh"),
            (("verifier", "collect"), toml.verifier.collect, "collect commands are not supported"),
        ):  # fmt: skip
            if is_there:
                self.refuse(path, what)
        for name in _COMPOSE:
            if (self.folder / ENVIRONMENT / name).exists():
                self.refuse_file(f"{ENVIRONMENT}/{name}", "several services are not supported.")
        if not (self.folder / TESTS / TEST_SCRIPT).is_file():
            self.refuse_file(f"{TESTS}/{TEST_SCRIPT}", "the file is missing.")
        if next(self.folder.rglob(".harborignore"), None):
            self.refuse_file(".harborignore", "such files are not read. Remove the ignored files.")

    def refuse(self, path: tuple[str, ...], what: str) -> None:
        line = line_of(self.text, path)
        place = f"{self.folder / TASK_TOML}:{line}" if line else str(self.folder / TASK_TOML)
        raise SpecError(f"{what}.", where=place)

    def refuse_file(self, name: str, what: str) -> None:
        raise SpecError(what, where=str(self.folder / name))

    def task(self) -> HarborTask:
        plan = self.plan()
        self.obstacles += plan.obstacles
        self.object_to_settings()
        self.obstacles += self.network_obstacles()
        env = {**plan.env, **self.variables(("environment", "env"), self.toml.environment.env)}
        task = Task.model_validate(
            {
                **self.description(),
                **self.isolation(),
                "prompt": instruction_of(self.folder),
                "outputs": self.outputs(plan.workdir),
                "allow": ALLOWED,
                "workdir": plan.workdir if plan.workdir != "/" else "",
                "env": env,
                "agent_timeout_s": self.toml.agent.timeout_sec,
                "limits": self.limits(),
                "criteria": [self.criterion().model_dump(by_alias=True)],
            }
        )
        return HarborTask(task, plan.files, frozenset(plan.programs))

    def description(self) -> dict[str, Any]:
        package, metadata = self.toml.task, self.toml.metadata
        name = package.name.rpartition("/")[2] if package else self.folder.resolve().name
        title = (package.description if package else "").strip().partition("\n")[0][:200]
        words = [*_texts(metadata.get("tags")), *(package.keywords if package else ())]
        return {
            "id": task_id(name),
            "title": title,
            "category": next(_texts(metadata.get("category")), None),
            "difficulty": next(_texts(metadata.get("difficulty")), None),
            "tags": tuple(dict.fromkeys(words)),
        }

    def plan(self) -> ImagePlan:
        context = self.folder / ENVIRONMENT
        environment = self.toml.environment
        if environment.docker_image:
            plan = ImagePlan(TASK_TOML, workdir=environment.workdir or "")
            self.object_to(("environment", "docker_image"), "an image needs a container")
            return plan
        if not (context / DOCKERFILE).is_file():
            self.refuse_file(f"{ENVIRONMENT}/{DOCKERFILE}", "the file is missing.")
        if (context / ".dockerignore").exists():
            why = "such files are not read"
            self.obstacles.append(Obstacle(f"{ENVIRONMENT}/.dockerignore", 1, "", why))
        name = f"{ENVIRONMENT}/{DOCKERFILE}"
        return plan_image(context, name, workdir=environment.workdir or "")

    def object_to(self, path: tuple[str, ...], why: str) -> None:
        line = line_of(self.text, path)
        said = self.text.splitlines()[line - 1].strip() if line else ".".join(path)
        self.obstacles.append(Obstacle(TASK_TOML, line, said, why))

    def object_to_settings(self) -> None:
        environment, verifier = self.toml.environment, self.toml.verifier
        if environment.gpus:
            self.object_to(("environment", "gpus"), "a GPU needs a container")
        if environment.healthcheck:
            self.object_to(("environment", "healthcheck"), "a service needs a container")
        if not verifier.is_separate:
            return
        if verifier.environment and verifier.environment.docker_image:
            self.object_to(("verifier", "environment"), "an image needs a container")
        elif (self.folder / TESTS / DOCKERFILE).is_file():
            plan = plan_image(self.folder / TESTS, f"{TESTS}/{DOCKERFILE}", tests=True)
            self.obstacles += plan.obstacles

    def network_obstacles(self) -> Iterator[Obstacle]:
        for part in (TESTS, SOLUTION):
            for file in sorted((self.folder / part).rglob("*.sh")):
                name = file.relative_to(self.folder).as_posix()
                script = file.read_text(encoding="utf-8", errors="replace")
                for line, code in network_lines(script):
                    yield Obstacle(name, line, code, "needs the network")

    def variables(self, path: tuple[str, ...], given: dict[str, str]) -> dict[str, str]:
        """Variables with their defaults; those of the host are not passed on."""
        found = {}
        for name, value in given.items():
            text = expand(value, {})
            if text is None:
                self.refuse((*path, name), f"{name} is a variable of the host, which is not passed")
            found[name] = text or ""
        return found

    def outputs(self, workdir: str) -> tuple[str, ...]:
        if not self.toml.verifier.is_separate:
            return ("**",)
        named = [it if isinstance(it, str) else str(it.get("source")) for it in self.toml.artifacts]
        paths = [posixpath.normpath(posixpath.join(workdir or "/", one)) for one in named]
        if workdir in paths:
            return ("**",)
        inside = [one for one in paths if one.startswith(f"{workdir}/")]
        if not inside or len(inside) < len(paths):
            what = "a separate verifier needs artifacts, all of them below the working folder"
            self.refuse(("artifacts",), what)
        return tuple(one.removeprefix(f"{workdir}/") for one in inside)

    def isolation(self) -> dict[str, Any]:
        hosts = self.hosts()
        if not self.obstacles:
            return {"isolation": "namespace", "network": hosts or False}
        image, agent_image = self.image(), self.agent_image()
        return {
            "isolation": "container",
            "image": image,
            "agent_image": "" if agent_image == image else agent_image,
            "network": hosts or self.toml.environment.network_mode in (None, "public"),
            "needs_container": tuple(str(one) for one in self.obstacles),
        }

    def hosts(self) -> tuple[str, ...]:
        """The allowed hosts of the agent, else those of the environment; names only."""
        for section in ("agent", "environment"):
            part = getattr(self.toml, section)
            if part.network_mode == "allowlist":
                return tuple(self.host(section, one) for one in part.allowed_hosts)
            if part.network_mode is not None:
                return ()
        return ()

    def host(self, section: str, given: str) -> str:
        try:
            return check_host(given)
        except ValueError as exc:
            self.refuse((section, "allowed_hosts"), str(exc))
            raise

    def agent_image(self) -> str:
        """The image of the environment: a given one, or the tag under which it is built."""
        given = self.toml.environment.docker_image
        return given or built_image(self.folder / ENVIRONMENT)

    def image(self) -> str:
        """The image of the verifier: a given one, or the tag under which it is built."""
        verifier = self.toml.verifier
        if verifier.is_separate and verifier.environment and verifier.environment.docker_image:
            return verifier.environment.docker_image
        if verifier.is_separate and (self.folder / TESTS / DOCKERFILE).is_file():
            return built_image(self.folder / TESTS)
        return self.agent_image()

    def limits(self) -> TaskLimits:
        environment, seconds = self.toml.environment, self.toml.verifier.timeout_sec
        cpu_s = seconds * max(1.0, environment.cpus or 1.0)
        return TaskLimits(
            memory_mb=max(16, environment.memory_mb or 2048),
            disk_mb=environment.storage_mb or 1024,
            cpu_s=min(_MOST_S, cpu_s),
            processes=512,
            files=100_000,
        )

    def criterion(self) -> HarborTest:
        verifier = self.toml.verifier
        return HarborTest(
            id="harbor",
            required=True,
            visibility="hidden",
            timeout_s=verifier.timeout_sec,
            env=self.variables(("verifier", "env"), verifier.env),
        )


BUILT: Final = "localhost/benchmaker-task"
"""The name of images that are built from the folder of a task."""


def built_image(context: Path) -> str:
    """The tag of the image of a build context: its content decides."""
    digest = hashlib.sha256()
    for file in sorted(context.rglob("*")):
        if file.is_file():
            digest.update(f"\0{file.relative_to(context).as_posix()}\0".encode())
            digest.update(file.read_bytes())
    return f"{BUILT}:{digest.hexdigest()[:16]}"


def _texts(given: Any) -> Iterator[str]:  # noqa: ANN401  what stands in the file
    """The texts that a label may be."""
    values: Iterable[Any] = given if isinstance(given, list) else [given]
    for one in values:
        if isinstance(one, str) and one.strip():
            yield one.strip()[:100]
