"""Every study of coverage runs, with the classes as they are now."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_every_study_runs():
    command = [sys.executable, "benchmarks/coverage.py", "--draws", "20"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    listed = subprocess.run(
        [sys.executable, "-c", "import coverage; print(len(coverage.all_studies()))"],
        cwd=ROOT / "benchmarks", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.count("\n## ") + ran.stdout.startswith("## ") == int(listed.stdout) > 10
