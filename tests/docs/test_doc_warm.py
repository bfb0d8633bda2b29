"""A command that is forked says, writes and ends as the installed program does."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import Page
from tests.docs.runner import ON_ITS_OWN, Runner, Wrong
from tests.running.warm import programs

INSTALLED = Path(sys.executable).parent
COMMANDS = (
    "benchmaker --version",
    "benchmaker nonsense",
    "benchmaker results --home nowhere",
    "benchmaker run - <&-",
    "benchmaker schema | head -1",
    "cd /; BENCHMAKER_HOME=there benchmaker runs --json",
    "COLUMNS=60 benchmaker run --help",
)


def called(command: str, programs: Path, folder: Path) -> tuple[int, bytes, bytes]:
    path = f"{programs}:{INSTALLED}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=folder, capture_output=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_both_ways_are_the_same(command, tmp_path):
    installed = called(command, INSTALLED, tmp_path)

    assert called(command, programs(), tmp_path) == installed
    assert installed[1] + installed[2]


def test_a_page_is_run_in_either_way(tmp_path):
    told = "```console\n$ type -p benchmaker\n…\n```\n"
    for is_installed, folder in ((True, INSTALLED), (False, programs())):
        runner = Runner(Page(Path("a.md"), told), tmp_path, is_installed=is_installed)
        runner.run()
        assert runner.printed[0].got == f"{folder}/benchmaker\n"


def test_a_wrong_page_is_wrong_in_either_way(tmp_path):
    page = Page(Path("a.md"), "```console\n$ benchmaker --version\nbenchmaker zero\n```\n")
    for is_installed in (True, False):
        with pytest.raises(Wrong, match="the page says\nbenchmaker zero"):
            Runner(page, tmp_path, is_installed=is_installed).run()


@pytest.mark.parametrize(
    ("command", "is_alone"),
    [
        ("benchmaker serve > out.txt 2>&1 &", True),
        ("benchmaker serve & sleep 1", True),
        ("timeout --signal INT 5 benchmaker run", True),
        ("PYTHONPATH=. benchmaker run s.yaml", True),
        ("benchmaker runs 2>&1", False),
        ("benchmaker runs &> all.txt", False),
        ("benchmaker run s.yaml --timeout 1 && benchmaker runs", False),
    ],
)
def test_what_signals_reach_is_a_program_of_its_own(command, is_alone):
    assert bool(ON_ITS_OWN.search(command)) == is_alone
