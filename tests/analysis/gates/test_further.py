import numpy as np
import pytest

from benchmaker.analysis.gates import further
from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.analysis.gates.sides import pair_setup
from benchmaker.stats.power.power import n_more


def test_more_cases_follow_the_observed_distance_and_spread(side):
    random = np.random.default_rng(7)
    after, before = random.random((2, 80)).tolist()
    made = decide_gate(side({"m": after}), side({"m": before}), max_drop=0.1)
    d = np.array(after) - np.array(before)
    want = n_more(abs(d.mean() + 0.1), d.std(ddof=1), 80)
    assert made.verdict == "undecided"
    assert made.more_cases == max(want.more, 1)


def test_a_difference_at_the_limit_needs_no_number(side):
    after = [0.0, 1.0] * 30
    before = [1.0, 1.0] + [0.0, 1.0] * 29
    made = decide_gate(side({"m": after}), side({"m": before}), max_drop=1 / 60)
    assert (made.verdict, made.more_cases) == ("undecided", None)
    assert made.more_cases_reason == further.AT_LIMIT


def repeated(answer, random, means, runs, noise):
    return [
        [answer(float(np.clip(mean + random.normal(0, noise), 0, 1)), f"{at}-{run}-{mean}")
         for run in range(runs)]
        for at, mean in enumerate(means)
    ]  # fmt: skip


def test_runs_decide_where_the_spread_between_runs_dominates(side, answer):
    random = np.random.default_rng(1)
    means = np.full(40, 0.5)
    after = repeated(answer, random, means - 0.05, 2, 0.2)
    before = repeated(answer, random, means, 50, 0.2)
    made = decide_gate(side({"m": after}), side({"m": before}), max_drop=0.02)
    assert made.verdict == "undecided"
    assert 1 <= made.more_runs <= 20
    longer = repeated(answer, random, means - 0.05, 2 + 4 * made.more_runs, 0.2)
    assert decide_gate(side({"m": longer}), side({"m": before})).verdict == "fail"


def test_runs_cannot_replace_cases_where_the_spread_between_cases_dominates(side, answer):
    random = np.random.default_rng(4)
    means = random.uniform(0.3, 0.7, 40)
    after = repeated(answer, random, means + random.normal(-0.05, 0.2, 40), 3, 0.01)
    before = repeated(answer, random, means, 3, 0.01)
    made = decide_gate(side({"m": after}), side({"m": before}), max_drop=0.02)
    assert (made.verdict, made.more_runs) == ("undecided", None)
    assert made.more_runs_reason == further.CASES_DOMINATE
    assert made.more_cases > 0


@pytest.mark.parametrize(("runs", "reason"), [(1, further.ONE_RUN), (2, further.SAME_RUNS)])
def test_the_spread_between_runs_must_be_known(side, answer, runs, reason):
    after = [[answer(float(at % 3 == 0))] * runs for at in range(12)]
    before = [[answer(float(at % 4 == 0))] * runs for at in range(12)]
    made = decide_gate(side({"m": after}), side({"m": before}))
    assert (made.verdict, made.more_runs, made.more_runs_reason) == ("undecided", None, reason)


def test_the_variance_between_runs_is_pooled_over_cases(side, answer):
    rows = [[answer(0.2), answer(0.4)], [answer(0.5), answer(0.5), answer(0.8)]]
    made = side({"m": rows}), side({"m": [0.1, 0.9]})
    setup = pair_setup(*made, ("m", "m"), cases=["c0", "c1"], metric="mean")
    squares = 2 * 0.1**2 + 2 * 0.1**2 + 0.2**2
    assert further.variance_between_runs(setup) == pytest.approx(squares / 3)
