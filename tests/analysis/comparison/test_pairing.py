import math

import numpy as np
import pytest

from benchmaker.analysis import columns_of
from benchmaker.analysis.comparison.pairing import case_table, check_models
from benchmaker.errors import SpecError


def make(a_trial, scores, **more):
    """Trials out of {model: [score per case]}."""
    return [
        a_trial(at, score, model=model, **more)
        for model, row in scores.items()
        for at, score in enumerate(row)
    ]


def test_a_case_counts_with_its_mean_over_runs(a_trial):
    trials = make(a_trial, {"a": [1.0, 0.0], "b": [0.5, None]})
    trials += make(a_trial, {"a": [0.0, 0.0], "b": [1.0, 0.25]}, run="r2")
    table = case_table(columns_of(trials))
    assert table.models == ("a", "b")
    assert table.scores.tolist() == [[0.5, 0.75], [0.0, 0.25]]
    assert table.weights.tolist() == [1.0, 1.0]


def test_a_case_without_any_score_is_kept_as_missing(a_trial):
    table = case_table(columns_of(make(a_trial, {"a": [1.0, None], "b": [None, None]})))
    assert math.isnan(table.scores[1, 0])
    assert (len(table), len(table.common_cases()), len(table.cases_of("a"))) == (2, 0, 1)


def test_a_case_of_weight_zero_does_not_exist(a_trial):
    trials = [a_trial(0, 1.0, weight=0.0), a_trial(1, 0.5, weight=2.0)]
    table = case_table(columns_of(trials))
    assert table.weights.tolist() == [2.0]


def test_cases_of_a_group_are_one_cluster_and_others_stand_alone(a_trial):
    groups = ["g", None, "h", "g", None]
    trials = [a_trial(at, 1.0, group=group) for at, group in enumerate(groups)]
    table = case_table(columns_of(trials))
    assert (table.clusters, table.is_clustered) == (4, True)
    assert table.cluster[0] == table.cluster[3]


def test_models_come_in_the_order_asked_for(a_trial):
    columns = columns_of(make(a_trial, {"a": [1.0], "b": [0.5], "c": [0.0]}))
    assert case_table(columns, ["c", "a"]).scores.tolist() == [[0.0, 1.0]]


def test_the_order_of_the_trials_changes_no_digit(a_trial):
    rng = np.random.default_rng(0)
    trials = [
        a_trial(at, float(rng.random()), model=model, run=run)
        for run in ("r1", "r2", "r3")
        for at in range(20)
        for model in "ab"
    ]
    one = case_table(columns_of(trials), "ab")
    other = case_table(columns_of([trials[at] for at in rng.permutation(120)]), "ab")
    assert np.array_equal(one.scores, other.scores)


@pytest.mark.parametrize(
    ("names", "words"),
    [(["gtp-4"], "Did you mean 'gpt-4'"), (["zzz"], "There are: gpt-4, b"), ("bb", "given twice")],
)
def test_unknown_and_repeated_models_are_refused(names, words):
    with pytest.raises(SpecError, match=words):
        check_models(names, ("gpt-4", "b"))
