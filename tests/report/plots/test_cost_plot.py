"""The plot of score against cost: intervals, the front, and setups within the margin."""

import re
from dataclasses import replace

import numpy as np

from benchmaker.analysis import compare
from benchmaker.report.plots.cost_plot import cost_svg
from benchmaker.report.plots.scatter import LogPlane, Point, scatter_svg
from tests.analysis.effects.designs import a_run, columns_for, setups_of


def within(costs=(0.01, 0.02, 0.04, 0.08)):
    setups = setups_of()
    random = np.random.default_rng(0)
    scores = (
        random.random((80, 1)) * 0.4 + random.random((80, 4)) * 0.1 + np.array([0.2, 0.2, 0.2, 0])
    )
    spent = np.tile(costs, (80, 1)) * random.uniform(0.9, 1.1, (80, 4))
    columns = columns_for(setups, scores, costs=spent)
    return compare(columns, [a_run(setups)], margin=0.05).within_margin


def marker(name):
    """The marker of a setup, in reverse order."""
    return f"m{4 - [one.name for one in within().setups].index(name)}"


def test_every_setup_has_both_intervals():
    drawn = cost_svg(within(), marker)
    assert drawn.count('<g class="ends ') == 4
    assert drawn.count("<line x1=") >= 8


def test_a_setup_has_the_marker_of_the_page():
    drawn = cost_svg(within(), marker)
    assert re.findall(r'class="ends (m\d)"', drawn) == ["m4", "m3", "m2", "m1"]


def test_setups_outside_the_margin_are_hollow():
    assert cost_svg(within(), marker).count('class="mk hollow"') == 1


def test_setups_without_a_cost_are_not_drawn():
    made = within()
    first = replace(made.setups[0], cost=replace(made.setups[0].cost, usd=None))
    assert cost_svg(replace(made, setups=(first, *made.setups[1:])), marker).count("<path") == 3


def test_without_any_cost_there_is_no_plot():
    made = within()
    free = tuple(replace(one, cost=replace(one.cost, usd=None)) for one in made.setups)
    assert cost_svg(replace(made, setups=free), marker) == ""


def test_a_point_without_intervals_has_no_lines():
    plane = LogPlane(0.01, 1.0)
    assert "ends" not in scatter_svg(plane, [Point(0.1, 0.5, "a", "m1")], label="l", unit="u")


def test_small_costs_have_no_exponent():
    drawn = cost_svg(within((1e-5, 2e-5, 4e-5, 8e-5)), marker)
    assert ">0.00002</text>" in drawn
    assert "e-0" not in drawn


def test_names_at_near_equal_costs_stand_beside_the_intervals():
    plane = LogPlane(0.0001, 0.001)
    points = [
        Point(cost, 0.8, f"setup {at}", "m1", x_ends=(0.00015, 0.0003), y_ends=(0.6, 0.9))
        for at, cost in enumerate((0.0002, 0.000201, 0.000203))
    ]
    drawn = scatter_svg(plane, points, label="l", unit="dollars")
    bases = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="[a-z]+">setup \d<', drawn)]

    assert len(bases) == 3
    assert all(not base - 9 < plane.y(0.8) < base + 3 for base in bases)


def test_a_long_name_is_cut_in_the_middle_and_not_left_out():
    plane = LogPlane(0.0001, 0.001)
    long = "openai/gpt-5-mini · a very long prompt name that goes on and on and on"
    drawn = scatter_svg(plane, [Point(0.0003, 0.5, long, "m1")], label="l", unit="dollars")

    assert f">{long[:26]}…{long[-17:]}<" in drawn


def test_scores_are_marked_without_a_sign_as_in_the_tables():
    assert 'text-anchor="end">50</text>' in cost_svg(within(), marker)
    assert "%" not in cost_svg(within(), marker)
