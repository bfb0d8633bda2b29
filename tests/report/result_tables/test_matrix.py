"""The grid of a matrix: cells, margins, and the form that fits the terminal."""

import numpy as np

from benchmaker.analysis import setup_matrix
from benchmaker.report.result_tables.matrix import (
    NOT_RUN,
    fitting_tables,
    grid_tables,
    markdown_tables,
    transpose,
)
from tests.analysis.effects.designs import a_run, columns_for, setups_of


def matrix(setups, *, costs=True, seed=0):
    scores = np.random.default_rng(seed).random((40, len(setups)))
    columns = columns_for(setups, scores, costs=scores if costs else None)
    return setup_matrix(columns, [a_run(setups)])


def test_a_cell_has_figure_interval_and_cost():
    made = matrix(setups_of())
    (table,) = grid_tables(made)
    figure, interval, cost = table.rows[0][1].split("\n")
    assert float(figure) == round(100 * made.cell("", "plain", "alpha").mean, 1)
    assert interval.startswith("[")
    assert cost.startswith("$0.")


def test_without_costs_a_cell_has_two_lines():
    (table,) = grid_tables(matrix(setups_of(), costs=False))
    assert table.rows[0][1].count("\n") == 1
    assert "cost" not in table.caption


def test_the_margins_stand_last():
    (table,) = grid_tables(matrix(setups_of()))
    assert [column.head for column in table.columns] == ["Prompt", "alpha", "beta", "all models"]
    assert [row[0] for row in table.rows] == ["plain", "few", "all prompts"]


def test_a_combination_that_did_not_run_says_so():
    (table,) = grid_tables(matrix(setups_of()[:3]))
    assert table.rows[1][2] == NOT_RUN


def test_each_effort_has_its_own_grid():
    tables = grid_tables(matrix(setups_of(efforts=("low", "high"))))
    assert ["effort low" in tables[0].caption, "effort high" in tables[1].caption] == [True, True]


def test_many_models_stand_in_rows_where_the_terminal_is_narrow():
    made = matrix(setups_of(tuple(f"model-{at}" for at in range(9))))
    (narrow,) = fitting_tables(made, 80)
    (wide,) = fitting_tables(made, 200)
    assert narrow.columns[0].head == "Model"
    assert wide.columns[0].head == "Prompt"


def test_a_matrix_too_wide_either_way_is_a_list():
    names = tuple(f"model-{at}" for at in range(9))
    made = matrix(setups_of(names, tuple(f"prompt-{at}" for at in range(9))))
    (table,) = fitting_tables(made, 80)
    assert len(table.rows) == len(made.cells)


def test_cells_stand_on_one_line_in_markdown():
    (table,) = markdown_tables(matrix(setups_of()))
    assert all("\n" not in cell for row in table.rows for cell in row)


def test_transposing_twice_changes_nothing():
    made = matrix(setups_of())
    assert transpose(transpose(made)) == made
