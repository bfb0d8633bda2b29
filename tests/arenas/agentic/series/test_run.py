"""Running series: outcomes, caps, stop rules, evaluation, and what is kept."""

import asyncio

import pytest

from benchmaker.arenas.agentic.running.scripted.script import Tokens, Turn
from benchmaker.arenas.agentic.series.api import agent_series
from benchmaker.arenas.agentic.series.attempt import SeriesLimits
from benchmaker.arenas.agentic.series.stop_rules import StopRules
from benchmaker.engine.runs.lock import lock_series
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import Conflict, PrerequisiteError, SpecError
from benchmaker.record.agent_trial import AgentTrial, TrialKey, TrialOutcome
from tests.arenas.agentic.series.conftest import MODEL, TOKENS, TURNS, shell


def outcomes(result, system=None):
    return [str(it.outcome) for it in result.trials if system in (None, it.system)]


def test_a_series_is_run_verified_and_evaluated(agents):
    with agents.model():
        made = agents.run(2, [agents.adapter(), "oracle", "nop"], models=MODEL, attempts=2)
    assert made.finished_at
    assert len(made.trials) == made.trial_count == 12
    assert set(outcomes(made, "tiny · gpt-4o-mini")) == {"solved"}
    assert set(outcomes(made, "oracle")) == {"solved"}
    assert set(outcomes(made, "nop")) == {"failed"}
    tiny = made.systems[0]
    assert (tiny.solved, tiny.trials, tiny.requests) == (4, 4, 8)
    assert sum(filter(None, tiny.usage.values())) == 4 * TOKENS
    assert tiny.cost_per_success == tiny.cost_usd / 4 > 0
    with agents.store() as store:
        ids = [it.submission_id for it in made.trials]
        assert set(store.agentic.metric_digests(ids)) == set(ids)
        evaluations = store.agentic.evaluations(profile="robust/2")
        attempts = store.agentic.attempts()
        assert sorted(it.submission_id for it in attempts) == sorted(ids)
        assert {it.submission_id for it in evaluations} == set(ids)


def test_a_series_runs_where_a_loop_runs_as_in_notebooks(agents):
    async def cell():
        return agents.run(1, ["oracle"])

    assert outcomes(asyncio.run(cell())) == ["solved"]


def test_a_series_budget_is_kept_by_parallel_trials_and_a_larger_one_finishes(agents):
    budget = 0.0015
    with agents.model():
        made = agents.run(4, agents.adapter(), models=MODEL, attempts=4, budget=budget, jobs=8)
        assert "for this series is reached" in made.halted
        assert made.not_started
        assert {it["system"] for it in made.not_started} == {"tiny · gpt-4o-mini"}
        assert made.finished_at is None
        assert set(outcomes(made)) <= {"solved", "gateway_error"}
        spent = made.systems[0].cost_usd
        assert budget <= spent <= budget + 0.002
        again = agents.resume(budget=1.0)
    assert (again.open, again.halted, again.not_started) == (0, "", ())
    assert set(outcomes(again)) == {"solved"}
    assert again.systems[0].cost_usd > spent


def test_a_trial_budget_is_the_trials_own_outcome(agents):
    look = Turn("I look.", Tokens(100, output=5), command="cat question.txt")
    with agents.model(look, *TURNS):
        made = agents.run(1, agents.adapter(), models=MODEL, trial_budget=1e-6)
    (trial,) = made.trials
    assert (trial.outcome, trial.reward, trial.requests) == (TrialOutcome.BUDGET, 0.0, 1)
    assert trial.gateway.refusals == 1
    assert made.finished_at


def test_infrastructure_is_tried_again_never_scored_and_does_not_count_on_boards(agents):
    folder = agents.tasks(1)[0]
    with (folder / "task.yaml").open("a") as file:
        file.write(
            "  - {id: look, type: output_match, run: [cat, answer.txt], expected_file: no.txt, "
            "required: true}\n"
        )
    made = agents.run([folder], ["oracle"], attempts=2)
    assert outcomes(made) == ["verifier_error"] * 2
    assert [it.tries for it in made.trials] == [3, 3]
    with agents.store() as store:
        for trial in store.agent_trials.trials(made.series):
            assert [str(it.outcome) for it in trial.ends] == ["verifier_error"] * 3
            assert all("no verdict of look" in it.detail for it in trial.ends)
    assert (made.systems[0].trials, made.systems[0].unscored, made.finished_at) == (0, 2, None)
    assert made.systems[0].success is None
    with agents.store() as store:
        assert len(store.agentic.attempts()) == 2
        assert len(store.agent_trials.unscored_keys()) == 2


def test_a_system_that_crashes_in_all_first_trials_is_stopped_and_others_go_on(agents):
    made = agents.run(1, [shell("exit 3"), "oracle"], attempts=5)
    crashing = made.systems[0].system
    assert set(made.stopped) == {crashing}
    assert made.stopped[crashing].startswith("its first 3 trials all ended agent_crashed")
    assert [it["attempt"] for it in made.not_started] == [4, 5]
    assert outcomes(made, "oracle") == ["solved"] * 5
    assert outcomes(made, crashing) == ["agent_crashed"] * 3
    shown = agent_series(home=agents.home)
    assert (shown.stopped, shown.not_started) == (made.stopped, made.not_started)
    assert shown.to_dict()["stopped"] == made.stopped


def test_a_resumed_series_forgets_why_systems_were_stopped_before(agents):
    adapter = agents.adapter("raise SystemExit(3)", name="moody", wire="")
    made = agents.run(1, adapter, attempts=4)
    assert list(made.stopped) == ["moody"]
    agents.adapter("open('answer.txt', 'w').write('right')", name="moody", wire="")
    again = agents.resume()
    assert (again.stopped, again.not_started, again.open) == (None, (), 0)


def test_a_resumed_system_with_a_score_is_not_stopped_for_the_failures_that_are_left():
    key = TrialKey("s", "t", "a", 1)
    fields = {"task_hash": "", "agent": "a", "model": ""}
    solved = AgentTrial(key=key, outcome=TrialOutcome.SOLVED, reward=1.0, **fields)
    ran = {"outcome": TrialOutcome.GATEWAY_ERROR, "started_at": "2026-01-01T00:00:00Z"}
    failed = AgentTrial(key=key, **ran, **fields)
    rules, fresh = StopRules(2), StopRules(2)
    rules.add_earlier([failed, solved])
    fresh.add_earlier([failed])
    assert [rules.add(failed) for _ in range(4)] == [False] * 4
    assert [fresh.add(failed) for _ in range(2)] == [False, True]
    assert fresh.stopped["a"].startswith("its first 2 trials since the series was resumed all")


def test_a_trial_that_was_not_run_since_its_cap_is_used_up_stops_no_system():
    fields = {"task_hash": "", "agent": "a", "model": "m"}
    key, outcome = TrialKey("s", "t", "a", 1), TrialOutcome.GATEWAY_ERROR
    unrun = AgentTrial(key=key, outcome=outcome, **fields)
    ran = AgentTrial(key=key, outcome=outcome, started_at="2026-01-01T00:00:00Z", **fields)
    rules = StopRules(2)
    assert [rules.add(it) for it in (unrun, unrun, unrun, ran, unrun, ran)] == [False] * 5 + [True]


def test_workspaces_are_kept_up_to_a_size(agents):
    made = agents.run(1, ["oracle"], attempts=2)
    place = agents.home / "agent-trials" / made.series / "workspaces" / "t0"
    kept = sorted(it.name for it in place.iterdir())
    assert kept == sorted(it.submission_id for it in made.trials)
    assert (place / kept[0] / "answer.txt").read_text() == "right"
    none = agents.run(1, ["oracle"], limits=SeriesLimits(kept_mb=0))
    assert none.removed_workspaces == 3
    assert not list(place.iterdir())


def test_a_stopped_series_keeps_what_is_finished_and_is_resumed(agents):
    stop = asyncio.Event()

    def stop_after_two(progress):
        if progress.done >= 2:
            stop.set()

    made = agents.run(2, ["oracle", "nop"], attempts=2, stop=stop, on_progress=stop_after_two)
    assert made.interrupted
    first = {(it.task, it.system, it.attempt): it.finished_at for it in made.trials}
    assert 2 <= len(first) < 8
    again = agents.resume()
    assert not again.interrupted
    assert (len(again.trials), again.open) == (8, 0)
    later = {(it.task, it.system, it.attempt): it.finished_at for it in again.trials}
    assert first.items() <= later.items()
    assert [it.tries for it in again.trials] == [1] * 8


def test_a_series_has_one_runner(agents):
    made = agents.run(1, ["oracle"])
    with agents.store() as store:
        lock = lock_series(store, made.series, clock=SystemClock(), ttl_s=60)
        with lock, pytest.raises(Conflict, match="held by process"):
            agents.resume()


def test_a_changed_task_is_refused(agents):
    made = agents.run(1, ["oracle"])
    (agents.tasks(1)[0] / "start" / "more.txt").write_text("x")
    with pytest.raises(SpecError, match="task t0 has changed"):
        agents.resume(made.series)


def test_what_is_missing_is_named_before_anything_is_stored(agents):
    with pytest.raises(PrerequisiteError) as caught:
        agents.run(1, ["codex"], models=MODEL, budget=1.0)
    assert "codex: the program 'codex' is not installed" in str(caught.value)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert not (agents.home / "benchmaker.db").exists()


def test_a_budget_needs_a_price(agents):
    agents.variables = {"OPENAI_API_KEY": "sk-test"}
    with pytest.raises(PrerequisiteError, match="price of openai/none-such is unknown"):
        agents.run(1, [agents.adapter()], models="openai/none-such", budget=1.0)
