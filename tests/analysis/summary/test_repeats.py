"""Repeats: pass@k, pass^k and majority by enumeration, and the cases whose scores differ."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from benchmaker.analysis import columns_of, summarise
from benchmaker.stats.means.bounded import bounded_mean


def series(a_trial, scores, **of_case):
    """Trials of one model: a row of scores for each case, a column for each run."""
    return [
        a_trial(at, score, run=f"r{number}", **of_case.get(f"c{at}", {}))
        for at, row in enumerate(scores)
        for number, score in enumerate(row, start=1)
        if score != "absent"
    ]


def repeats(trials):
    return summarise(trials).models[0].repeats


def with_repeat_runs(trials, *names):
    """Columns in which these runs repeat uncertain cases only, as the store reads them."""
    columns = replace(columns_of(trials), repeat_runs=frozenset(names))
    return replace(columns, weight=np.where(columns.is_repeat, 0.0, columns.weight))


def test_one_run_says_nothing_about_repeats(a_trial):
    assert summarise([a_trial(0, 1.0)]).models[0].repeats is None


@pytest.mark.parametrize("runs", range(2, 7))
def test_each_case_is_the_average_over_all_choices_of_k_of_its_runs(a_trial, runs):
    verdicts = list(product((0.0, 1.0), repeat=runs))
    found = repeats(series(a_trial, verdicts))
    for case, row in zip(found.cases, verdicts, strict=True):
        for k in range(1, runs + 1):
            chosen = list(combinations(row, k))
            assert case.pass_at_k(k) == pytest.approx(np.mean([any(it) for it in chosen]))
            assert case.pass_hat_k(k) == pytest.approx(np.mean([all(it) for it in chosen]))
    for k in range(1, runs + 1):
        cases = [case.pass_at_k(k) for case in found.cases]
        assert found.pass_at_k[str(k)].mean == pytest.approx(np.mean(cases))
        assert found.pass_at_k[str(k)].ci95 == pytest.approx(bounded_mean(cases).interval)


def probability(row, rate):
    return rate ** sum(row) * (1 - rate) ** (len(row) - sum(row))


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 2), Fraction(4, 5)])
def test_the_expectation_over_all_outcomes_is_exact(a_trial, rate):
    rows = list(product((0, 1), repeat=4))
    found = repeats(series(a_trial, [tuple(map(float, row)) for row in rows]))
    for k in range(1, 5):
        weigh = [probability(row, rate) for row in rows]
        at_k = sum(w * case.pass_at_k(k) for w, case in zip(weigh, found.cases, strict=True))
        hat_k = sum(w * case.pass_hat_k(k) for w, case in zip(weigh, found.cases, strict=True))
        assert at_k == pytest.approx(float(1 - (1 - rate) ** k))
        assert hat_k == pytest.approx(float(rate**k))


def uncertain_paths(runs):
    """Every course of a case that stops after two equal scores, else runs on."""
    paths = [(0, 0), (1, 1)]
    return paths + [(*two, *rest) for two in ((0, 1), (1, 0))
                    for rest in product((0, 1), repeat=runs - 2)]  # fmt: skip


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.79, 0.99])
def test_uncertain_cases_alone_leave_pass_at_k_and_the_mean_unbiased(a_trial, rate):
    paths = uncertain_paths(5)
    padded = [(*map(float, path), *["absent"] * (5 - len(path))) for path in paths]
    columns = with_repeat_runs(series(a_trial, padded), "r3", "r4", "r5")
    weights = {f"c{at}": probability(path, rate) for at, path in enumerate(paths)}
    row = summarise(columns, cases=weights).models[0]
    assert sum(weights.values()) == pytest.approx(1)
    for k in (1, 2):
        assert row.repeats.pass_at_k[str(k)].mean == pytest.approx(1 - (1 - rate) ** k)
        assert row.repeats.pass_hat_k[str(k)].mean == pytest.approx(rate**k)
    assert row.mean == pytest.approx(rate)
    over_all_runs = sum(w * np.mean(path) for w, path in zip(weights.values(), paths, strict=True))
    bias = rate * (1 - rate) * (2 * rate - 1) * 3 / 5
    assert over_all_runs == pytest.approx(rate + bias)


def test_more_than_two_runs_of_uncertain_cases_alone_leave_larger_k_unknown(a_trial):
    trials = series(a_trial, [(1.0, 0.0, 1.0), (1.0, 1.0, "absent")])
    found = summarise(with_repeat_runs(trials, "r3")).models[0].repeats
    assert found.uncertain_only
    assert found.pass_hat_k["3"].mean is None
    assert "first two scores differ" in found.pass_hat_k["3"].reason
    assert found.pass_at_k["2"].mean == 1.0


def test_means_and_spread_are_of_the_runs_of_every_case(a_trial):
    trials = series(a_trial, [(1.0, 0.0, 0.0, 0.0), (1.0, 1.0, "absent", "absent")])
    made = summarise(with_repeat_runs(trials, "r3", "r4"))
    row = made.models[0]
    assert (row.mean, row.n_scored, row.n_counted, row.n_trials) == (0.75, 4, 4, 6)
    assert row.runs.run_ids == ("r1", "r2")
    assert (made.n_full_runs, made.zero_weight_cases) == (2, 0)
    assert made.mean_of == "case means over 2 runs"
    (flaky,) = row.repeats.flaky
    assert (flaky.case_id, flaky.right, flaky.n, flaky.share) == ("c0", 1, 4, 0.25)


def test_fewer_scored_runs_than_k_make_it_unknown_with_the_reason(a_trial):
    found = repeats(series(a_trial, [(1.0, None, 1.0), (1.0, 0.0, 1.0)]))
    assert found.pass_hat_k["2"].mean == pytest.approx((1 + 1 / 3) / 2)
    assert (found.pass_hat_k["3"].mean, found.pass_hat_k["3"].ci95) == (None, None)
    reason = "1 case of 2 has fewer than 3 scored runs; c0 has 2 scored runs"
    assert found.pass_at_k["3"].reason == reason


def test_a_case_without_a_score_does_not_count_as_in_the_mean(a_trial):
    found = repeats(series(a_trial, [(None, None), (1.0, 0.0)]))
    assert (found.n_cases, found.pass_at_k["2"].mean) == (1, 1.0)


def test_right_is_the_full_score_and_flaky_any_other_score(a_trial):
    found = repeats(series(a_trial, [(0.5, 0.75, 0.5), (0.5, 0.5, 0.5), (1.0, 0.9, 1.0)]))
    assert [(it.case_id, it.right, it.n) for it in found.flaky] == [("c2", 2, 3), ("c0", 0, 3)]
    assert found.pass_at_k["1"].mean == pytest.approx(2 / 9)


def test_the_majority_counts_a_tie_as_one_half(a_trial):
    found = repeats(series(a_trial, [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 1.0)]))
    assert [case.majority for case in found.cases] == [0.5, 1.0, 0.0, 0.5]
    assert found.majority.mean == 0.5


def test_the_most_undecided_cases_come_first(a_trial):
    rows = [(1.0, 1.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)]
    found = repeats(series(a_trial, rows))
    assert [it.case_id for it in found.flaky] == ["c1", "c0"]
    assert found.n_flaky == found.to_dict()["n_flaky"] == 2
    low, high = found.flaky[1].ci95  # Wilson's interval of 3 of 4, by its formula
    z = 1.959963984540054
    centre, half = (3 + z**2 / 2) / (4 + z**2), z * (4 * 3 / 16 + z**2 / 4) ** 0.5 / (4 + z**2)
    assert (low, high) == pytest.approx((centre - half, centre + half))


def test_weights_and_groups_count_as_in_the_mean(a_trial):
    of_case = {"c0": {"weight": 3.0, "group": "g"}, "c1": {"group": "g"}, "c3": {"weight": 0.0}}
    rows = [(1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    found = repeats(series(a_trial, rows, **of_case))
    assert found.n_cases == 3
    assert found.pass_at_k["2"].mean == pytest.approx(4 / 5)
    wanted = bounded_mean([1.0, 0.0, 1.0], [3.0, 1.0, 1.0], clusters=["g", "g", "h"])
    assert found.pass_at_k["2"].ci95 == pytest.approx(wanted.interval)
    assert [it.case_id for it in found.flaky] == ["c0"]


def test_many_runs_have_the_ks_to_ten_and_the_last(a_trial):
    found = repeats(series(a_trial, [(1.0,) * 9 + (0.0,) * 3]))
    assert list(found.pass_at_k) == [*map(str, range(1, 11)), "12"]
    assert found.pass_hat_k["9"].mean == pytest.approx(1 / comb(12, 9))


def test_runs_that_have_not_begun_ask_for_no_k(a_trial):
    begun = series(a_trial, [(1.0, 0.0), (1.0, "absent")])
    columns = columns_of(begun)
    made = summarise(replace(columns, run_ids=(*columns.run_ids, "r3", "r4"))).models[0].repeats
    assert list(made.pass_at_k) == ["1", "2"]
    assert made.pass_hat_k["2"].reason.startswith("1 case of 2 has fewer than 2 scored runs")
