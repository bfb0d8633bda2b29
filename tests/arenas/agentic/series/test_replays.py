"""Series of which the replies of models are replayed from a recording."""

import pytest

from benchmaker import leaderboard
from tests.arenas.agentic.series.conftest import MODEL

pytestmark = pytest.mark.long


def test_a_replayed_trial_is_flagged_and_counts_on_no_board(agents, tmp_path):
    record = tmp_path / "record"
    with agents.model():
        agents.run(1, agents.adapter(), models=MODEL, record=record)
        before = leaderboard(home=agents.home).to_dict()["rows"]
        replayed = agents.run(1, agents.adapter(), models=MODEL, replay=record)
    (trial,) = replayed.trials
    assert (str(trial.outcome), trial.flags) == ("solved", ("replayed",))
    assert leaderboard(home=agents.home).to_dict()["rows"] == before
    with agents.store() as store:
        assert store.agentic.metrics_of(trial.submission_id).quarantined
        assert len(store.agentic.attempts()) == 1
