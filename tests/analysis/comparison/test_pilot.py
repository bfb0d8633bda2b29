"""A pilot whose cases weigh differently and share groups."""

import math

import numpy as np
import pytest

from benchmaker.analysis import compare, more_cases, power
from benchmaker.analysis.comparison.pilot import pilot_of
from benchmaker.stats.pairs.paired import paired_t
from tests.analysis.conftest import make_trial

WEIGHTS = (1.0, 1.0, 1.0, 8.0)
NOISE = (0.05, 0.05, 0.05, 0.25)
"""Within each group of four cases; the one that weighs most is the noisiest."""


def drawn(generator, groups, runs, ahead=0.03):
    """Both models' scores by case and run, the cases four to a group."""
    effect = ahead + 0.05 * np.repeat(generator.normal(size=groups), 4)
    effect += 0.05 * generator.normal(size=4 * groups)
    noise = np.tile(NOISE, groups)[:, None]
    return tuple(
        0.5 + sign * effect[:, None] / 2 + noise * generator.normal(size=(4 * groups, runs))
        for sign in (1, -1)
    )


def trials(scores, *, weights=WEIGHTS, group=True):
    return [
        make_trial(
            at,
            float(np.clip(score, 0, 1)),
            model=model,
            run=f"r{run}",
            weight=weights[at % 4],
            group=f"g{at // 4}" if group else None,
        )
        for model, table in zip("mn", scores, strict=True)
        for at, row in enumerate(table)
        for run, score in enumerate(row)
    ]


def share_found(generator, cases, tries):
    """How often so many cases of this kind, run once, tell the two models apart."""
    groups = cases // 4
    weights, names = np.tile(WEIGHTS, groups), np.repeat(np.arange(groups), 4)
    found = 0
    for _ in range(tries):
        left, right = drawn(generator, groups, 1)
        p = paired_t(left[:, 0], right[:, 0], weights=weights, clusters=names).p_value
        found += p < 0.05
    return found / tries


@pytest.mark.parametrize("tries", [60, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("runs", [1, 3])
def test_the_power_that_is_promised_is_had(runs, tries):
    generator = np.random.Generator(np.random.PCG64(runs))
    plan = power(trials(drawn(generator, 500, runs)), delta=0.03)
    found = share_found(generator, plan.power.cases, tries)
    assert found == pytest.approx(0.8, abs=0.03 + 3 * math.sqrt(0.16 / tries))


def test_a_case_that_weighs_more_brings_the_more_of_its_runs_noise():
    """With no difference between cases, one run has three times the variance of three."""
    generator = np.random.Generator(np.random.PCG64(1))
    noise = np.tile(NOISE, 1000)[:, None]
    still = [0.5 + noise * generator.normal(size=(4000, 3)) for _ in "mn"]
    made = pilot_of(trials(still, group=False))
    assert made.components.sd_d(1) == pytest.approx(math.sqrt(3) * made.sd, rel=0.05)
    assert made.weight_cost == pytest.approx(4 * 67 / 121)


@pytest.mark.parametrize("runs", [1, 3])
def test_a_plan_and_a_comparison_ask_for_the_same_number_of_cases(runs):
    scores = drawn(np.random.Generator(np.random.PCG64(5)), 15, runs)
    pilot = trials(scores)
    made = compare(pilot)
    pair = made.headline
    more = more_cases(made, pair)
    plan = power(pilot, delta=abs(pair.diff), runs=runs)
    assert more is not None
    assert plan.power.cases == more.needed


def test_weights_and_groups_are_among_what_is_assumed():
    scores = drawn(np.random.Generator(np.random.PCG64(5)), 30, 1)
    both = power(trials(scores), delta=0.05)
    assert any(
        "weights and groups as in the pilot" in said
        and f"{both.pilot.design_effect:.2f} times" in said
        for said in both.assumes
    )
    weighed = power(trials(scores, group=False), delta=0.05)
    assert any("weights as in the pilot" in said for said in weighed.assumes)
    grouped = power(trials(scores, weights=(1.0,) * 4), delta=0.05)
    assert any("groups as in the pilot" in said for said in grouped.assumes)
    plain = power(trials(scores, weights=(1.0,) * 4, group=False), delta=0.05)
    assert not any("as in the pilot" in said for said in plain.assumes)
    assert plain.pilot.design_effect == pytest.approx(1.0)
    assert both.to_dict()["pilot"]["design_effect"] == both.pilot.design_effect


def test_runs_of_a_judged_suite_are_counted_with_what_weights_cost():
    scores = drawn(np.random.Generator(np.random.PCG64(5)), 30, 3)
    weighed = power(trials(scores), delta=0.05, judged=True).runs_needed
    plain = power(trials(scores, weights=(1.0,) * 4), n=weighed.n, delta=0.05, judged=True)
    cost = math.sqrt(4 * 67 / 121)
    assert weighed.moves_by == pytest.approx(cost * plain.runs_needed.moves_by)
    assert weighed.sd_runs == plain.runs_needed.sd_runs
