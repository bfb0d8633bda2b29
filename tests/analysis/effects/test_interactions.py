import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from benchmaker.analysis.effects.levels import compare_levels
from tests.analysis.effects.designs import a_design, a_run, columns_for, setups_of


def interaction_of(setups, scores, by="prompt", **how):
    made = compare_levels(columns_for(setups, scores), by, [a_run(setups)], **how)
    return made.interactions[0]


def test_a_contrast_is_the_t_test_of_a_difference_of_differences():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.random.default_rng(2).random((90, 4))
    top = interaction_of(setups, scores).contrasts[0]
    d = (scores[:, 0] - scores[:, 1]) - (scores[:, 2] - scores[:, 3])
    expected = stats.ttest_1samp(d, 0)
    low, high = expected.confidence_interval()
    if d.mean() < 0:
        low, high = -high, -low
    assert top.diff == pytest.approx(abs(d.mean()))
    assert top.p == pytest.approx(expected.pvalue)
    assert (top.low, top.high) == pytest.approx((low, high))
    assert top.effect - top.other_effect == pytest.approx(top.diff)


def test_every_quadruple_is_a_contrast_adjusted_by_holm():
    setups = setups_of(("a", "b", "c"), ("one", "two", "three"))
    made = interaction_of(setups, np.random.default_rng(3).random((60, 9)))
    assert len(made.contrasts) == 9
    expected = multipletests([one.p for one in made.contrasts], method="holm")[1]
    assert [one.p_adj for one in made.contrasts] == pytest.approx(expected)
    assert made.adjustment == "Holm over 9 contrasts"


def test_a_planted_interaction_is_named_with_both_effects():
    design = a_design(interaction={("alpha", "few"): 0.2})
    scores = design.scores(np.random.default_rng(0), 100)
    made = interaction_of(design.setups, scores)
    assert made.is_significant
    assert made.sentence.startswith(
        "The effect of the prompt depends on the model: few − plain is "
    )
    assert " points with alpha and " in made.sentence
    top = made.contrasts[0]
    assert top.diff == pytest.approx(top.effect - top.other_effect)
    assert f"a difference of {100 * top.diff:.1f} points (" in made.sentence


def test_no_interaction_says_the_largest_contrast():
    design = a_design()
    made = interaction_of(design.setups, design.scores(np.random.default_rng(0), 60))
    assert not made.is_significant
    assert made.sentence.startswith("No significant interaction of prompt and model: ")


def test_contrasts_may_exceed_the_range_of_a_score():
    setups = setups_of(("a", "b"), ("plain", "few"))
    scores = np.tile([0.0, 1.0, 1.0, 0.0], (60, 1))
    scores[:30] = np.clip(scores[:30], 0.1, 0.9)
    top = interaction_of(setups, scores).contrasts[0]
    assert top.diff == pytest.approx(1.8)
    assert top.high > 1


def test_a_design_without_four_common_setups_has_no_interaction():
    setups = [one for one in setups_of(("a", "b"), ("plain", "few")) if one.name != "b · few"]
    scores = np.random.default_rng(0).random((30, 3))
    made = compare_levels(columns_for(setups, scores), "prompt", [a_run(setups)])
    assert made.interactions == ()
