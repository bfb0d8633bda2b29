"""Runs one command in the sandbox for a test that has to do it as somebody else."""

import base64
import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmaker.errors import BenchmakerError
from benchmaker.sandbox import (
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    interpreter_reads,
    run_sandboxed,
)


def done(order: dict) -> dict:
    """The way a command ended, as plain data."""
    argv = tuple(sys.executable if word == "PYTHON" else word for word in order["argv"])
    command = SandboxCommand(
        argv,
        stdin=order.get("stdin", "").encode(),
        env=order.get("env", {}),
        writable=order.get("writable", True),
        network=order.get("network", False),
        reads={**interpreter_reads(), **order.get("reads", {})},
    )
    outputs = Outputs(Path(order["outputs"])) if order.get("outputs") else None
    workspace = Path(order["workspace"]) if order.get("workspace") else None
    isolation = Isolation(order.get("isolation", "namespace"))
    limits = ResourceLimits(**order.get("limits", {}))
    try:
        ended = run_sandboxed(
            command, workspace, isolation=isolation, limits=limits, outputs=outputs
        )
    except BenchmakerError as error:
        return {"error": type(error).__name__, "message": str(error)}
    told = asdict(ended)
    for name in ("stdout", "stderr", "channel"):
        told[name] = base64.b64encode(told[name]).decode()
    return told


if __name__ == "__main__":
    print(json.dumps(done(json.loads(sys.stdin.read()))))  # noqa: T201  read by the test
