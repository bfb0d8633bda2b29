"""Plans: no trial twice, every prefix fair, and what is still open."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.arenas.agentic.series.plan import (
    AgentSeriesPlan,
    PlannedSystem,
    PlannedTask,
    open_keys,
    planned_systems,
)
from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import AgentSeries, AgentTrial, TrialOutcome

SIZES = some.tuples(*(some.integers(1, 6) for _ in range(3)))


def a_plan(tasks=3, systems=2, attempts=5, **fields):
    return AgentSeriesPlan(
        tasks=tuple(PlannedTask(id=f"t{n}", hash="h", folder="f") for n in range(tasks)),
        systems=tuple(PlannedSystem(id=f"s{n}", agent="nop") for n in range(systems)),
        attempts=attempts,
        **fields,
    )


def a_trial(key, outcome=None):
    return AgentTrial(key=key, task_hash="h", agent="nop", model="", outcome=outcome)


@given(SIZES)
def test_every_trial_is_planned_once(sizes):
    plan = a_plan(*sizes)
    keys = list(plan.keys("s"))
    assert len(set(keys)) == len(keys) == plan.trial_count == sizes[0] * sizes[1] * sizes[2]


@given(SIZES)
def test_every_prefix_is_fair(sizes):
    plan = a_plan(*sizes)
    cells = Counter({(task.id, system.id): 0 for task in plan.tasks for system in plan.systems})
    systems = Counter({system.id: 0 for system in plan.systems})
    for key in plan.keys("s"):
        cells[key.task, key.system] += 1
        systems[key.system] += 1
        assert max(cells.values()) - min(cells.values()) <= 1
        assert max(systems.values()) - min(systems.values()) <= 1
        assert key.attempt == cells[key.task, key.system]


def test_a_plan_survives_the_store():
    plan = a_plan(budget_usd=20.0, trial_budget_usd=0.5, jobs=4)
    data = plan.to_dict()
    assert AgentSeriesPlan.of(AgentSeries(id="s", plan=data, created_at="")) == plan
    assert set(data) >= {
        "tasks", "systems", "attempts", "jobs", "budget_usd", "trial_budget_usd", "caps",
        "executor", "network",
    }  # fmt: skip
    assert set(data["tasks"][0]) == {"id", "hash", "folder"}
    assert set(data["systems"][0]) >= {"id", "agent", "model", "effort", "version"}
    assert set(data["caps"]) == {"requests", "tokens", "context_tokens", "wall_s"}


@given(SIZES, some.randoms())
def test_finished_trials_are_not_open_and_others_have_their_next_try(sizes, random):
    plan = a_plan(*sizes)
    stored, expected = [], []
    for key in plan.keys("s"):
        at = key._replace(attempt_try=random.randint(1, 4))
        outcome = random.choice((None, *TrialOutcome, "absent"))
        if outcome == "absent":
            expected.append(key)
            continue
        stored.append(a_trial(at, outcome))
        if outcome is None or outcome.is_infrastructure:
            expected.append(at._replace(attempt_try=at.attempt_try + 1))
    random.shuffle(stored)
    assert list(open_keys(plan, "s", stored)) == expected


@pytest.mark.parametrize(
    ("budget", "each", "most"),
    [(None, None, None), (20.0, None, 20.0), (None, 0.5, 15.0), (5.0, 0.5, 5.0)],
)
def test_the_most_that_it_may_cost(budget, each, most):
    plan = a_plan(budget_usd=budget, trial_budget_usd=each)
    assert plan.most_usd == 0.0
    paid = tuple(PlannedSystem(id=it.id, agent="a", model="m/m") for it in plan.systems)
    plan = AgentSeriesPlan(
        tasks=plan.tasks, systems=paid, attempts=5, budget_usd=budget, trial_budget_usd=each
    )
    assert plan.most_usd == most


class TestSystems:
    def names(self, agents, models=(), efforts=()):
        given = [(find_agent(it), "1.0") for it in agents]
        return [it.id for it in planned_systems(given, models, efforts)]

    def test_agents_are_crossed_with_models_but_for_stand_ins(self):
        found = self.names(["mini-swe-agent", "oracle", "command:true"], ["a/x", "b/y"])
        assert found == [
            "mini-swe-agent · x", "mini-swe-agent · y", "oracle", "command:true · x",
            "command:true · y",
        ]  # fmt: skip

    def test_a_command_needs_no_model(self):
        assert self.names(["command:true"]) == ["command:true"]

    def test_an_agent_may_need_a_model(self):
        with pytest.raises(SpecError, match="needs a model"):
            self.names(["codex"])

    def test_the_effort_is_part_of_the_system(self):
        assert self.names(["codex"], ["a/x"], ["low", "high"]) == [
            "codex · x · low", "codex · x · high",
        ]  # fmt: skip

    def test_equal_names_are_refused(self):
        with pytest.raises(SpecError, match="two systems have the same name, codex · x"):
            self.names(["codex"], ["a/x", "b/x"])

    def test_the_place_of_an_agent_is_kept(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("own.toml").write_text('name = "own"\nargv = ["true"]\n')
        given = [(find_agent(it), "") for it in ("own.toml", "command:true", "nop")]
        places = [it.place for it in planned_systems(given, (), ())]
        assert places == [str(tmp_path / "own.toml"), str(tmp_path), ""]
