"""kill -9 while models are asked: the server's count against the rows, at every point."""

from random import Random

import pytest

from tests.faults.live_work import (
    CASES,
    CONCURRENCY,
    TRIALS,
    answers_by_question,
    ended,
    finish,
    killed_after,
    report,
    rows,
    start,
    stored,
)
from tests.faults.processes import wait_until
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace

pytestmark = pytest.mark.warm

KILLS = 10
LATENCY_S = 0.05
COMMIT_S = 0.05
A_KILL_COSTS = CONCURRENCY
"""What is in flight: no worker asks on before the row of its last answer is durable."""


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=LATENCY_S)) as started:
        yield started


@pytest.fixture(scope="module")
def uninterrupted(server, tmp_path_factory):
    """Rows and report of a run that nobody disturbed."""
    home = tmp_path_factory.mktemp("uninterrupted")
    finish(home, environ_for(server, "sk-proj-undisturbed-0"))
    return rows(home), report(home)


def check(home, server, uninterrupted, seed):
    """Kill a run ten times, each at some answer and up to a commit later; then let it finish."""
    random = Random(seed)  # noqa: S311  seeded on purpose
    key = f"sk-proj-killed-{seed}"
    environ = environ_for(server, key)
    kills = []
    for _ in range(KILLS):
        before = stored(home)
        child = start("run" if before is None else "resume", home, environ)
        number, delay_s = random.randint(0, 8), random.random() * COMMIT_S
        end = killed_after(child, server, key, number, delay_s)
        kills.append((number, round(delay_s, 3), end.acknowledged, stored(home)))

        assert (stored(home) or 0) >= max(before or 0, end.acknowledged), (seed, kills)
    finish(home, environ)
    repeated = sum(answers_by_question(server, key).values()) - TRIALS
    print("seed", seed, "kills", kills, "paid twice", repeated)  # noqa: T201  what replays it

    assert rows(home) == uninterrupted[0], (seed, kills)
    assert report(home) == uninterrupted[1], (seed, kills)
    assert len(answers_by_question(server, key)) == TRIALS, (seed, kills)
    assert 0 <= repeated <= KILLS * A_KILL_COSTS, (seed, kills)


@pytest.mark.quick("nothing that was paid for may be lost")
def test_after_ten_kills_nothing_is_lost_or_doubled(tmp_path, server, uninterrupted):
    check(tmp_path, server, uninterrupted, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 13))
def test_after_more_than_a_hundred_kills_nothing_is_lost_or_doubled(
    tmp_path, server, uninterrupted, seed
):
    check(tmp_path, server, uninterrupted, seed)


def test_of_two_processes_on_one_run_one_works_and_the_other_says_who(tmp_path, server):
    key = "sk-proj-two-processes-0"
    environ = environ_for(server, key)
    first = start("run", tmp_path, environ)
    wait_until(first, "done")
    second = ended(start("resume", tmp_path, environ))
    done = ended(first)

    assert second.code == 4
    assert second.last["error"] == "Conflict"
    assert f"held by process {first.process.pid} on" in second.last["message"]
    assert done.last["finished"]
    assert set(answers_by_question(server, key).values()) == {1}
    assert len(rows(tmp_path)) == 2 * CASES
