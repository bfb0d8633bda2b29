"""Grades a workspace by the criteria of a task, and writes a reward for Harbor.

It needs only Python's standard library. ``grade.py WORKSPACE TESTS REWARDS`` reads
``TESTS/benchmaker/task.json``, copies the workspace and the test files for each criterion, and
writes ``REWARDS/reward.json``: 1 if all required criteria are met (all, if none is required), else
0. As root, the workspace's code runs as nobody, who cannot read the task's answers or write
rewards.
"""

import importlib.util
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

_NOBODY = 65534
_GRACE_S = 5.0
_MOST_OUTPUT = 1 << 20
_MOST_VERDICT = 1 << 20


def _sibling(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_grader_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checks = _sibling("criterion_functions")


class Ended(NamedTuple):
    """The end of a command: its status, or the reason why it has none, and its output."""

    status: int | None
    stdout: str = ""
    stderr: str = ""
    verdict: bytes = b""
    seconds: float = 0.0
    problem: str = ""


class Grader:
    """The task with its files, and a fresh copy of the workspace for each command."""

    def __init__(self, task: dict[str, Any], workspace: Path, tests: Path, base: Path) -> None:
        self.task = task
        self.tests = tests
        self.base = base
        self.runner = base / "runner"
        shutil.copytree(tests / "benchmaker" / "runner", self.runner)
        self.submitted = base / "submitted"
        self._take(workspace)
        self.graded_tests = base / "tests"
        _copy(tests / "workspace", self.graded_tests, lambda path: path not in self.answers())
        _open_to_all(self.base)

    def answers(self) -> set[str]:
        """The files with expected answers, which no submission sees."""
        keys = ("expected_file", "schema")
        names = [one.get(key) for one in self.task["criteria"] for key in keys]
        return {name for name in names if isinstance(name, str)}

    def answer(self, path: str) -> str:
        """A file with an expected answer."""
        return (self.tests / "workspace" / path).read_text(encoding="utf-8")

    def _take(self, workspace: Path) -> None:
        """Take the task's outputs from the workspace, and the rest from its initial files."""
        is_output = checks.matcher(self.task["outputs"])
        is_allowed = checks.matcher(self.task["allow"])
        start = self.tests / "start"

        def wanted(path: str) -> bool:
            return is_output(path) and (is_allowed(path) or not checks.is_bending(path))

        _copy(workspace, self.submitted, wanted)
        _copy(start, self.submitted, lambda path: not wanted(path))

    def run(
        self, argv: list[str], *, seconds: float, stdin: str = "", sealed: bool = False
    ) -> Ended:
        """Run a command on a fresh copy of the workspace with the tests over it."""
        with _folder(self.base) as name:
            place = Path(name, "workspace")
            _copy(self.submitted, place)
            _copy(self.graded_tests, place)
            _open_to_all(Path(name), is_owned=True)
            words = [sys.executable if argv[0] in ("python", "python3") else argv[0], *argv[1:]]
            return _run(words, place, seconds=seconds, stdin=stdin, sealed=sealed)

    def run_sealed(self, script: str, plan: dict[str, Any], *, seconds: float) -> Ended:
        """Run one of Benchmaker's own runners, whose verdict the code under test cannot write."""
        argv = [
            *("python3", "-I", "-S", "-B"),
            *(str(self.runner / script), str(self.runner / "sealing.py")),
        ]
        return self.run(argv, seconds=seconds, stdin=json.dumps(plan), sealed=True)


def _run(argv: list[str], place: Path, *, seconds: float, stdin: str, sealed: bool) -> Ended:
    read, write = os.pipe()
    env = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(place),
        "TMPDIR": str(place.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        **({"BENCHMAKER_VERDICT_FD": str(write)} if sealed else {}),
    }
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(  # noqa: S603  the task's command
                argv,
                cwd=place,
                env=env,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                pass_fds=(write,) if sealed else (),
                start_new_session=True,
                **_as_nobody(),
            )
        except OSError as exc:
            os.close(read)
            os.close(write)
            return Ended(None, problem=f"{argv[0]}: {exc.strerror}")
        os.close(write)
        problem = _see_through(process, stdin.encode(), seconds)
        taken = time.monotonic() - began
        verdict = _drain(read)
        stdout, stderr = _head(out), _head(err)
    status = None if problem else process.returncode
    return Ended(status, stdout, stderr, verdict, taken, problem)


def _see_through(process: "subprocess.Popen[bytes]", stdin: bytes, seconds: float) -> str:
    try:
        process.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"not finished within {seconds:g} s"
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _end_others()
    return ""


def _drain(read: int) -> bytes:
    os.set_blocking(read, False)  # a function of os
    found = b""
    with suppress(BlockingIOError), os.fdopen(read, "rb", buffering=0) as stream:
        while len(found) < _MOST_VERDICT and (chunk := stream.read(1 << 16)):
            found += chunk
    return found


def _head(stream: Any) -> str:  # noqa: ANN401  a temporary file
    stream.seek(0)
    return str(stream.read(_MOST_OUTPUT).decode("utf-8", "replace"))


def _as_nobody() -> dict[str, Any]:
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def _folder(base: Path) -> Iterator[str]:
    name = tempfile.mkdtemp(dir=base)
    try:
        yield name
    finally:
        shutil.rmtree(name, ignore_errors=True)


def _copy(source: Path, target: Path, wanted: Callable[[str], bool] = lambda _: True) -> None:
    """Copy regular files over another folder; links are left out."""
    target.mkdir(parents=True, exist_ok=True)
    for path in checks.files(source):
        if wanted(path):
            place = target / path
            if place.is_dir():
                shutil.rmtree(place)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path, place)


def _open_to_all(folder: Path, *, is_owned: bool = False) -> None:
    """Let nobody read the files, and write those that are owned."""
    is_owned = is_owned and os.geteuid() == 0
    for here, folders, names in os.walk(folder):
        for path in [Path(here), *(Path(here, name) for name in [*folders, *names])]:
            path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o444 | (0o111 if path.is_dir() else 0))
            if is_owned:
                os.chown(path, _NOBODY, _NOBODY)


def _end_others() -> None:
    """As root, end every process of nobody: those of the code under test that got away.

    Only where Harbor mounts the tests: elsewhere other programs of the machine may be nobody's.
    """
    if os.geteuid() == 0 and Path(__file__).is_relative_to("/tests"):
        words = [sys.executable, "-I", "-S", "-c", "import os; os.kill(-1, 9)"]
        subprocess.run(words, check=False, **_as_nobody())  # noqa: S603  our own interpreter


def _protect(tests: Path, rewards: Path) -> None:
    """As root, keep answers and rewards from the code under test."""
    if os.geteuid() == 0:
        tests.chmod(0o700)
        rewards.chmod(0o700)


def main() -> None:
    """Grade the workspace and write the reward."""
    workspace, tests, rewards = map(Path, sys.argv[1:4])
    own = tests / "benchmaker"
    task = json.loads((own / "task.json").read_text(encoding="utf-8"))
    left_out = json.loads((own / "left_out.json").read_text(encoding="utf-8"))
    task["criteria"] = [one for one in task["criteria"] if one["id"] not in left_out]
    rewards.mkdir(parents=True, exist_ok=True)
    _protect(tests, rewards)
    with tempfile.TemporaryDirectory(prefix="grade-") as name:
        grader = Grader(task, workspace, tests, Path(name))
        found = {one["id"]: _verdict(one, grader) for one in task["criteria"]}
    required = [one["id"] for one in task["criteria"] if one["required"]] or list(found)
    is_solved = all(not found[name] for name in required)
    for name, problem in found.items():
        print(f"{name}: {problem or 'met'}")  # noqa: T201  the log of the verifier
    (rewards / "criteria.json").write_text(json.dumps(found, indent=1))
    (rewards / "reward.json").write_text(json.dumps({"reward": int(is_solved)}))


def _verdict(criterion: dict[str, Any], grader: Grader) -> str:
    """The reason why a criterion is not met; empty if it is."""
    try:
        return str(checks.CHECKS[criterion["type"]](criterion, grader))
    except (OSError, ValueError, RecursionError) as exc:
        return f"{type(exc).__name__}: {exc}"


if __name__ == "__main__":
    main()
