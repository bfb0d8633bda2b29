"""Series of which the replies of models are replayed from a recording."""

import asyncio

import pytest

from benchmaker import leaderboard
from benchmaker.errors import SpecError
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


def test_a_replayed_series_is_resumed_as_a_replay(agents, tmp_path):
    """The folder is remembered: no key is needed, and no model is queried."""
    record, stop = tmp_path / "record", asyncio.Event()
    options = {"models": MODEL, "attempts": 2}
    with agents.model():
        agents.run(1, agents.adapter(), record=record, **options)
    agents.variables = {}

    def stop_after_one(progress):
        if progress.done:
            stop.set()

    options |= {"replay": record, "stop": stop, "on_progress": stop_after_one}
    begun = agents.run(1, agents.adapter(), **options)
    assert (begun.state, begun.open) == ("interrupted", 1)
    with pytest.raises(SpecError, match="recorded and replayed"):
        agents.resume(record=tmp_path / "other")
    again = agents.resume()
    found = [(str(it.outcome), it.flags) for it in again.trials]
    assert found == [("solved", ("replayed",))] * 2


def test_a_series_is_resumed_with_recorded_replies(agents, tmp_path):
    """Those of its trials alone that are replayed have the flag."""
    record = tmp_path / "record"
    with agents.model():
        agents.run(1, agents.adapter(), models=MODEL, attempts=2, record=record)
        begun = agents.run(1, agents.adapter(), models=MODEL, attempts=2, budget=1e-9)
    assert begun.open == 2
    agents.variables = {}
    again = agents.resume(budget=1.0, replay=record)
    assert [(str(it.outcome), it.flags) for it in again.trials] == [("solved", ("replayed",))] * 2
