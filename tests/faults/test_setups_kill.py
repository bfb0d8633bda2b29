"""kill -9 during a run with prompts, variables, models and efforts, at every point."""

from random import Random

import pytest

from benchmaker.store import Store
from tests.faults.live_work import (
    CONCURRENCY,
    answers_by_question,
    finish,
    killed_after,
    report,
    rows,
    start,
    stored,
)
from tests.live.faulty import FaultyServer
from tests.live.runs import environ_for
from tests.live.server.pace import Pace

pytestmark = pytest.mark.warm

CASES = 4
SETUPS = 3 * 2 * 2
TRIALS = CASES * 2 * SETUPS
KILLS = 8
LATENCY_S = 0.03
COMMIT_S = 0.05
PLAN = {"cases": CASES, "has_setups": True}


@pytest.fixture(scope="module")
def server():
    with FaultyServer(Pace(latency_s=LATENCY_S)) as started:
        yield started


@pytest.fixture(scope="module")
def uninterrupted(server, tmp_path_factory):
    """Rows and report of a run that nobody disturbed."""
    home = tmp_path_factory.mktemp("uninterrupted")
    finish(home, environ_for(server, "sk-proj-setups-undisturbed"), **PLAN)
    return rows(home), report(home)


def check(home, server, uninterrupted, seed):
    """Kill a run several times, each at some answer and up to a commit later; then finish it."""
    random = Random(seed)  # noqa: S311  seeded on purpose
    key = f"sk-proj-setups-{seed}"
    environ = environ_for(server, key)
    kills = []
    for _ in range(KILLS):
        before = stored(home)
        child = start("run" if before is None else "resume", home, environ, **PLAN)
        number, delay_s = random.randint(0, 14), random.random() * COMMIT_S
        end = killed_after(child, server, key, number, delay_s)
        kills.append((number, round(delay_s, 3), end.acknowledged, stored(home)))

        assert (stored(home) or 0) >= max(before or 0, end.acknowledged), (seed, kills)
    finish(home, environ, **PLAN)
    answered = answers_by_question(server, key)

    assert rows(home) == uninterrupted[0], (seed, kills)
    assert report(home) == uninterrupted[1], (seed, kills)
    assert len(rows(home)) == TRIALS
    assert 0 <= answered.total() - TRIALS <= KILLS * CONCURRENCY, (seed, kills)
    assert len(answered) == 2 * CASES * 2 * 2, "2 models, 2 prompts"
    assert min(answered[key] for key in answered if key[0] == "one") >= 4, "2 labels × 2 efforts"


@pytest.mark.quick("nothing that was paid for may be lost")
def test_after_several_kills_every_setup_is_complete_and_none_is_repeated(
    tmp_path, server, uninterrupted
):
    check(tmp_path, server, uninterrupted, 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 14))
def test_after_a_hundred_kills_every_setup_is_complete(tmp_path, server, uninterrupted, seed):
    check(tmp_path, server, uninterrupted, seed)


def test_a_run_cut_short_has_whole_cases_of_every_setup(tmp_path, server):
    key = "sk-proj-setups-fair"
    child = start("run", tmp_path, environ_for(server, key), **PLAN)
    killed_after(child, server, key, TRIALS // 2, 0.0)
    with Store.open(tmp_path / "benchmaker.db") as store:
        run = store.runs(limit=1)[0]
        done = [sum(1 for _ in store.trials(run.id, model=name)) for name in run.models]
    assert max(done) - min(done) <= 2 + CONCURRENCY // 2, done
