"""A Ray on this machine for the tests, and what a run by way of it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from benchmaker import Case, RunOptions, ScorerSpec, Suite, run
from benchmaker.engine.executors.worker import Worker
from tests.faults.live_work import answers_by_question, report, rows
from tests.faults.processes import report as whole_report
from tests.faults.processes import rows as all_rows
from tests.live.runs import environ_for
from tests.waiting import until

MODELS = ("openai/one", "anthropic/two")
CALM = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_memory_monitor_refresh_ms": "0",
    "RAY_worker_niceness": "0",
}
"""Workers at Ray's own niceness of 15 hardly run beside busy tests, and their pages time out."""

STORE_BYTES = 100_000_000
PATIENCE_S = 300.0


@contextmanager
def a_folder():
    """A short path, since sockets lie in it; where no other Ray of this machine is found."""
    before = {name: os.environ.get(name) for name in ("RAY_TMPDIR", *CALM)}
    with tempfile.TemporaryDirectory(prefix="ry", dir="/tmp", ignore_cleanup_errors=True) as it:
        os.environ.update(CALM, RAY_TMPDIR=it)
        try:
            yield Path(it)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@contextmanager
def two_nodes():
    """A cluster of two nodes with a CPU each; gives it and its second node."""
    import ray  # noqa: PLC0415  slow to load
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    node = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    with a_folder():
        cluster = Cluster(initialize_head=True, head_node_args=node)
        try:
            ray.init(address=cluster.address, log_to_driver=False, namespace="benchmaker")
            second = cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
            cluster.wait_for_nodes()
            yield cluster, second
        finally:
            ray.shutdown()
            cluster.shutdown()


def sums(count):
    """Sums whose prompt names the case for the server's journal."""
    made = (
        Case(id=f"c{n}", prompt=f"[c{n}] {n} + {n}?", expected=f"{n + n}") for n in range(count)
    )
    return Suite("sums", tuple(made), scorer=ScorerSpec(id="exact"))


def answers(path, count):
    """A file of answers to the sums, of which every third is wrong."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            for model in ("a", "b"):
                text = "?" if (n + len(model)) % 3 == 0 else str(n + n)
                file.write(json.dumps({"id": f"c{n}", "model": model, "output": text}) + "\n")
    return path


def recorded(home, path, count, executor):
    """Rows and report of a run over a file of answers."""
    result = run(sums(count), recorded=path, home=home, options=RunOptions(executor=executor))
    assert result.is_finished
    return all_rows(home), whole_report(home)


def live(home, server, key, count, executor, *, concurrency=8):
    """Rows and report of a run over a server's models."""
    environ = environ_for(server, key)
    result = run(
        sums(count),
        models=MODELS,
        environ=environ,
        home=home,
        options=RunOptions(executor=executor, concurrency=concurrency),
    )
    assert result.is_finished
    return rows(home), report(home)


def repeated(server, key, trials):
    """How many answers were given more than once; every question has one."""
    counts = answers_by_question(server, key)
    assert len(counts) == trials
    return sum(counts.values()) - trials


def workers(kind=Worker.__name__):
    """The processes in which a worker of Benchmaker lives, under this test's Ray."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
                mine = os.environ["RAY_TMPDIR"].encode() in (folder / "environ").read_bytes()
            except OSError:
                continue
            if line.startswith(f"ray::{kind}".encode()) and mine:
                found.append(int(folder.name))
    return found


def killed_worker(when, kind=Worker.__name__):
    """Kill one worker as soon as that is so; its process id."""
    found = []

    def is_found():
        found[:] = workers(kind) if when() else []
        return found

    until(is_found, PATIENCE_S)
    os.kill(found[0], signal.SIGKILL)
    return found[0]


def driver(home, environ, executor, count, command="run"):
    """A process that runs or resumes the live sums; its stdin is told all, keys too."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engine.executors.driver"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    told = {"home": str(home), "environ": environ, "executor": executor, "count": count}
    process.stdin.write(json.dumps(told | {"command": command}))
    process.stdin.close()
    return process


__all__ = ["all_rows", "report", "rows", "whole_report"]
