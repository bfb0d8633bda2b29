"""The figures of systems against plain computations."""

from math import comb, isclose

import pytest

from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, PlannedSystem, PlannedTask
from benchmaker.arenas.agentic.series.series_results import figures, mean_success
from benchmaker.record import Usage
from benchmaker.record.agent_trial import AgentTrial, TrialKey, TrialMeter, TrialOutcome
from benchmaker.stats import pass_at_k

WON = {"t0": 5, "t1": 2, "t2": 0}


def a_trial(task, attempt, reward, *, cost=0.01, earlier=0.0, outcome=None, unknown=0):
    solved = TrialOutcome.SOLVED if reward else TrialOutcome.FAILED
    usage = Usage(input_tokens=10, output_tokens=2)
    return AgentTrial(
        key=TrialKey("s", task, "a", attempt, 2 if earlier else 1),
        task_hash="h",
        agent="a",
        model="m/m",
        outcome=outcome or solved,
        reward=reward,
        meter=TrialMeter(requests=1, usage=usage, cost_usd=cost, unknown_costs=unknown),
        earlier_meters=(TrialMeter(requests=1, cost_usd=earlier),) if earlier else (),
    )


def a_plan():
    return AgentSeriesPlan(
        tasks=tuple(PlannedTask(id=task, hash="h", folder="f") for task in WON),
        systems=(PlannedSystem(id="a", agent="a", model="m/m"),),
        attempts=5,
    )


def all_trials():
    return [
        a_trial(task, attempt, float(attempt <= won))
        for task, won in WON.items()
        for attempt in range(1, 6)
    ]


def test_figures_equal_plain_sums():
    (made,) = figures(a_plan(), all_trials())
    assert (made.trials, made.solved, made.unscored) == (15, 7, 0)
    assert made.success == pytest.approx(7 / 15)
    assert made.low < made.success < made.high
    assert made.cost_usd == pytest.approx(0.15)
    assert made.cost_per_success == pytest.approx(0.15 / 7)
    assert made.usage["input_tokens"] == 150
    it = made.reliability
    assert (it.always, it.sometimes, it.never) == (1, 1, 1)
    for k in (1, 2, 3, 5):
        any_of = [1 - comb(5 - won, k) / comb(5, k) for won in WON.values()]
        all_of = [comb(won, k) / comb(5, k) for won in WON.values()]
        assert isclose(made.pass_at_k[str(k)].mean, sum(any_of) / 3)
        assert isclose(made.pass_hat_k[str(k)].mean, sum(all_of) / 3)


def test_costs_of_earlier_and_unscored_tries_count_and_unknown_ones_are_unknown():
    trials = [
        a_trial("t0", 1, 1.0, earlier=0.5),
        a_trial("t1", 1, None, outcome=TrialOutcome.GATEWAY_ERROR),
    ]
    (made,) = figures(a_plan(), trials)
    assert made.cost_usd == pytest.approx(0.52)
    assert made.cost_per_success == pytest.approx(0.52)
    assert (made.trials, made.unscored, made.success) == (1, 14, 1.0)
    (made,) = figures(a_plan(), [*trials, a_trial("t1", 2, 1.0, unknown=1)])
    assert (made.cost_usd, made.cost_per_success) == (None, None)
    assert "unknown for 1 of 3 attempts" in made.cost_reason


def test_nothing_is_known_without_a_trial():
    (made,) = figures(a_plan(), [])
    assert (made.success, made.low, made.cost_per_success) == (None, None, None)
    assert made.pass_at_k == {}


def test_attempts_at_one_task_are_no_independent_evidence():
    alike = [a_trial(f"t{n}", k, float(n < 3)) for n in range(6) for k in range(1, 6)]
    mixed = [a_trial(f"t{n}", k, float((n + k) % 2)) for n in range(6) for k in range(1, 6)]
    wide, narrow = mean_success(alike), mean_success(mixed)
    assert wide.high - wide.low > narrow.high - narrow.low
    assert wide.low >= 0
    assert wide.high <= 1


@pytest.mark.parametrize("won", [(1, 1), (2, 2, 2), (5,), (2,), (5, 5), (0, 5), (1, 2, 1, 2)])
def test_success_has_the_interval_of_pass_at_1(won):
    trials = [a_trial(f"t{n}", k, float(k <= it)) for n, it in enumerate(won) for k in range(1, 6)]
    (made,) = figures(a_plan(), trials)
    assert made.success == pytest.approx(sum(won) / len(trials))
    for one in (made.pass_at_k["1"], made.pass_hat_k["1"]):
        assert (one.mean, one.low, one.high) == (made.success, made.low, made.high)
        assert (one.tasks, one.reason) == (len(won), "")


def test_with_unequal_attempts_pass_at_1_counts_tasks_and_success_trials():
    trials = [*(a_trial("t0", k, float(k <= 3)) for k in range(1, 5)), a_trial("t1", 1, 0.0)]
    (made,) = figures(a_plan(), trials)
    one = made.pass_at_k["1"]
    assert (made.success, one.mean) == (3 / 5, 3 / 8)
    over = pass_at_k([3, 0], [4, 1], 1)
    assert (one.mean, one.se) == pytest.approx((over.mean, over.se))
    assert 0 < one.low < one.mean < one.high < 1


def test_more_tasks_solved_make_no_wider_interval():
    widths = []
    for tasks in range(1, 8):
        made = mean_success([a_trial(f"t{n}", k, 1.0) for n in range(tasks) for k in range(1, 6)])
        widths.append(made.high - made.low)
    assert widths == sorted(widths, reverse=True)


def test_a_system_that_solves_everything_has_an_interval_too():
    trials = [a_trial(f"t{n}", k, 1.0) for n in range(6) for k in range(1, 6)]
    made = mean_success(trials)
    assert made.mean == made.high == 1.0
    assert 0.3 < made.low < 0.8
