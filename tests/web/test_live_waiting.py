"""An answer that waits for its judge or its rendering is neither done nor unscored."""

import pytest

from benchmaker.record import AWAITING_JUDGE, Completion, Outcome
from benchmaker.store import Store, Writer
from benchmaker.web.arena.fragments import progress_segments
from benchmaker.web.live.state import live_state_of
from benchmaker.web.rendering import fragment
from tests.store.filled import a_trial, add_run

WAITING = {"outcome": Outcome.UNSCORED, "score": None, "flags": (AWAITING_JUDGE,)}


@pytest.fixture
def now(tmp_path):
    """A run of six trials: two scored, one without a score for good, three that wait."""
    with Store.open(tmp_path / "benchmaker.db") as store:
        add_run(store, planned=6)
        with Writer(store) as writer:
            for at in range(3):
                writer.put(a_trial(at, completion=Completion(text="42"), **WAITING))
            writer.put(a_trial(3))
            writer.put(a_trial(4))
            writer.put(a_trial(5, outcome=Outcome.UNSCORED, score=None))
        return live_state_of(store, "run-1")


def test_what_waits_is_counted_apart(now):
    assert (now.n_done, now.n_awaiting, now.n_left) == (3, 3, 3)
    assert now.outcomes[1]["none"] == 1
    assert dict(now.details) == {"scored": 2, "unscored": 1}


def test_the_page_says_how_many_wait(now):
    run, counts = now.target.current_run, now.outcomes[1]
    tiles = fragment("arena/tiles", now=now, oob=False)
    progress = fragment(
        "arena/progress", now=now, run=run, counts=counts, awaiting=now.awaits[1], done=3,
        groups={"none": "unscored"}, idle=0, unfinished=0,
        bars=progress_segments(counts, run.planned), oob=False,
    )  # fmt: skip

    assert "3 <" in tiles
    assert "3 waiting for a score" in tiles
    assert "1 unscored" in progress
    assert "3 waiting for a score" in progress
    assert "0 not run" in progress
