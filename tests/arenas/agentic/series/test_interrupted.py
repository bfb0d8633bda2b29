"""Series that are in progress, or were stopped: their figures and states on every surface."""

import asyncio
import threading
from typing import ClassVar

import pytest
from click.testing import CliRunner

from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.script import Turn
from benchmaker.arenas.agentic.series.api import agent_series
from benchmaker.arenas.agentic.series.attempt import SeriesLimits
from benchmaker.cli import main
from benchmaker.web.agentic.series_rows import series_row
from benchmaker.web.agentic.trial_document import trial_document
from benchmaker.web.live.series_state import agent_series_state
from tests.arenas.agentic.series.conftest import MODEL, TURNS

FIRST = TURNS[0].tokens
FIRST_USD = FIRST.uncached * 0.15e-6 + FIRST.cached * 0.075e-6 + FIRST.output * 0.60e-6


@pytest.fixture
def stopped(agents):
    """Agents, what a series showed in progress, and its result after it was stopped there."""
    seen, stop = [], asyncio.Event()

    def look(_progress):
        shown = agent_series(home=agents.home)
        if shown.trials and shown.trials[0].cost_usd:
            seen.append(shown)
            stop.set()

    slow = Turn("I wait.", FIRST, command="sleep 60")
    with agents.model(slow, TURNS[1]):
        options = {"attempts": 2, "limits": SeriesLimits(drain_s=0), "on_progress": look}
        made = agents.run(1, agents.adapter(), models=MODEL, stop=stop, **options)
    return agents, seen, made


def test_a_trial_without_an_end_has_its_requests_so_far_everywhere(stopped):
    agents, seen, made = stopped
    for result in (seen[0], made):
        (trial,) = result.trials
        assert (trial.outcome, trial.requests, trial.gateway.unknown_costs) == (None, 1, 0)
        assert trial.usage["input_tokens"] == FIRST.uncached
        assert trial.cost_usd == pytest.approx(FIRST_USD)
        (system,) = result.systems
        assert (system.requests, system.cost_usd) == (1, trial.cost_usd)
    with agents.store() as store:
        state = agent_series_state(store, made.series)
        (it,) = state.trials.values()
        document = trial_document(state, it)
        assert document.trial.cost_usd == document.tries[0].cost_usd == made.trials[0].cost_usd
        row = series_row(store, state.series)
        assert row.cost_usd == state.cost_usd == made.trials[0].cost_usd


def test_a_series_in_progress_is_running_and_a_stopped_one_interrupted(stopped):
    agents, seen, made = stopped
    assert (seen[0].state, seen[0].interrupted, seen[0].not_started) == ("running", False, ())
    for result in (made, agent_series(home=agents.home)):
        assert (result.state, result.interrupted) == ("interrupted", True)
        assert [it["attempt"] for it in result.not_started] == [2]
    with agents.store() as store:
        assert agent_series_state(store, made.series).word == "interrupted"
    listed = CliRunner().invoke(main, ["agents", "show", "--home", str(agents.home)]).stdout
    assert "interrupted" in listed
    shown = CliRunner().invoke(main, ["agents", "show", "latest", "--home", str(agents.home)])
    assert "1 trial without a score (interrupted)." in shown.stdout


class Held(Scripted):
    """A model that answers once it is released."""

    released: ClassVar[threading.Event]

    def reply(self, *words):
        self.released.wait(60)
        return super().reply(*words)


@pytest.mark.long
def test_a_request_that_ctrl_c_cut_off_leaves_the_trial_its_cap(agents):
    Held.released, stop = threading.Event(), asyncio.Event()

    def look(_progress):
        if any(it.requests for it in agent_series(home=agents.home).trials):
            stop.set()

    options = {"limits": SeriesLimits(drain_s=0), "on_progress": look, "stop": stop}
    with agents.model(script=Held(TURNS, SHELL_TOOLS)):
        made = agents.run(1, agents.adapter(), models=MODEL, trial_budget=0.01, **options)
        Held.released.set()
        assert (made.state, made.open, made.capped_trials) == ("interrupted", 1, ())
        with agents.store() as store:
            (row,) = store.agent_trials.series_requests(made.series)
        assert (row.status, row.was_cut, row.cost_usd) == (0, True, None)
        assert row.most_usd > 0.01
        again = agents.resume()
    (trial,) = again.trials
    assert (str(trial.outcome), trial.tries, trial.requests) == ("solved", 2, 3)
    assert trial.gateway.unknown_costs == 1
