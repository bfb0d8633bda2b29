"""Starting processes that ask a local server, and what the server and the store say afterwards."""

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmaker import results
from benchmaker.errors import StoreError
from benchmaker.report.runs.text import summary_text
from benchmaker.store import Store
from tests.faults.live_child import main
from tests.faults.processes import TIMEOUT_S, begun, ended, wait_until, without_times
from tests.waiting import until

CASES = 30
CONCURRENCY = 5
TRIALS = 2 * CASES


@dataclass(frozen=True)
class Work:
    """What a child is to do."""

    command: str
    home: Path
    environ: dict
    cases: int = CASES
    concurrency: int = CONCURRENCY
    file_limit: int = 0
    has_setups: bool = False


def start(command, home, environ, **more):
    return begun(main, Work(command, Path(home), environ, **more))


def answered(server, key):
    """How many questions of this key the server has answered."""
    return sum(entry.end == "answered" for entry in server.journal.entries(key=key))


def killed_after(child, server, key, number, delay_s):
    """Kill the child so long after the server's so-manieth answer from now, or when it ends."""
    wanted = answered(server, key) + number
    has_ended = child.process.poll
    until(lambda: answered(server, key) >= wanted or has_ended() is not None, TIMEOUT_S)
    time.sleep(delay_s)
    child.process.kill()
    return ended(child)


def stored(home):
    """How many rows the newest run has; None where there is no run, or no store yet."""
    with suppress(StoreError), Store.open(home / "benchmaker.db", read_only=True) as store:
        runs = store.runs(limit=1)
        return store.count_trials(runs[0].id) if runs else None
    return None


def finish(home, environ, **more):
    """Go on until it is finished, from whatever is there."""
    for command in ("resume", "run"):
        last = ended(start(command, home, environ, **more))
        if last.last.get("finished"):
            return
    raise AssertionError(f"it does not finish: {last}")


def rows(home):
    """Every trial of the newest run, but for what tells runs and moments apart."""
    with Store.open(home / "benchmaker.db") as store:
        [run_id] = store.resolve("latest").run_ids
        assert store.check().is_ok
        return [
            (trial.position, trial.model, trial.outcome, trial.text, trial.completion.usage,
             trial.score, len(trial.attempts))
            for trial in store.trials(run_id)
        ]  # fmt: skip


def report(home):
    """JSON and text of the newest run, without its id and without times."""
    result = results("latest", home=home)
    [run_id] = result.run_ids
    told = result.summary.to_dict()
    for model in told["models"]:
        model.pop("median_latency_s")
    text = [line for line in summary_text(result.summary).splitlines() if " s" not in line]
    plain = without_times(json.dumps(told, sort_keys=True))
    return plain.replace(run_id, "RUN"), [line.replace(run_id, "RUN") for line in text]


def answers_by_question(server, key):
    """How often the server answered each question of this key."""
    return Counter(
        (entry.model, entry.case)
        for entry in server.settled(key=key, timeout_s=TIMEOUT_S)
        if entry.end == "answered"
    )


__all__ = ["wait_until"]
