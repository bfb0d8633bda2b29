"""Starting the child, and looking at what it left behind.

The processes are forked from one that has everything loaded (see :mod:`tests.running.warm`), so
that a kill hits the work and not the loading.
"""

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

from benchmaker import results
from benchmaker.report.runs.text import summary_text
from benchmaker.store import Store
from tests.faults.child import main
from tests.running import warm

TIMEOUT_S = 600.0
"""Stops what hangs, and nothing else."""


@dataclass(frozen=True)
class Work:
    """What a child is to do."""

    command: str
    home: Path
    answers: Path
    cases: int
    latency_s: float = 0.0
    denied: bool = False
    file_limit: int = 0


@dataclass
class Child:
    """A process at work, what it says, and the file that has its stderr."""

    process: warm.Program
    says: Connection
    complaints: IO[bytes]


@dataclass
class Ended:
    """How a child ended: its exit code, its last word, and what it said before."""

    code: int
    last: dict
    said: list
    complaints: str

    @property
    def acknowledged(self):
        """The trials it said were durable."""
        return max((int(word.split()[1]) for word in self.said if word[:4] == "done"), default=0)


def start(command, home, answers, cases, **more):
    return begun(main, Work(command, Path(home), Path(answers), cases, **more))


def begun(function: Callable[..., None], *arguments: object) -> Child:
    """A process that calls the function with a line to talk over, and these arguments."""
    complaints = tempfile.TemporaryFile()  # noqa: SIM115  read at the end
    process, says = warm.call(function, *arguments, stderr=complaints)
    return Child(process, says, complaints)


def heard(child):
    """What the child says, until it ends."""
    while child.says.poll(TIMEOUT_S):
        try:
            yield child.says.recv()
        except (EOFError, ConnectionResetError):
            return
    raise AssertionError(f"the child says nothing for {TIMEOUT_S:g} s")


def wait_until(child, word, *, but=""):
    """Listen until the child says something that begins with the word; returns that."""
    return next(said for said in heard(child) if said.startswith(word) and said != but)


def ended(child):
    said = list(heard(child))
    code = child.process.wait(TIMEOUT_S)
    child.says.close()
    with child.complaints as file:
        file.seek(0)
        complaints = file.read().decode("utf-8", errors="replace")
    last = json.loads(said[-1]) if said and said[-1].startswith("{") else {}
    return Ended(code, last, said, complaints)


def finish(home, answers, cases):
    """Go on until it is finished, from whatever is there."""
    for command in ("resume", "run"):
        last = ended(start(command, home, answers, cases))
        if last.last.get("finished"):
            return
    raise AssertionError(f"it does not finish: {last}")


def rows(home):
    """Every trial of the newest run, but for what tells runs and moments apart."""
    with Store.open(Path(home) / "benchmaker.db") as store:
        [run_id] = store.resolve("latest").run_ids
        check = store.check()
        assert check.is_ok, check
        return [
            (trial.position, trial.model, trial.outcome, trial.completion, trial.score)
            for trial in store.trials(run_id)
        ]


def report(home):
    """JSON and text of the newest run, without its id and the times in its notes."""
    result = results("latest", home=home)
    [run_id] = result.run_ids
    text = summary_text(result.summary)
    told = json.dumps(result.summary.to_dict(), sort_keys=True)
    return without_times(told).replace(run_id, "RUN"), text.replace(run_id, "RUN")


def without_times(text):
    """The text without moments of UTC."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
