"""Setups that were dropped change nothing in the levels of the others."""

import numpy as np
import pytest

from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.analysis.effects.matrix import setup_matrix
from benchmaker.analysis.effects.run_effects import run_effects
from tests.analysis.effects.designs import a_run, setups_of

CASES = 30
KEPT = setups_of(("a", "b", "c"))
GONE = setups_of(("d",))


@pytest.fixture
def trials(a_trial):
    """The trials of setups, of the first cases only for those in ``early``."""

    def make(setups, early=()):
        scores = np.random.default_rng(3).random((len(KEPT + GONE), CASES))
        at = {one.name: row for one, row in zip(KEPT + GONE, scores, strict=True)}
        return [
            a_trial(case, float(at[one.name][case]), model=one.name, run="r", cost_usd=0.01)
            for one in setups
            for case in range(7 if one in early else CASES)
        ]

    return make


def dropped(setups, early):
    return [a_run(setups, dropped=tuple(one.name for one in early))]


@pytest.mark.parametrize("by", ["model", "prompt"])
def test_a_dropped_model_changes_no_pair_of_other_levels(trials, by):
    alone = compare_levels(trials(KEPT), by, [a_run(KEPT)], margin=0.1)
    every = KEPT + GONE
    made = compare_levels(trials(every, GONE), by, dropped(every, GONE), margin=0.1)
    assert made.pairs[: len(alone.pairs)] == alone.pairs
    assert made.levels[: len(alone.levels)] == alone.levels
    assert (made.n_common, made.method) == (CASES, alone.method)
    assert (made.within_margin, made.interactions) == (alone.within_margin, alone.interactions)


def test_a_level_of_dropped_setups_has_its_pairs_over_its_own_cases(trials):
    every = KEPT + GONE
    made = compare_levels(trials(every, GONE), "model", dropped(every, GONE))
    assert made.levels[-1].level == "d"
    assert {it.n_cases for it in made.pairs if "d" in (it.a, it.b)} == {7}
    assert len([it for it in made.pairs if "d" in (it.a, it.b)]) == 3
    assert any("d was dropped after 7 of 30 cases" in it for it in made.warnings)


def test_a_dropped_setup_is_left_out_of_a_level_with_others(trials):
    every = KEPT + GONE
    made = compare_levels(trials(every, GONE), "prompt", dropped(every, GONE))
    assert [len(one.setups) for one in made.levels] == [3, 3]
    assert made.headline.over == {"model": ("a", "b", "c"), "effort": ("default",)}
    assert (
        sum("was dropped after 7 of 30 cases, and is left out" in it for it in made.warnings) == 2
    )


def test_margins_of_the_matrix_are_without_dropped_setups(trials):
    every = KEPT + GONE
    made = setup_matrix(trials(every, GONE), dropped(every, GONE))
    alone = setup_matrix(trials(KEPT), [a_run(KEPT)])
    assert [made.cell("", it.row, it.column) for it in alone.cells] == list(alone.cells)
    own = made.cell("", "plain", "d")
    assert (own.n_cases, own.setups) == (7, (GONE[0].name,))


def test_effects_of_a_run_are_without_dropped_setups(trials):
    every = KEPT + GONE
    made = run_effects(trials(every, GONE), dropped(every, GONE))
    alone = run_effects(trials(KEPT), [a_run(KEPT)])
    assert [one.headline for one in made.comparisons] == [one.headline for one in alone.comparisons]
