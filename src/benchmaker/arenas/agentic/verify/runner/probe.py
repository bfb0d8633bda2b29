"""Starts a server, sends one request, and reports the answer; sealed like the test runner."""

import http.client
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from typing import Any

_BODY = 200_000
_HOST = "127.0.0.1"
_PAUSE_S = 0.02


def main() -> None:
    """Execute the plan on stdin."""
    spec = importlib.util.spec_from_file_location("sealing", sys.argv[1])
    if spec is None or spec.loader is None:
        raise ImportError(sys.argv[1])
    sealing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sealing)
    fd = sealing.seal()
    plan = json.load(sys.stdin.buffer)
    verdict = memoryview(json.dumps(_probe(plan)).encode())
    while verdict:
        verdict = verdict[os.write(fd, verdict) :]
    os._exit(0)  # the server is ended with the sandbox


def _probe(plan: dict[str, Any]) -> dict[str, Any]:
    if _is_open(plan["port"]):
        return {"unready": f"something listens on port {plan['port']} already", "blocked": True}
    try:
        server = subprocess.Popen(plan["start"], stdin=subprocess.DEVNULL)  # noqa: S603  the task's
    except OSError as exc:
        return {"unready": f"the server can't be started: {exc.strerror}", "absent": True}
    until = time.monotonic() + plan["ready_s"]
    while not _is_open(plan["port"]):
        if server.poll() is not None:
            return {"unready": f"the server ended with status {server.returncode}"}
        if time.monotonic() > until:
            return {"unready": f"no server within {plan['ready_s']:g} s on port {plan['port']}"}
        time.sleep(_PAUSE_S)
    return _answer(plan)


def _is_open(port: int) -> bool:
    try:
        socket.create_connection((_HOST, port), 1).close()
    except OSError:
        return False
    return True


def _answer(plan: dict[str, Any]) -> dict[str, Any]:
    request = plan["request"]
    body = None if request["body"] is None else request["body"].encode()
    try:
        with closing(
            http.client.HTTPConnection(_HOST, plan["port"], timeout=plan["seconds"])
        ) as to:
            to.request(request["method"], request["path"], body, request["headers"])
            response = to.getresponse()
            text = response.read(_BODY)
    except (OSError, http.client.HTTPException, ValueError) as exc:
        return {"unready": f"no answer: {type(exc).__name__}: {exc}"[:500]}
    return {"status": response.status, "body": text.decode("utf-8", "replace")}


if __name__ == "__main__":
    main()
