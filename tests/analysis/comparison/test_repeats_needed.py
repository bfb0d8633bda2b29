import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis import power
from benchmaker.analysis.comparison.repeats_needed import JudgeNoise, judge_noise, runs_needed
from benchmaker.record import Score


def a_score(*units, judge="j", order=""):
    singles = [{"judge": judge, "repeat": at, "order": order, "unit": it}
               for at, it in enumerate(units, 1)]  # fmt: skip
    return Score(score=0.5, detail={"singles": singles})


def test_the_noise_of_a_judge_is_the_pooled_variance_of_its_repeats():
    made = judge_noise([a_score(0.2, 0.4, 0.6), a_score(0.9, 0.8), a_score(0.1)])
    squares = 2 * np.var([0.2, 0.4, 0.6], ddof=1) + np.var([0.9, 0.8], ddof=1)
    assert made.variance == pytest.approx(squares / 3)
    assert (made.df, made.answers, made.repeats) == (3, 3, 2)


def test_a_judge_that_was_asked_once_or_failed_tells_no_noise():
    assert judge_noise([a_score(0.5), Score(score=1.0)]) is None
    assert judge_noise([a_score(0.5, None)]) is None


def test_both_orders_of_a_pair_are_different_questions():
    pair = [{"judge": "j", "order": order, "unit": unit} for order, unit in (("ab", 1), ("ba", 0))]
    assert judge_noise([Score(score=0.5, detail={"singles": pair})]) is None


@given(st.integers(2, 5000), st.floats(0.005, 0.5), st.floats(1e-6, 0.5))
def test_after_so_many_runs_repeating_moves_less_than_the_difference_and_not_before(n, delta, var):
    found = runs_needed(n, delta, var_runs=var)

    def moves_by(runs):
        return 1.959964 * math.sqrt(var / (n * runs))

    assert moves_by(found.runs) <= delta * (1 + 1e-6)
    assert found.runs == 1 or moves_by(found.runs - 1) > delta * (1 - 1e-6)
    assert found.moves_by == pytest.approx(moves_by(1), rel=1e-6)


def test_the_interval_holds_in_simulation():
    rng = np.random.default_rng(5)
    found = runs_needed(50, 0.02, var_runs=2 * 0.1**2)
    noise = rng.normal(0, 0.1, (2, 4000, 50, found.runs)).mean(axis=(2, 3))
    assert np.mean(np.abs(noise[0] - noise[1]) <= 0.02) == pytest.approx(0.95, abs=0.02)
    assert found.runs == 4


def test_the_judge_alone_says_at_least():
    found = runs_needed(50, 0.02, noise=JudgeNoise(0.04, 30, 15, 2.0))
    assert found.is_least
    assert found.runs == runs_needed(50, 0.02, var_runs=0.04).runs
    assert found.sentence.startswith("at least ")


def test_before_anything_is_measured_it_is_the_published_row_and_says_so():
    found = power(n=100, delta=0.05, judged=True).runs_needed
    assert (found.runs, found.published) == (None, (3, 5))
    assert found.sentence.startswith("3 to 5 runs, by the published guideline")
    assert found.to_dict()["basis"] == "published guideline"
    assert power(n=100, delta=0.05).runs_needed is None


def test_a_pilot_with_runs_measures_it(a_trial):
    rng = np.random.default_rng(7)
    worth = rng.uniform(0.2, 0.8, 60)
    trials = [
        a_trial(
            at, float(np.clip(worth[at] + rng.normal(0, 0.1), 0, 1)), model=model, run=f"r{run}"
        )
        for run in range(4)
        for model in ("m", "n")
        for at in range(60)
    ]
    found = power(trials, delta=0.02, n=60, judged=True).runs_needed
    assert found.sd_runs == pytest.approx(0.1, abs=0.01)
    assert not found.is_least
    assert found.runs in {3, 4}  # 4 by the true variance
