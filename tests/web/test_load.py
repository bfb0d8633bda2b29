"""The load test in short: nothing is lost, whatever the machine's speed."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "web_load.py"
SHORT = (
    "--submissions=1000", "--seconds=2", "--listeners=20", "--half-open=20", "--a-second=10",
    "--cases=10",
)  # fmt: skip


def test_nothing_is_lost_under_load():
    command = [sys.executable, str(SCRIPT), "--json", *SHORT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = {it["what"]: it for it in json.loads(done.stdout)["figures"]}

    assert found["errors"]["value"] == 0
    assert found["half-open connections closed"]["value"] == 20
    assert found["listeners with events in order"]["value"] == 20
    assert found["cells heard by 20 listeners"]["value"] == 20 * 40
