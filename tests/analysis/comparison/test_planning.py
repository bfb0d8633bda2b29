import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from benchmaker.analysis import compare, more_cases, power
from benchmaker.analysis.comparison.pilot import pilot_of
from benchmaker.analysis.comparison.planning import WORST_SD, why_no_more_cases
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.power.pair_size import mcnemar_power


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def pilot(a_trial, rng):
    """Trials of models on 40 cases, in so many runs."""

    def make(models=("m", "n"), runs=1, **more):
        return [
            a_trial(at, float(rng.integers(0, 2)), model=model, run=f"r{run}", **more)
            for run in range(runs)
            for model in models
            for at in range(40)
        ]

    return make


@pytest.mark.parametrize(("delta", "sd"), [(0.02, 0.4), (0.05, 0.7), (0.2, 0.3)])
def test_the_number_of_cases_is_that_of_statsmodels(delta, sd):
    want = TTestPower().solve_power(effect_size=delta / sd, power=0.8, alpha=0.05)
    assert power(delta=delta, sd=sd).power.n == pytest.approx(want, rel=1e-6)


def test_without_a_spread_the_worst_of_pass_and_fail_is_assumed(rng):
    a, b = rng.integers(0, 2, 200_000), rng.integers(0, 2, 200_000)
    assert np.std(a - b) == pytest.approx(WORST_SD, abs=0.01)
    made = power(delta=0.05)
    assert made.power.sd_d == WORST_SD
    assert "each with 50% accuracy" in made.assumes[0]


def test_cases_and_difference_give_the_power():
    made = power(n=200, delta=0.1, sd=0.5)
    assert made.power.solved == "power"
    assert made.sentence == "200 cases find a difference of 10.0 points with a chance of 80%."


def test_more_tests_take_more_cases():
    assert power(delta=0.1, sd=0.5, tests=10).power.n > power(delta=0.1, sd=0.5).power.n


def test_a_pilot_gives_the_spread_of_its_differences(pilot):
    trials = pilot()
    scores = {(one.model, one.position): one.score.score for one in trials}
    d = [scores["m", at] - scores["n", at] for at in range(40)]
    made = power(trials, delta=0.1)
    assert made.pilot.sd == pytest.approx(np.std(d, ddof=1))
    assert made.pilot.n == 40
    assert made.pilot.components is None


def test_with_a_pilot_alone_its_own_number_of_cases_is_taken(pilot):
    made = power(pilot())
    assert (made.power.solved, made.power.cases) == ("delta", 40)


def test_repeated_runs_split_the_spread_and_more_of_them_need_fewer_cases(pilot):
    trials = pilot(runs=4)
    made = pilot_of(trials)
    assert made.components is not None
    assert made.components.sd_d(4) == pytest.approx(made.sd)
    assert power(trials, delta=0.1, runs=8).power.n < power(trials, delta=0.1, runs=1).power.n


def test_a_pilot_of_one_model_stands_for_both_independently(pilot):
    trials = pilot(models=("m",))
    scores = [one.score.score for one in trials]
    made = pilot_of(trials)
    assert made.sd == pytest.approx(math.sqrt(2) * np.std(scores, ddof=1))
    assert "independent scores" in made.assumes[0]


def test_cases_that_share_groups_make_the_spread_larger(a_trial):
    def trials(group):
        return [
            a_trial(at, score, model=model, group=group and f"g{at // 4}")
            for at in range(40)
            for model, score in (("m", float(at // 4 % 2)), ("n", float(at // 20)))
        ]

    assert pilot_of(trials("g")).sd > 1.5 * pilot_of(trials(None)).sd


def test_by_default_the_two_best_models_are_taken(pilot, a_trial):
    low = [a_trial(at, 0.0, model="low") for at in range(40)]
    assert set(pilot_of([*low, *pilot()]).models) == {"m", "n"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "No number of cases"),
        ({"n": 100, "delta": 0.1, "power": 0.8}, "Give two"),
        ({"delta": 0.1, "tests": 0}, "tests"),
        ({"n": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_planned_is_refused(given, said):
    with pytest.raises(SpecError, match=said):
        power(**given)


def test_equal_best_models_leave_the_plan_to_the_next_that_differ(a_trial):
    scores = {"m": (1.0,) * 9, "n": (1.0,) * 9, "o": (1.0, 0.0, 1.0) * 3}
    trials = [a_trial(at, row[at], model=name) for name, row in scores.items() for at in range(9)]
    made = power(trials, delta=0.1)
    assert made.pilot.models == ("m", "o")
    assert "m and o" in " ".join(made.assumes)


def test_equal_models_alone_stand_for_one(a_trial):
    trials = [a_trial(at, float(at % 2), model=model) for at in range(9) for model in "mn"]
    assert power(trials, delta=0.1).pilot.models == ("m",)


def test_a_pilot_without_spread_is_refused(a_trial):
    with pytest.raises(NotEnoughData, match="All scores of m are equal"):
        power([a_trial(at, 1.0) for at in range(9)], delta=0.1)
    same = [a_trial(at, 1.0, model=model) for at in range(9) for model in "mn"]
    with pytest.raises(NotEnoughData, match="have the same difference"):
        power(same, delta=0.1)
    with pytest.raises(NotEnoughData, match="1 case with"):
        power([a_trial(0, 1.0, model=model) for model in "mn"], delta=0.1)


def test_pilot_and_sd_exclude_each_other(pilot):
    with pytest.raises(SpecError, match="pilot and sd"):
        power(pilot(), delta=0.1, sd=0.3)


def test_a_small_pilot_is_doubted(a_trial):
    trials = [a_trial(at, float(at % 2), model=model) for at in range(6) for model in "m"]
    assert "only a rough" in power(trials, delta=0.1).warnings[0]


def test_an_open_pair_is_told_how_many_more_cases_its_own_test_takes(a_trial):
    rows = {"m": [1.0] * 12 + [0.0] * 8, "n": [0.0] * 6 + [1.0] * 6 + [0.0] * 5 + [1.0] * 3}
    made = compare([a_trial(at, x, model=m) for m, row in rows.items() for at, x in enumerate(row)])
    pair = made.headline
    found = more_cases(made, pair)
    assert (pair.verdict, pair.wins, pair.losses, pair.n) == ("not_significant", 6, 3, 20)
    assert mcnemar_power(found.needed, 6 / 20, 3 / 20, 0.05) >= 0.8
    assert mcnemar_power(found.needed - 3, 6 / 20, 3 / 20, 0.05) < 0.8
    assert found.more == found.needed - 20
    assert "McNemar" in found.method


def test_few_graded_cases_take_what_sign_flips_take(a_trial):
    """By Student's t five would do; five cases have too few patterns of signs."""
    worse = [0.70, 0.72, 0.74, 0.71, 0.73]
    better = [one + 0.04 + at / 1000 for at, one in enumerate(worse)]
    made = compare(
        [
            a_trial(at, score, model=model)
            for model, row in (("m", better), ("n", worse))
            for at, score in enumerate(row)
        ]
    )
    pair = made.headline
    assert (pair.verdict, pair.test) == ("not_significant", "sign_flip")
    assert more_cases(made, pair).needed == 6


def test_many_cases_take_what_students_t_takes(a_trial, rng):
    rows = {"m": rng.uniform(0.1, 0.9, 60), "n": rng.uniform(0.1, 0.9, 60)}
    made = compare(
        [a_trial(at, float(x), model=m) for m, row in rows.items() for at, x in enumerate(row)]
    )
    pair = made.headline
    want = TTestPower().solve_power(effect_size=pair.diff / pair.sd, power=0.8, alpha=0.05)
    assert more_cases(made, pair).needed == math.ceil(want)


def test_pairs_that_are_told_apart_or_equal_need_no_more(a_trial):
    apart = compare(
        [a_trial(at, s, model=m) for m, s in (("m", 1.0), ("n", 0.0)) for at in range(20)]
    )
    equal = compare([a_trial(at, 1.0, model=m) for m in "mn" for at in range(20)])
    assert more_cases(apart, apart.headline) is None
    assert more_cases(equal, equal.headline) is None
    assert why_no_more_cases(apart, apart.headline) == ""
    assert why_no_more_cases(equal, equal.headline) == "the means are equal"


def test_a_pair_without_common_cases_has_a_reason_instead_of_a_number(a_trial):
    trials = [
        a_trial(at + shift, at % 2, model=m) for m, shift in (("m", 0), ("n", 9)) for at in range(5)
    ]
    made = compare(trials)
    assert more_cases(made, made.headline) is None
    assert why_no_more_cases(made, made.headline) == "the models have no common cases"


def test_every_open_pair_has_a_number_or_a_reason(a_trial, rng):
    for n in (1, 2, 3, 8, 30):
        scores = rng.integers(0, 2, (4, n)).astype(float)
        made = compare(
            [
                a_trial(at, float(x), model=f"m{i}")
                for i, row in enumerate(scores)
                for at, x in enumerate(row)
            ]
        )
        for pair in made.pairs:
            is_open = pair.verdict in {"not_significant", "not_tested"}
            has_number = more_cases(made, pair) is not None
            assert bool(why_no_more_cases(made, pair)) == (is_open and not has_number)


def test_a_difference_in_points_is_refused_with_its_share():
    with pytest.raises(SpecError, match=r"For 5 points, use 0\.05"):
        power(delta=5)


@pytest.mark.parametrize(("cases", "models", "needed"), [(4, 2, 5), (5, 4, 7)])
def test_a_model_that_wins_every_case_needs_those_of_the_first_significant_p(
    a_trial, cases, models, needed
):
    scores = [1.0, *[0.0] * (models - 1)]
    trials = [
        a_trial(at, score, model=f"m{i}") for at in range(cases) for i, score in enumerate(scores)
    ]
    tests = models * (models - 1) // 2
    made = compare(trials)
    found = more_cases(made, made.pair("m0", "m1"))
    assert (found.needed, found.more) == (needed, needed - cases)
    assert found.method == "McNemar's binomial test with mid-p"
    assert 2.0**-needed < 0.05 / tests <= 2.0 ** (1 - needed)


def test_no_possible_difference_is_said():
    made = power(n=2)
    assert made.power.delta > 1
    assert made.sentence == (
        "With 2 cases, no possible difference (at most 100 points) is found with a chance of 80%."
    )
