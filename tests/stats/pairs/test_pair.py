import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.mcnemar import mcnemar
from benchmaker.stats.pairs.pair import head_to_head
from benchmaker.stats.pairs.paired import paired_t
from benchmaker.stats.pairs.permutation import sign_flip

RNG = np.random.default_rng(0)
PASSES = RNG.integers(0, 2, (2, 80)).astype(float)
GRADED = RNG.choice([0, 0.5, 0.9, 1.0], (2, 80))


def test_passes_and_fails_get_mcnemars_mid_p_with_tangos_interval():
    a, b = PASSES
    got = head_to_head(a, b)
    want = mcnemar(int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum()), n=80)
    assert got.test == "mcnemar_mid_p"
    assert (got.p_value, got.low, got.high) == (want.p_mid, want.low, want.high)
    assert head_to_head(a, b, test="mcnemar_exact").p_value == want.p_exact


@pytest.mark.parametrize("more", [{"weights": [1, 2] * 20}, {"clusters": list(range(20)) * 2}])
def test_weighted_or_clustered_passes_flip_signs(more):
    assert head_to_head(*PASSES[:, :40], **more).test == "sign_flip"


def test_graded_scores_of_few_clusters_flip_signs():
    a, b = GRADED[:, :49]
    got, want = head_to_head(a, b, seed=3), sign_flip(a - b, seed=3)
    assert got.test == "sign_flip"
    assert (got.p_value, got.low, got.high) == (want.p_value, want.low, want.high)
    assert head_to_head(*GRADED, clusters=np.arange(80) % 10).test == "sign_flip"


def test_graded_scores_of_many_clusters_get_student():
    a, b = GRADED[:, :50]
    got, want = head_to_head(a, b), paired_t(a, b)
    assert got.test == "t"
    assert (got.p_value, got.low, got.high) == (want.p_value, want.low, want.high)


def test_many_equal_differences_are_still_a_difference():
    got = head_to_head([0.75] * 60, [0.5] * 60)
    assert (got.test, got.p_value, got.low) == ("sign_flip", 1e-4, None)
    assert got.reason == "all 60 differences are equal"


def test_equal_scores_are_not_told_apart_and_say_why():
    assert head_to_head([1, 0, 1], [1, 0, 1]).reason == "no difference in any case"
    assert head_to_head([0.5] * 3, [0.5] * 3).reason == "all 3 differences are 0"


def test_mcnemar_where_it_does_not_belong_is_refused():
    with pytest.raises(SpecError, match="scores of 0 or 1"):
        head_to_head(*GRADED, test="mcnemar_exact")
    with pytest.raises(SpecError, match="scores of 0 or 1"):
        head_to_head(*PASSES, weights=range(80), test="mcnemar_mid_p")
    with pytest.raises(NotEnoughData):
        head_to_head([], [])


def test_where_tangos_interval_disagrees_with_the_test_its_end_is_the_tests():
    a = [1.0] * 4 + [0.0] * 16
    got = head_to_head(a, [0.0] * 20)
    assert got.p_value > 0.05
    assert mcnemar(4, 0, n=20).low > 0
    assert got.low < 0 < got.high
    assert head_to_head([0.0] * 20, a).high == -got.low


def test_mcnemar_and_its_interval_never_disagree():
    for n in (8, 24):
        for wins in range(n + 1):
            for losses in range(n + 1 - wins):
                a = [1.0] * wins + [0.0] * (n - wins)
                b = [0.0] * wins + [1.0] * losses + [0.0] * (n - wins - losses)
                for level in (0.95, 0.99):
                    for test in ("mcnemar_mid_p", "mcnemar_exact"):
                        got = head_to_head(a, b, test=test, level=level)
                        excludes = not got.low <= 0 <= got.high
                        apart = got.p_value is not None and got.p_value < 1 - level - 1e-12
                        assert excludes == apart, (n, wins, losses, level, test)
                        assert -1 <= got.low <= got.paired.diff <= got.high <= 1


@example(19, 224, True)  # a mean difference of exactly 0
@given(st.integers(2, 70), st.integers(0, 10_000), st.booleans())
def test_the_sides_may_be_exchanged(size, seed, graded):
    values = [0, 0.5, 1.0] if graded else [0.0, 1.0]
    a, b = np.random.default_rng(seed).choice(values, (2, size))
    one, other = head_to_head(a, b, draws=99), head_to_head(b, a, draws=99)
    assert (other.p_value, other.test) == (one.p_value, one.test)
    assert other.paired.diff == -one.paired.diff
    if one.low is not None:
        assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)
