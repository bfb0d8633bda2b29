"""The interval beside a verdict excludes 0 exactly when the verdict does, and stays in scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis import compare, rank
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.record import Score
from benchmaker.testing import a_trial


def trials(table, weights=None, groups=None):
    """A trial for each cell of cases × models; NaN has none."""
    made = []
    for at, row in enumerate(table):
        for model, score in enumerate(row):
            if not np.isnan(score):
                made.append(
                    a_trial(
                        case_id=f"c{at}",
                        model=f"m{model}",
                        position=at,
                        score=Score.of(float(score)),
                        weight=1.0 if weights is None else float(weights[at]),
                        group=None if groups is None else f"g{groups[at]}",
                    )
                )
    return made


def assert_agrees(pair):
    if pair.low is None or pair.high is None:
        assert pair.verdict != "ahead"
        return
    assert -1 <= pair.low <= pair.high <= 1
    assert (not pair.low <= 0 <= pair.high) == (pair.verdict == "ahead"), pair
    assert pair.ci_level >= pair.level


tables = st.builds(
    lambda seed, cases, models, graded: (seed, cases, models, graded),
    st.integers(0, 10_000),
    st.integers(2, 70),
    st.integers(2, 5),
    st.booleans(),
)


@settings(max_examples=15)
@given(tables, st.sampled_from(["holm", "bh", None]), st.booleans(), st.booleans())
def test_no_verdict_stands_against_its_interval(shape, correction, weighted, grouped):
    seed, cases, models, graded = shape
    draws = np.random.default_rng(seed)
    ability = draws.random(models)
    table = (draws.random((cases, models)) < ability).astype(float)
    if graded:
        table = np.clip(table * 0.6 + draws.random((cases, models)) * 0.4, 0, 1)
    made = compare(
        trials(
            table,
            draws.integers(1, 4, cases) if weighted else None,
            draws.integers(0, cases, cases) if grouped else None,
        ),
        correction=correction,
        draws=199,
    )
    for pair in made.pairs:
        assert_agrees(pair)
    for one in made.models:
        for pair in compare_with_reference(made, one.model).pairs:
            assert_agrees(pair)


def test_models_on_different_cases_agree_too():
    draws = np.random.default_rng(3)
    table = draws.random((40, 3))
    table[::2, 0] = np.nan
    table[1::2, 1:] = np.nan
    table[:, 2] *= 0.2
    for pair in compare(trials(table)).pairs:
        assert_agrees(pair)


def test_the_head_says_what_the_interval_is():
    draws = np.random.default_rng(5)
    three = compare(trials(draws.random((12, 3))))
    assert three.headline.ci_name == "Holm-adjusted CI"
    assert "Holm-adjusted over 3 pairs" in three.headline.sentence
    two = compare(trials(draws.random((12, 2))))
    assert two.headline.ci_name == "95% CI"
    assert two.headline.ci_level == 0.95
    assert "ends_at" not in two.headline.to_dict()


def test_adjusted_intervals_hold_together():
    """Family-wise: with no difference anywhere, an interval of 6 excludes 0 in 5 of 100 at most."""
    draws, wrong = np.random.default_rng(11), 0
    for _ in range(60):
        made = compare(trials(draws.random((60, 4))))
        wrong += any(not pair.low <= 0 <= pair.high for pair in made.pairs)
    assert wrong / 60 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.parametrize("models", [3, 4])
def test_adjusted_intervals_are_wider_than_those_of_the_pair_alone(models):
    draws = np.random.default_rng(8)
    scored = trials(np.clip(draws.normal(0.5, 0.1, (60, models)) + np.arange(models) / 40, 0, 1))
    holm, alone = compare(scored), compare(scored, correction=None)
    for one in holm.pairs:
        other = alone.pair(one.model_a, one.model_b)
        assert one.low <= other.low + 1e-12
        assert one.high >= other.high - 1e-12


def test_rank_is_not_sure_where_compare_is_not():
    """Two cases of weight 100, on which one model is right, and eight of weight 1."""
    a, b = [1, 1] + [0] * 7 + [1], [0, 0] + [1] * 7 + [1]
    scored = trials(np.array([a, b], dtype=float).T, weights=[100, 100] + [1] * 8)
    assert compare(scored).headline.verdict == "not_significant"
    ranking = rank(scored)
    assert "is undecided" in ranking.sentence
    assert [(one.best, one.worst) for one in ranking.models] == [(1, 2), (1, 2)]


@pytest.mark.parametrize("seed", range(6))
def test_no_rank_interval_parts_what_compare_does_not_tell_apart(seed):
    draws = np.random.default_rng(seed)
    table = (draws.random((40, 4)) < [0.2, 0.5, 0.55, 0.9]).astype(float)
    scored = trials(table, weights=draws.choice([1, 5, 50], 40))
    lines = {one.model: one for one in rank(scored).models}
    for pair in compare(scored).pairs:
        higher, lower = lines[pair.model_a], lines[pair.model_b]
        if pair.verdict != "ahead" and higher.worst is not None:
            assert higher.worst >= lower.best
            assert lower.worst >= higher.best
