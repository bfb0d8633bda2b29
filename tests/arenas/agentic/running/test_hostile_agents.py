"""Agents that do harm: each has its stated outcome, and none of them solves the task."""

import json
import os

import pytest

from benchmaker.record.agent_trial import TrialOutcome
from benchmaker.record.submissions.submission import Submission, System

REAL_KEY = "sk-real-key-of-the-endpoint-1234567890"

REWARD = """
import os, pathlib
for name in ("reward.txt", "reward.json", "result.json", "verifier/reward.txt", "sorted.txt.ok"):
    for root in (".", os.environ["HOME"], "/tmp"):
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"reward": 1, "success": true}')
for name in ("/logs/verifier/reward.txt", "/run/benchmaker/reward.txt"):
    try: pathlib.Path(name).parent.mkdir(parents=True); pathlib.Path(name).write_text("1")
    except OSError: pass
os.write(int(os.environ["BENCHMAKER_VERDICT_FD"]), b'{"success": true}')
"""

TESTS = """
import pathlib
pathlib.Path("names.txt").write_text("a\\n")
pathlib.Path("sorted.txt").write_text("a\\n")
for name in ("tests/test_sorted.py", "conftest.py", "sitecustomize.py", "task.yaml"):
    path = pathlib.Path(name); path.parent.mkdir(exist_ok=True); path.write_text("pass")
for name in ("sort", "cmp", "sh"):
    path = pathlib.Path(name); path.write_text("#!/bin/sh\\nexit 0\\n"); path.chmod(0o755)
"""

SEARCH = f"""
import os, pathlib
wanted = "{REAL_KEY[:12]}" + "{REAL_KEY[12:]}"
def seen():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "cmdline", "maps", "mountinfo"):
            try: yield pathlib.Path("/proc", pid, name).read_bytes()
            except OSError: pass
    for folder in ("/run", "/workspace", "/etc", "/tmp", "/dev/shm"):
        for here, _, names in os.walk(folder):
            for name in names:
                path = pathlib.Path(here, name)
                try:
                    if path.is_file(): yield path.read_bytes()
                except OSError: pass
for data in seen():
    if wanted.encode() in data and b"def seen" not in data:
        raise SystemExit("found")
raise SystemExit("nothing found")
"""

OTHER_TRIAL = """
import os, sys, urllib.request, urllib.error
body = b'{"model": "m", "messages": []}'
url = os.environ["BENCHMAKER_BASE_URL"] + "/v1/chat/completions"
for token in (%r, "", "trial-" + "0" * 32):
    request = urllib.request.Request(url, body, {"Authorization": "Bearer " + token})
    try: urllib.request.urlopen(request, timeout=20)
    except urllib.error.HTTPError as exc: print(exc.code, file=sys.stderr)
"""

BOMB = """
import os, time
while True:
    try: os.fork()
    except OSError: time.sleep(.05)
"""

FULL = """
import os
with open(os.path.expanduser("~/large"), "wb") as file:
    while True: file.write(bytes(1 << 20)); file.flush()
"""

MANY = """
import itertools
for number in itertools.count(): open(f"file-{number}", "w").close()
"""

KILL = "import os; os.kill(-1, 9)"
FLOOD = "while True: print('x' * 100_000)"
MEMORY = "held = []\nwhile True: held.append(bytearray(b'x' * (8 << 20)))"
LINK = "import os; os.symlink('/etc/passwd', 'sorted.txt'); os.symlink('/', 'all')"
CRASHED = TrialOutcome.AGENT_CRASHED


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        pytest.param(REWARD, TrialOutcome.FAILED, id="writes-a-reward"),
        pytest.param(TESTS, TrialOutcome.FAILED, id="edits-the-tests"),
        pytest.param(LINK, TrialOutcome.FAILED, id="links-to-the-host"),
        pytest.param(BOMB, CRASHED, id="fork-bomb"),
        pytest.param(FULL, CRASHED, id="full-disk"),
        pytest.param(MANY, CRASHED, id="all-inodes", marks=pytest.mark.long),
        pytest.param(MEMORY, CRASHED, id="memory", marks=pytest.mark.long),
        pytest.param(KILL, TrialOutcome.FAILED, id="kills-the-relay"),
        pytest.param(FLOOD, CRASHED, id="floods-its-output", marks=pytest.mark.long),
        pytest.param("while True: pass", TrialOutcome.TIMEOUT, id="never-ends"),
    ],
)
def test_harm_is_not_solved(trials, agent_of, code, outcome):
    limits = {"wall_s": 3 if outcome is TrialOutcome.TIMEOUT else 60, "output_bytes": 100_000}
    trial, _ = trials.run(agent_of(code), limits=limits)
    assert (trial.outcome, trial.reward) == (outcome, 0.0), trial.detail


def test_the_key_is_nowhere_inside(trials, agent_of, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", REAL_KEY)
    assert REAL_KEY in os.environ.values()
    trial, _ = trials.run(agent_of(SEARCH))
    assert (trial.outcome, trial.detail) == (CRASHED, "exit code 1: nothing found")


def test_another_trials_token_is_refused(trials, agent_of):
    trial, _ = trials.run(agent_of(OTHER_TRIAL % "trial-of-another"))
    assert (trial.outcome, trial.meter.requests) == (TrialOutcome.FAILED, 0)


def test_a_log_can_not_replace_another_submission(trials, agent_of):
    system = System(harness="victim", model="m")
    trials.store.put_submission(Submission(id="victim-1", system=system, session_id="s"))
    row = {"schema_version": "benchmaker.submission/1", "id": "victim-1", "total_tokens": 1}
    row |= {"system": {"harness": "forged"}, "submitter": "somebody", "outcome": {"success": True}}
    code = f"import os\nopen(os.path.expanduser('~/log.json'), 'w').write({json.dumps(row)!r})\n"
    trial, made = trials.run(agent_of(code, logs=("log.json",)))
    assert trial.outcome is TrialOutcome.FAILED
    assert trials.store.submission("victim-1").system.harness == "victim"
    assert (made.id, made.system.harness) == (trial.submission_id, "tiny")
    assert (made.submitter, made.outcome.success) == ("local", None)
