"""Parallel trials, workers of a cluster and kills give the same results as one after the other."""

import json
from hashlib import sha256

import msgspec
import pytest

from benchmaker.arenas.agentic import evaluate, leaderboard
from benchmaker.record.submissions.submission import TimeSpent
from benchmaker.store.agentic.submissions import NewSubmission
from benchmaker.store.home import Home
from tests.arenas.agentic.series.conftest import MODEL
from tests.arenas.agentic.series.test_kill import kill_often


def facts(made):
    """Verdicts, tokens and costs by trial; of killed trials those of their last try."""
    return {
        (it.task, it.system, it.attempt): (str(it.outcome), it.reward, it.usage, it.cost_usd)
        for it in made.trials
    }


def board_hash(agents, made, folder):
    """The hash of the board, with ids and times that are functions of the trial."""
    scripted = Home.of(folder, None)
    with agents.store() as store, scripted.open_store() as other:
        for task in {it.task for it in made.trials}:
            other.agentic.put_task(store.agentic.task(task))
        for number, it in enumerate(sorted(made.trials, key=lambda it: it.submission_id and
                                           (it.task, it.system, it.attempt))):  # fmt: skip
            name = f"{it.task}-{it.system}-{it.attempt}"
            at = f"2026-01-01T00:{number:02}:00.000Z"
            given = store.submission(it.submission_id)
            own = msgspec.structs.replace(
                given, id=name, created_at=at, started_at=at, finished_at=at,
                time=TimeSpent(wall_s=float(number + 1)), revision=1,
                attempt=msgspec.structs.replace(given.attempt, group_id="s"),
            )  # fmt: skip
            verified = store.agentic.verification(it.submission_id)
            other.agentic.put_submissions([NewSubmission(own, {})])
            other.agentic.add_verification(
                msgspec.structs.replace(verified, id=name, submission_id=name, finished_at=at)
            )
    evaluate(home=folder, clock=lambda: 1767300000.0)
    board = leaderboard(home=folder).to_dict()
    board.pop("made_at", None)
    return sha256(json.dumps(board, sort_keys=True, default=str).encode()).hexdigest()


@pytest.mark.long
def test_jobs_ray_and_kills_give_the_same_trials_and_board(agents, tmp_path):
    found = {}
    for name, options in {
        "one": {"jobs": 1},
        "eight": {"jobs": 8},
        "ray": {"jobs": 4, "executor": "ray"},
    }.items():
        agents.home = tmp_path / f"home-{name}"
        with agents.model():
            chosen = [agents.adapter(), "oracle"]
            made = agents.run(2, chosen, models=MODEL, attempts=3, **options)
        assert made.open == 0
        found[name] = (facts(made), board_hash(agents, made, tmp_path / f"board-{name}"))
    assert found["eight"] == found["one"]
    assert found["ray"] == found["one"]
    agents.home = tmp_path / "home-killed"
    kill_often(agents, kills=3, tasks=2, attempts=3, jobs=4, seed=5)
    made = agents.resume()
    assert board_hash(agents, made, tmp_path / "board-killed") == found["one"][1]
