"""Projects of users, with pytest run in them."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.running import warm

PLUGIN = "benchmaker.pytest_plugin.plugin"
USUAL = ("-q", "-p", "no:cacheprovider", "--color=no")
SECONDS = 300
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|deselected)")


class Outcome:
    """What pytest printed, and how it ended."""

    def __init__(self, code: int, text: str) -> None:
        self.code, self.text = code, text

    @property
    def counts(self) -> dict[str, int]:
        """How many tests passed, failed and so on, by the last line."""
        found = _COUNT.findall(self.text.rstrip().splitlines()[-1])
        return {word.removesuffix("s") if word == "errors" else word: int(n) for n, word in found}

    @property
    def words(self) -> str:
        """The text on one line, without marks of pytest."""
        return " ".join(line.removeprefix("E").strip() for line in self.text.splitlines())


class Project:
    """A folder with suites, answers and tests, and a data folder beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        self.home = folder / "home"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def suite(self, file: str, cases: Iterable[dict], **header: object) -> Path:
        listed = list(cases)
        scorer = {} if any("checks" in one for one in listed) else {"scorer": "exact"}
        made = {"name": "sums", "profile": "robust", **scorer, **header, "cases": listed}
        return self.write(file, json.dumps(made, indent=1))

    def answers(self, name: str, rows: Iterable[dict]) -> Path:
        return self.write(name, "".join(f"{json.dumps(row)}\n" for row in rows))

    def pytest(self, *words: str, **variables: str) -> Outcome:
        """Run pytest in a fork that has our modules, with no other plug-in than ours."""
        with tempfile.TemporaryFile() as printed:
            process, line = warm.call(
                _run_pytest, str(self.folder), self._environment(variables), words, stderr=printed
            )
            with line:
                process.wait(SECONDS)
            printed.seek(0)
            return Outcome(process.returncode or 0, printed.read().decode())

    def installed_pytest(self, *words: str, **variables: str) -> Outcome:
        """Run pytest as users do: a program that finds its plug-ins by their entry points."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *USUAL, "-p", "no:randomly", *words],
            cwd=self.folder,
            env=self._environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return Outcome(done.returncode, done.stdout)

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        kept = {name: it for name, it in os.environ.items() if name in {"PATH", "TMPDIR"}}
        home = {"HOME": str(self.home), "BENCHMAKER_HOME": str(self.home)}
        return {**kept, **home, "COLUMNS": "100", "LC_ALL": "C.UTF-8", **variables}


def _run_pytest(_: Connection, folder: str, variables: dict[str, str], words: list[str]) -> None:
    os.environ.clear()
    os.environ.update({**variables, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    os.chdir(folder)
    with contextlib.redirect_stdout(sys.stderr):
        code = pytest.main([*USUAL, "-p", PLUGIN, *words])
    sys.stderr.flush()
    os._exit(code)
