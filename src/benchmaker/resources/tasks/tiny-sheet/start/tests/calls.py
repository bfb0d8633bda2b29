"""Calls the work in a process of its own, so that nothing in it reaches the tests."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path.cwd()
FRAME = """
import json, os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, sys.argv[1])
data = json.load(sys.stdin)
{program}
json.dump(answer(data), answers)
answers.flush()
"""


def call(program, data, *, seconds=10):
    """What ``answer(data)`` of this program returns; an AssertionError when it ends otherwise."""
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", FRAME.replace("{program}", program), str(ROOT)],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if done.returncode or not done.stdout:
        raise AssertionError(
            f"it ended with {done.returncode} and no answer:\n{done.stderr[-2000:]}"
        )
    return json.loads(done.stdout)
