import numpy as np
import pytest
from scipy import stats

from benchmaker.analysis.comparison.case_costs import case_cost, cost_table
from benchmaker.analysis.comparison.comparison import compare
from tests.analysis.effects.designs import a_run, columns_for, setups_of

SETUPS = setups_of(("a", "b"), ("plain", "few"))


def scored(seed=0, cases=200, lifts=(0, 0, 0, -0.2)):
    random = np.random.default_rng(seed)
    return np.clip(
        random.random((cases, 1)) * 0.5 + 0.25 + random.normal(0, 0.05, (cases, 4)) + lifts, 0, 1
    )


def within(scores, costs=None, margin=0.03, **more):
    made = compare(columns_for(SETUPS, scores, costs=costs, **more), [a_run(SETUPS)], margin=margin)
    return made.within_margin


def priced(*usd, cases=200):
    return np.tile(usd, (cases, 1)) * np.random.default_rng(9).uniform(0.9, 1.1, (cases, len(usd)))


def test_the_cheapest_within_the_margin_is_named_with_both_costs():
    made = within(scored(lifts=(0.01, 0, 0, -0.2)), priced(0.04, 0.02, 0.03, 0.01))
    assert made.cheapest == "a · few"
    assert [one.name for one in made.setups] == ["b · few", "a · few", "b · plain", "a · plain"]
    assert made.sentence.startswith("Cheapest setup within 3.0 points of the best: a · few, $0.0")
    assert "a · plain has the highest mean, $0.0" in made.sentence


def test_a_setup_that_is_worse_is_not_within():
    made = within(scored(), priced(1, 1, 1, 0.1))
    assert not made.setup("b · few").is_within
    assert made.setup("b · few").at_most > 0.03


def test_unknown_costs_are_said():
    made = within(scored())
    assert made.cheapest is None
    assert made.sentence.endswith("Their costs are unknown.")


def test_few_cases_show_nothing():
    made = within(scored(cases=10), priced(1, 2, 3, 4, cases=10))
    assert made.cheapest is None
    assert made.sentence.startswith("No setup is shown to be within 3.0 points of the best")


def test_without_a_margin_there_is_no_such_test():
    assert compare(columns_for(SETUPS, scored()), [a_run(SETUPS)]).within_margin is None


def test_a_margin_of_the_whole_scale_is_not_tested():
    assert within(scored(), margin=1.0) is None


def test_only_cases_with_all_scores_count():
    scores = scored()
    scores[:5, 1] = np.nan
    assert within(scores).n_cases == 195


def test_the_cost_of_a_case_has_students_interval():
    costs = priced(0.04, 0.02, 0.03, 0.01)
    table = cost_table(columns_for(SETUPS, scored(), costs=costs))
    got = case_cost(table, ["a · few"], 0.95)
    low, high = stats.t.interval(0.95, 199, costs[:, 1].mean(), stats.sem(costs[:, 1]))
    assert (got.usd, got.low, got.high) == pytest.approx((costs[:, 1].mean(), low, high))
    assert got.n_cases == 200


def test_equal_costs_have_an_interval_of_no_width():
    table = cost_table(columns_for(SETUPS, scored(), costs=np.full((200, 4), 0.5)))
    got = case_cost(table, ["a · few"], 0.95)
    assert (got.usd, got.low, got.high) == (0.5, 0.5, 0.5)


def test_the_expansions_of_a_case_count_as_one_in_its_cost():
    costs = priced(0.04, 0.02, 0.03, 0.01, cases=20)
    costs[:12] *= 9
    groups = [0] * 12 + [-1] * 8
    weights = [1 / 12] * 12 + [1] * 8
    table = cost_table(
        columns_for(SETUPS, scored(cases=20), costs=costs, groups=groups, weights=weights)
    )
    got = case_cost(table, ["a · few"], 0.95)
    by_case = np.append(costs[:12, 1].mean(), costs[12:, 1])
    low, high = stats.t.interval(0.95, 8, by_case.mean(), stats.sem(by_case))
    assert (got.usd, got.low, got.high) == pytest.approx((by_case.mean(), max(0, low), high))


def test_weights_of_cases_apply_to_costs_and_their_interval():
    costs = priced(0.04, 0.02, 0.03, 0.01)
    weights = np.random.default_rng(3).integers(1, 5, 200)
    made = within(scored(lifts=(0.01, 0, 0, -0.2)), costs, weights=weights)
    got, own = made.setup("a · few").cost, costs[:, 1]
    mean = np.average(own, weights=weights)
    error = np.sqrt(200 / 199 * np.sum((weights * (own - mean)) ** 2)) / weights.sum()
    low, high = stats.t.interval(0.95, 199, mean, error)
    assert (got.usd, got.low, got.high) == pytest.approx((mean, low, high))


def test_cases_without_a_known_cost_are_left_out():
    costs = priced(1, 2, 3, 4)
    costs[:50, 0] = np.nan
    assert (
        case_cost(
            cost_table(columns_for(SETUPS, scored(), costs=costs)), ["a · plain"], 0.95
        ).n_cases
        == 150
    )


def test_the_document_names_the_cheapest_and_every_setup():
    body = within(scored(), priced(0.04, 0.02, 0.03, 0.01)).to_dict()
    assert body["cheapest"] == "a · few"
    assert {"name", "mean", "cost", "at_most", "is_within"} <= set(body["setups"][0])
