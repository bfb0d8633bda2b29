import numpy as np
import pytest

from benchmaker.analysis.effects.matrix import setup_matrix
from tests.analysis.effects.designs import a_run, columns_for, setups_of


def matrix(setups, scores, **more):
    return setup_matrix(columns_for(setups, scores, **more), [a_run(setups)])


def test_rows_are_prompts_and_columns_models():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.random.default_rng(0).random((40, 4))
    made = matrix(setups, scores)
    assert (made.row_dimension, made.column_dimension) == ("prompt", "model")
    assert made.cell("", "few", "a").mean == pytest.approx(scores[:, 1].mean())
    assert made.cell("", "few", "").mean == pytest.approx(scores[:, [1, 3]].mean())
    assert made.cell("", "", "b").mean == pytest.approx(scores[:, 2:].mean())
    assert made.cell("", "", "").mean == pytest.approx(scores.mean())


def test_one_model_gives_prompts_by_efforts():
    setups = setups_of(("a",), ("plain", "few"), ("low", "high"))
    made = matrix(setups, np.random.default_rng(0).random((20, 4)))
    assert (made.row_dimension, made.column_dimension) == ("prompt", "effort")


def test_one_prompt_gives_efforts_by_models():
    setups = setups_of(("a", "b"), ("plain",), ("low", "high"))
    made = matrix(setups, np.random.default_rng(0).random((20, 4)))
    assert (made.row_dimension, made.column_dimension) == ("effort", "model")


def test_three_dimensions_have_a_block_for_each_effort():
    setups = setups_of(("a", "b"), ("plain", "few"), ("low", "high"))
    made = matrix(setups, np.random.default_rng(0).random((20, 8)))
    assert made.blocks == ("low", "high")
    assert len(made.cells) == 2 * 3 * 3


def test_one_dimension_has_no_matrix():
    setups = setups_of(("a",), ("plain", "few"))
    assert matrix(setups, np.random.default_rng(0).random((20, 2))) is None


def test_cost_is_per_case_with_its_interval():
    setups = setups_of(("a", "b"), ("plain", "few"))
    costs = np.random.default_rng(0).random((30, 4))
    cell = matrix(setups, costs, costs=costs).cell("", "plain", "b")
    assert cell.cost_usd == pytest.approx(costs[:, 2].mean())
    assert cell.cost_low < cell.cost_usd < cell.cost_high


def test_a_margin_is_over_the_cases_that_all_of_its_setups_have():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.random.default_rng(0).random((30, 4))
    scores[:10, 0] = np.nan
    made = matrix(setups, scores)
    assert made.cell("", "plain", "").n_cases == 20
    assert made.cell("", "plain", "").mean == pytest.approx(scores[10:, [0, 2]].mean())
    assert made.cell("", "few", "").n_cases == 30


def test_a_setup_without_scores_has_no_mean():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.random.default_rng(0).random((30, 4))
    scores[:, 0] = np.nan
    cell = matrix(setups, scores).cell("", "plain", "a")
    assert (cell.mean, cell.n_cases) == (None, 0)


def test_a_combination_that_did_not_run_has_no_cell():
    setups = setups_of(("a", "b"), ("plain", "few"))[:3]
    assert matrix(setups, np.random.default_rng(0).random((30, 3))).cell("", "few", "b") is None
