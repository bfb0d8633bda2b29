"""The end of trials: of an agent that ignores its refusal, and of eight at the series' budget."""

import itertools
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import pytest

from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.running.trial import GRACE_S
from benchmaker.arenas.agentic.series.plan import PlannedCaps
from tests.arenas.agentic.series.conftest import MODEL

pytestmark = pytest.mark.long

STUBBORN = """
import json, os, signal, sys, time, urllib.error, urllib.request
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if not os.fork():
    os.setsid()
url = os.environ["BENCHMAKER_BASE_URL"] + "/v1/chat/completions"
head = {"Authorization": "Bearer " + os.environ["BENCHMAKER_TOKEN"]}
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
while True:
    try: urllib.request.urlopen(urllib.request.Request(url, body, head)).read()
    except (urllib.error.HTTPError, OSError): time.sleep(0.2)
"""
ENDED_S = 10.0
MARGIN_S = 20.0
"""For the verification, whose end is the stored end of the trial, on a busy machine."""


def seconds(moment):
    return datetime.fromisoformat(moment).timestamp()


def is_running(word):
    """True if a process has the word in its command line."""
    every = Path("/proc").glob("[0-9]*/cmdline")
    return any(word in line for line in map(read, every))


def read(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_an_agent_that_ignores_its_refusal_and_signals_is_ended(agents, tmp_path, monkeypatch):
    """Two processes of it, the second in a session of its own, go on and on."""
    folder = tmp_path / "here"
    folder.mkdir()
    name = f"stubborn_{tmp_path.parent.name}_{tmp_path.name}.py"
    (folder / name).write_text(STUBBORN)
    monkeypatch.chdir(folder)
    with agents.model():
        made = agents.run(
            1, f"command:python3 -I -S {name}", models=MODEL, caps=PlannedCaps(requests=1)
        )
    (trial,) = made.trials
    assert (str(trial.outcome), trial.reward) == ("budget", 0.0)
    with agents.store() as store:
        rows = list(store.agent_trials.series_requests(made.series))
    refused = next(row for row in rows if row.refused)
    took_s = seconds(trial.finished_at) - seconds(refused.started_at)
    assert GRACE_S <= took_s <= ENDED_S + MARGIN_S
    assert trial.gateway.refusals > 1
    assert not is_running(name.encode())


class Crowded(Scripted):
    """A model that answers none of its first eight requests before all are in progress."""

    waiting: ClassVar[threading.Barrier]
    numbers: ClassVar[Iterator[int]]

    def reply(self, *words):
        if next(self.numbers) < 8:
            self.waiting.wait(120)
        return super().reply(*words)


def test_eight_trials_spend_at_most_the_budget_and_the_requests_in_progress(agents):
    turn = Turn("I look.", Tokens(100_000, output=16_000), command="true")
    Crowded.waiting, Crowded.numbers = threading.Barrier(8), itertools.count()
    model, budget = Crowded([turn] * 9, SHELL_TOOLS), 1.0
    with agents.model(script=model):
        made = agents.run(4, agents.adapter(), models=MODEL, attempts=4, budget=budget, jobs=8)
    with agents.store() as store:
        rows = list(store.agent_trials.series_requests(made.series))
    sent = [row for row in rows if not row.refused]
    refusals = [row.started_at for row in rows if row.refused]
    each = sent[0].cost_usd
    assert {row.cost_usd for row in sent} == {each}
    assert budget <= made.systems[0].cost_usd < budget + each
    assert len(model.sent) == len(sent)
    assert max(row.started_at for row in sent) <= min(refusals)
    assert "for this series is reached" in made.halted
    assert len(made.not_started) >= 4
    assert len(made.trials) + len(made.not_started) == 16
