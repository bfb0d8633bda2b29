"""Submissions under load and under faults, in short: nothing that was acknowledged is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "submissions_load.py"
BOTH = ("sqlite", "postgresql")
FAULTY = [
    *((database, fault) for database in BOTH for fault in ("kill", "database")),
    *(pytest.param(database, "disk", marks=pytest.mark.small_disk) for database in BOTH),
    ("sqlite", "sigterm"),
]


def figures(database, *more):
    """What the load test found, by name; every bar was met."""
    command = [sys.executable, str(SCRIPT), "--json", f"--database={database}", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["figures"]
    return {it["what"].partition(": ")[2]: it for it in found}


def nothing_is_lost(found, number):
    assert found["acknowledged and not stored"]["value"] == 0
    assert found["never acknowledged"]["unit"] == f"of {number}"
    for what in ("never acknowledged", "stored twice", "evaluated twice"):
        assert found[what]["value"] == 0
    assert found["not on the board at the end"]["value"] == 0


def was_felt(found):
    """Whether hand-ins were refused for a while, or waited for half of the two seconds."""
    waited = found["until it is durable, p99"]
    assert waited["unit"] == "ms"
    return found["tries again"]["value"] > 0 or waited["value"] > 1_000


@pytest.mark.parametrize("database", [BOTH[0], pytest.param(BOTH[1], marks=pytest.mark.long)])
def test_nothing_is_lost_while_others_read(database):
    found = figures(
        database,
        "--a-second=25",
        "--seconds=2",
        "--minutes=0.03",
        "--a-minute=120",
        "--readers=10",
    )

    nothing_is_lost(found, 50)
    assert found["pages not answered well"]["value"] == 0


@pytest.mark.long
@pytest.mark.parametrize(("database", "fault"), FAULTY)
def test_nothing_acknowledged_is_missing_after(database, fault):
    found = figures(database, "--a-second=25", "--seconds=4", f"--fault={fault}")

    nothing_is_lost(found, 100)
    if fault in {"kill", "disk"}:
        assert found["tries again"]["value"] > 0
    if fault == "kill":
        assert found["of these not stored then"]["value"] == 0
    if fault == "database":
        assert was_felt(found)
