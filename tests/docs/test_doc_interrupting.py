"""The interrupted run of a page ends with the same trials on every machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.interrupting import TRIALS
from tests.docs.provider import provided
from tests.docs.runner import PROGRAMS


@pytest.mark.parametrize("concurrency", [1, 3])
def test_the_signal_comes_with_all_allowed_requests_in_flight(concurrency, tmp_path):
    line = (
        "benchmaker init; timeout --foreground --preserve-status --signal INT 5 benchmaker "
        f"run suite.yaml --model openai/gpt-4o-mini --runs 20 --concurrency {concurrency}"
    )
    path = os.pathsep.join([str(PROGRAMS), str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    with provided() as variables:
        given = {"PATH": path, "HOME": str(tmp_path), "BENCHMAKER_HOME": str(tmp_path / "data")}
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env={**given, **variables, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 130
    assert f"after the requests in flight ({concurrency}, up to " in done.stderr
    stored = re.search(r"Unfinished: (\d+) of 120 trials stored", done.stdout)
    assert stored is not None
    assert int(stored[1]) == TRIALS + concurrency
