"""Calling the command line, in this process and as a program of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker.cli import main
from benchmaker.providers.endpoints.endpoints import ENDPOINTS
from tests.live.faulty import FaultyServer
from tests.running import warm

BEGINNING = {"LC_ALL", "PYTHONPATH", "PYTHONUTF8"}
"""Variables that Python heeds when it begins, and no fork does."""


@dataclass(frozen=True)
class Said:
    """What a call printed and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def data(self) -> Any:
        return json.loads(self.stdout)


Cli = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call a command in this process, its data in a folder of the test's own, without keys."""
    for name in ("BENCHMAKER_STORE", "BENCHMAKER_DATABASE_URL", "NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    for name in (name for one in ENDPOINTS for name in (*one.keys, *one.base_urls)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BENCHMAKER_HOME", str(home))
    monkeypatch.setenv("BENCHMAKER_LOGS", "")  # none of this machine's

    def call(*words: object, code: int | None = 0, stdin: str | None = None) -> Said:
        done = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert code in (None, done.exit_code), done.stdout + done.stderr
        return Said(done.exit_code, done.stdout, done.stderr)

    return call


@pytest.fixture
def program(home: Path, tmp_path: Path) -> Cli:
    """Call a command as a process, with a bare environment; ``stdout`` may be a file.

    It is a fork of a process that has everything imported, but where variables say how Python
    begins: then it is the program itself.
    """

    def call(
        *words: object, code: int | None = 0, stdout: int | None = None, **variables: str
    ) -> Said:
        begin = begun if variables.keys() & BEGINNING else warm.start
        process = begin(words, cwd=tmp_path, env=environment(home) | variables, stdout=stdout)
        told = [(text or b"").decode("utf-8", "replace") for text in process.communicate()]
        said = Said(process.returncode, *told)
        assert code in (None, said.code), said
        return said

    return call


def begun(
    words: Sequence[object], *, cwd: Path, env: Mapping[str, str], stdout: int | None = None
) -> "subprocess.Popen[bytes]":
    """The program itself, at work."""
    return subprocess.Popen(
        [sys.executable, "-m", "benchmaker", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
    )


def environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    own = {"BENCHMAKER_HOME": str(home), "BENCHMAKER_LOGS": ""}
    return kept | own | {"PYTHONWARNINGS": "error"}


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with a run of what ``benchmaker init`` writes, to be copied; and the run's id."""
    home = tmp_path_factory.mktemp("first-run") / "home"
    home.mkdir()  # a database has its note in there
    init = Path(benchmaker.__file__).parent / "resources" / "init"
    suite = benchmaker.load_suite(init / "suite.yaml")
    result = benchmaker.run(suite, recorded=init / "answers.jsonl", home=home)
    return home, result.run_ids[0]


@pytest.fixture
def started(cli: Cli, tmp_path: Path) -> Path:
    """A folder with what ``benchmaker init`` writes."""
    folder = tmp_path / "started"
    cli("init", folder)
    return folder


@pytest.fixture
def ran(started: Path, home: Path, first_run: tuple[Path, str]) -> str:
    """The id of a run of that suite over its answers."""
    assert started.is_dir()
    assert not list(home.glob("*.db")), "ask for `ran` before what stores something"
    shutil.copytree(first_run[0], home, dirs_exist_ok=True)
    return first_run[1]


@pytest.fixture(scope="session")
def server():
    """A server that speaks both protocols; each test asks it with a key of its own."""
    with FaultyServer() as started:
        yield started


@pytest.fixture
def key() -> str:
    """A key that nobody else uses, so that the server's journal can be asked for it."""
    return f"sk-proj-{uuid4().hex}"


@pytest.fixture
def environ(server: FaultyServer, key: str) -> dict[str, str]:
    """The variables that lead to the server with this key, for the endpoint openai."""
    return {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.openai_url}


@pytest.fixture
def live(cli: Cli, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Call a command in this process with that key, in a folder without a ``.env`` file."""
    monkeypatch.chdir(tmp_path)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return cli


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    """A suite of four sums, which the server can do; each prompt names its case."""
    return write_sums(tmp_path, 4)


def write_sums(folder: Path, cases: int) -> Path:
    asked = [
        {"id": f"c{n}", "prompt": f"[c{n}] {40 + n} + 2?", "expected": str(42 + n)}
        for n in range(cases)
    ]
    suite = {"name": "sums", "scorer": {"id": "exact"}, "cases": asked}
    path = folder / "sums.json"
    path.write_text(json.dumps(suite))
    return path
