"""Series of agents at tasks whose required criteria need a judge."""

import re

import pytest

from benchmaker.arenas.agentic.series.api import agent_series
from benchmaker.cli.progress.series import details
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record.dollars import dollars
from benchmaker.web.agentic.series_grid import GridLook, series_grid
from benchmaker.web.agentic.series_parts import page_content
from benchmaker.web.live.series_state import agent_series_state
from benchmaker.web.query import View
from tests.arenas.agentic.judge_server import JudgeServer
from tests.arenas.agentic.series.conftest import MODEL, shell

RUBRIC = (
    "  - {id: neat, type: llm_rubric, rubric: Is it neat?, paths: [answer.txt], required: true}\n"
)
REPLY_USD = 100 * 0.15e-6 + 10 * 0.60e-6
"""The price of a reply of the judge: 100 tokens in, 10 out."""


@pytest.fixture
def judged(agents):
    with (agents.tasks(1)[0] / "task.yaml").open("a") as file:
        file.write(RUBRIC)
    judge = JudgeServer()
    agents.variables = judge.environ
    with judge.running():
        yield agents, judge


@pytest.mark.parametrize(("score", "outcome"), [(9, "solved"), (1, "failed")])
def test_a_judge_decides_required_criteria_and_its_cost_is_no_systems(judged, score, outcome):
    agents, judge = judged
    judge.score = score
    seen = []
    options = {"judges": MODEL, "attempts": 2, "on_progress": seen.append}
    made = agents.run(1, shell("printf right > answer.txt"), **options)
    assert (seen[0].judge_usd, seen[-1].judge_usd) == (None, made.judge_usd)
    assert f"judges {dollars(made.judge_usd)}" in details(seen[-1])
    assert [str(it.outcome) for it in made.trials] == [outcome] * 2
    assert len(judge.asked) == 1  # the second workspace is the same
    assert made.judge_usd == pytest.approx(REPLY_USD)
    assert (made.systems[0].cost_usd, made.trials[0].cost_usd) == (None, None)
    assert agent_series(home=agents.home).judge_usd == made.judge_usd


def test_judges_are_paid_for_out_of_the_budget_of_the_series(judged):
    agents, judge = judged
    agent = shell("printf right > answer.txt")
    made = agents.run(1, agent, judges=MODEL, attempts=2, budget=REPLY_USD)
    assert (made.judge_usd, made.open, judge.asked) == (None, 2, [])
    (trial,) = made.trials
    assert "does not cover another request" in trial.detail
    assert (str(trial.outcome), trial.tries) == ("verifier_error", 1)
    assert "does not cover another request" in made.halted
    assert [it["attempt"] for it in made.not_started] == [2]
    assert (made.state, made.unfinished, made.interrupted) == ("unfinished", True, False)
    assert made.stopped is None
    shown = agent_series(home=agents.home)
    assert (shown.halted, shown.not_started) == (made.halted, made.not_started)
    with agents.store() as store:
        store.agent_trials.add_judge_cost(made.series, 1.0)
    assert (agents.resume(budget=1.0).open, judge.asked) == (2, [])
    again = agents.resume(budget=2.0)
    assert [str(it.outcome) for it in again.trials] == ["solved"] * 2
    assert again.judge_usd == pytest.approx(1 + REPLY_USD)


OTHERS = shell("date +%s%N > answer.txt")
"""An agent whose workspaces differ, so that each is judged."""


@pytest.mark.long
@pytest.mark.parametrize("budget", [2.0, None])
def test_a_reply_of_unknown_cost_counts_with_the_most_in_later_processes_too(judged, budget):
    agents, judge = judged
    judge.reports_usage = False
    made = agents.run(1, OTHERS, judges=MODEL, attempts=2, budget=budget)
    assert (made.open, made.judge_usd, made.judge_unknown_costs) == (0, None, 2)
    assert f"unknown (2 requests of unknown cost, at most {dollars(most_of(made))})" == (
        made.judge_cost
    )
    with agents.store() as store:
        store.agent_trials.finish_series(made.series, None)
        trials = store.agent_trials.trials(made.series)
    assert [it.judge_unknowns.requests for it in trials] == [1, 1]
    assert most_of(made) > 20 * REPLY_USD
    with agents.store() as store:
        store.agent_trials.change_plan(made.series, made.plan | {"budget_usd": most_of(made)})
    halted = agent_series(home=agents.home).halted
    assert f"counted at most {dollars(most_of(made))} for 2 requests of unknown cost" in halted
    assert "to judges" in halted


def most_of(made):
    return made.judge_most_unknown_usd


@pytest.mark.long
def test_what_a_judge_may_have_cost_leaves_less_for_the_next(judged):
    agents, judge = judged
    judge.reports_usage = False
    first = agents.run(1, OTHERS, judges=MODEL, budget=1.0)
    made = agents.run(1, OTHERS, judges=MODEL, attempts=3, budget=1.5 * most_of(first))
    assert (len(judge.asked), made.judge_unknown_costs, made.open) == (2, 1, 2)
    assert "1 request of unknown cost counts with its maximum" in made.halted
    assert (agents.resume().open, len(judge.asked)) == (2, 2)
    assert (agents.resume(budget=4 * most_of(first)).open, len(judge.asked)) == (0, 4)


@pytest.mark.long
def test_a_budget_is_refused_once_a_reply_may_have_cost_any_amount(judged):
    agents, _ = judged
    unpriced = "openai/none-such"
    made = agents.run(1, OTHERS, judges=unpriced)
    assert made.judge_cost == "unknown (1 request of unknown cost)"
    (agents.home / "prices.yaml").write_text(f"prices: {{{unpriced}: {{input: 1, output: 1}}}}")
    with agents.store() as store:
        store.agent_trials.finish_series(made.series, None)
    with pytest.raises(PrerequisiteError, match="1 earlier request of the series has neither"):
        agents.resume(budget=5)
    assert agents.resume().finished_at


@pytest.mark.long
def test_a_request_to_a_judge_in_progress_counts_if_the_process_is_killed(judged):
    agents, judge = judged
    seen = []
    reply = judge.reply

    def look_and_reply(given):
        seen.append(agent_series(home=agents.home))
        return reply(given)

    judge.reply = look_and_reply
    made = agents.run(1, OTHERS, judges=MODEL, budget=1.0)
    assert (seen[0].judge_usd, seen[0].judge_unknown_costs) == (None, 1)
    assert seen[0].judge_most_unknown_usd > made.judge_usd
    assert (made.judge_unknown_costs, made.judge_most_unknown_usd) == (0, None)


def test_a_gateway_counts_what_judges_cost(judged):
    agents, judge = judged
    with agents.model():
        agents.variables["OPENAI_BASE_URL"] = judge.environ["OPENAI_BASE_URL"]
        made = agents.run(1, shell("true"), judges=MODEL, models=MODEL, budget=0.5)
        with agents.store() as store:
            store.agent_trials.add_judge_cost(made.series, 0.5)
            store.agent_trials.finish_series(made.series, None)
        state = agent_series_state(store, made.series)
        assert state.is_over_budget
        text = page_content(state, series_grid(state, GridLook()), View("/", {}), str)["budget"]
    halted = agent_series(home=agents.home).halted
    assert "The cap of $0.50 for this series is reached" in halted
    assert "of it on judges" in halted
    assert re.fullmatch(r"judges \$0\.5\d*; \$0\.5\d* of a budget of \$0\.50", text)


def test_a_judge_that_cannot_be_used_is_refused_before_anything_is_run(judged):
    agents, judge = judged
    for options, error, message in (
        ({}, PrerequisiteError, "decided by a judge"),
        ({"judges": "openai/none-such", "budget": 1}, PrerequisiteError, "price of openai/none"),
        ({"judges": MODEL, "executor": "ray"}, SpecError, "can't query judges"),
        ({"judges": "anthropic/claude-opus-4-6"}, PrerequisiteError, "ANTHROPIC_API_KEY"),
    ):
        with pytest.raises(error, match=message):
            agents.run(1, "oracle", **options)
    assert not judge.asked
    plain = agents.folder / "plain"
    (agents.folder / "tasks" / "t0").rename(plain)
    with pytest.raises(PrerequisiteError, match="no criterion of the tasks uses a judge"):
        agents.run(1, "oracle", judges=MODEL)
