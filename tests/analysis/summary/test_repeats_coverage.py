"""The quick version of the study in benchmarks/studies/repeats.py: planted flaky cases."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchmaker.analysis import columns_of
from benchmaker.analysis.summary.repeats import repeats_of, uncertain_cases
from tests.draws import draws

RATES = np.linspace(0.05, 0.95, 20)
RUNS, CASES, FLAKY, RIGHT = 5, 60, 0.2, 0.7


def ran(a_trial, random, rate):
    """A series in which only the cases are repeated whose first two scores differ."""
    is_flaky = random.random(CASES) < FLAKY
    rates = np.where(is_flaky, rate, random.random(CASES) < RIGHT)
    scores = (random.random((RUNS, CASES)) < rates).astype(float)
    first = [a_trial(at, scores[n, at], run=f"r{n}") for n in range(2) for at in range(CASES)]
    differ = [int(name[1:]) for name in uncertain_cases(columns_of(first))["m"]]
    later = [a_trial(at, scores[n, at], run=f"r{n}") for n in range(2, RUNS) for at in differ]
    names = frozenset(f"r{n}" for n in range(2, RUNS))
    columns = replace(columns_of([*first, *later]), repeat_runs=names)
    columns = replace(columns, weight=np.where(columns.is_repeat, 0.0, columns.weight))
    made = repeats_of(columns, np.ones(len(columns), dtype=bool), level=0.95)
    return SimpleNamespace(made=made, planted=int(is_flaky.sum()), trials=len(columns), rate=rate)


def holds(ends, truth):
    return ends[0] <= truth <= ends[1]


@pytest.fixture(scope="module")
def series(a_trial):
    random = np.random.default_rng(29)
    return [ran(a_trial, random, rate) for rate in RATES for _ in range(draws(8, 200))]


def test_planted_cases_are_found_as_often_as_two_runs_can(series):
    planted = np.array([it.planted for it in series])
    chance = np.array([2 * it.rate * (1 - it.rate) for it in series])
    found = np.array([it.made.n_flaky for it in series])
    error = np.sqrt((planted * chance * (1 - chance)).sum())
    assert abs(found.sum() - (planted * chance).sum()) < 4 * error


def test_it_costs_at_most_half_of_repeating_all(series):
    assert sum(it.trials for it in series) <= 0.5 * RUNS * CASES * len(series)


def test_the_intervals_of_found_cases_hold_their_rates(series):
    held = [holds(case.ci95, it.rate) for it in series for case in it.made.flaky]
    error = np.sqrt(0.05 * 0.95 / len(held))
    assert 0.93 - 3 * error <= np.mean(held) <= 0.97 + 3 * error


@pytest.mark.parametrize("k", [1, 2])
def test_the_intervals_over_cases_hold_pass_at_k_and_pass_hat_k(series, k):
    at, hat = [], []
    for it in series:
        stable = (1 - FLAKY) * RIGHT
        at.append(holds(it.made.pass_at_k[str(k)].ci95, stable + FLAKY * (1 - (1 - it.rate) ** k)))
        hat.append(holds(it.made.pass_hat_k[str(k)].ci95, stable + FLAKY * it.rate**k))
    error = np.sqrt(0.05 * 0.95 / len(series))
    for held in (at, hat):
        assert 0.93 - 3 * error <= np.mean(held) <= 0.97 + 3 * error


def test_their_means_are_unbiased_and_those_over_all_runs_are_not(series):
    unbiased, naive = [], []
    for it in series:
        truth = (1 - FLAKY) * RIGHT + FLAKY * it.rate
        unbiased.append(it.made.pass_at_k["1"].mean - truth)
        share = np.mean([case.right / case.n for case in it.made.cases])
        naive.append(share - it.made.pass_at_k["1"].mean)
    error = np.std(unbiased) / np.sqrt(len(series))
    assert abs(np.mean(unbiased)) < 4 * error
    expected = [
        FLAKY * it.rate * (1 - it.rate) * (2 * it.rate - 1) * (RUNS - 2) / RUNS for it in series
    ]
    slope = np.polyfit(expected, naive, 1)[0]
    assert slope == pytest.approx(1.0, abs=0.35)
