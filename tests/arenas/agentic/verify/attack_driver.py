"""Verifies one workspace for a test that has to do it as somebody else; stands alone."""

import json
import sys
from pathlib import Path

from benchmaker.arenas.agentic.verify import verify
from benchmaker.errors import BenchmakerError
from benchmaker.spec.task_file import load_task


def verified(order: dict) -> dict:
    """What became of each criterion, as plain data; or the error that kept it from being run."""
    try:
        made = verify(load_task(order["task"]), Path(order["workspace"]))
    except BenchmakerError as error:
        return {"error": type(error).__name__, "message": f"{error} {error.hint or ''}"}
    results = [
        {
            "result": one.result,
            "evidence": one.evidence,
            "isolation": one.isolation and str(one.isolation),
            "wall_s": one.wall_s,
        }
        for one in made.results
    ]
    return {"success": made.success, "results": results}


if __name__ == "__main__":
    print(json.dumps(verified(json.loads(sys.stdin.read()))))  # noqa: T201  read by the test
