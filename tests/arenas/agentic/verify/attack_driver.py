"""Verifies workspaces for tests that have to do it as somebody else; stands alone.

It reads an order a line and writes what it found a line. Each order is done by a fork, in the
folder and with the variables that it names, so that the imports are paid for once.
"""

import json
import os
import sys
from pathlib import Path

from benchmaker.arenas.agentic.verify import verify
from benchmaker.errors import BenchmakerError
from benchmaker.spec.tasks.task_file import load_task


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


def serve() -> None:
    """Do orders until there are no more."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            order = json.loads(line)
            os.environ.clear()
            os.environ.update(order["env"])
            os.chdir(order["folder"])
            print(json.dumps(verified(order)), flush=True)  # noqa: T201  read by the test
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit("an order was not done")


if __name__ == "__main__":
    serve()
