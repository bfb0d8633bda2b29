"""A runner that is killed loses nothing, and nothing is run or evaluated twice."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from benchmaker.arenas.agentic.series.api import agent_series
from benchmaker.record.agent_trial import TrialMeter
from tests.arenas.agentic.series.conftest import TOKENS

ROOT = Path(__file__).parents[4]


class Parent:
    """Starts runners by forks of a process that has everything imported."""

    def __init__(self, agents, model_url, *, tasks, attempts, jobs):
        named = f"{agents.adapter()},oracle"
        words = (agents.home, model_url, jobs, ",".join(map(str, agents.tasks(tasks))), named)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.arenas.agentic.series.child", *map(str, words),
             str(attempts)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, kill_after=None, pause_s=0.0):
        """Run until the end, or kill after so many lines; True if it ended."""
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        pid = int(self.process.stdout.readline())
        seen, has_ended = 0, False
        while (line := self.process.stdout.readline()) != "gone\n":
            assert line, "the parent has ended"
            has_ended |= line == "ended\n"
            seen += line == "progress\n"
            if kill_after is not None and seen == kill_after:
                time.sleep(pause_s)
                with suppress(ProcessLookupError):  # the series ended first
                    os.kill(pid, signal.SIGKILL)
                kill_after = None
        return has_ended

    def close(self):
        with self.process:
            self.process.stdin.close()


def kill_often(agents, *, kills, tasks, attempts, jobs, seed):
    """Kill a series so often, or as often as it takes to end; the number of kills."""
    random = Random(seed)  # noqa: S311  no secret
    with agents.model() as model:
        parent = Parent(
            agents, agents.variables["OPENAI_BASE_URL"].removesuffix("/v1"),
            tasks=tasks, attempts=attempts, jobs=jobs,
        )  # fmt: skip
        made = 0
        while made < kills and not parent.run(random.randint(1, 6), random.uniform(0.0, 0.2)):
            made += 1
        while not parent.run():
            pass
        parent.close()
        check(agents, len(model.sent), planned=tasks * 2 * attempts)
    return made


def check(agents, answers, *, planned):
    """All attempts are there, each with one submission and evaluation, and every request."""
    made = agent_series(home=agents.home)
    assert (len(made.trials), made.open) == (planned, 0)
    assert {str(it.outcome) for it in made.trials} == {"solved"}
    assert made.finished_at
    with agents.store() as store:
        rows = list(store.agent_trials.series_requests(made.series))
        assert len({(row.key, row.number) for row in rows}) == len(rows) >= answers
        kept = Counter()
        for row in rows:
            kept[row.key._replace(attempt_try=1)] += 1
        for trial in store.agent_trials.trials(made.series):
            assert trial.meter_of_tries.requests == kept[trial.key._replace(attempt_try=1)]
            own = TrialMeter.of(store.agent_trials.requests(trial.key))
            assert trial.meter == own
            if trial.model:
                assert sum(filter(None, usage_of(own))) == TOKENS
        ids = [it.submission_id for it in made.trials]
        found = [it.submission_id for it in store.agentic.evaluations("robust/2")]
        assert sorted(found) == sorted(ids)
        assert {store.submission(one).revision for one in ids} == {1}
        assert sorted(it.submission_id for it in store.agentic.attempts()) == sorted(ids)


def usage_of(meter):
    usage = meter.usage
    return usage.input_tokens, usage.cache_read_tokens, usage.output_tokens


@pytest.mark.long
def test_a_runner_killed_at_some_points_loses_nothing(agents):
    kill_often(agents, kills=4, tasks=1, attempts=2, jobs=2, seed=1)


@pytest.mark.long
def test_a_runner_killed_at_100_points_loses_nothing(tmp_path, agents):
    kills = 0
    for seed in range(40):
        agents.home = tmp_path / f"home-{seed}"
        kills += kill_often(agents, kills=100 - kills, tasks=3, attempts=5, jobs=4, seed=seed)
        if kills >= 100:
            return
    pytest.fail(f"only {kills} kills")
