import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.permutation import sign_flip
from tests.draws import draws

D = st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
FEW = st.lists(D, min_size=2, max_size=9)
ROWS = st.lists(st.tuples(D, st.floats(0.1, 9), st.sampled_from("abcdefg")), min_size=2)


def slow(d, weights, labels):
    """p over all sign patterns of the clusters, one by one."""
    sums = {}
    for x, w, label in zip(d, weights, labels, strict=True):
        sums[label] = sums.get(label, 0.0) + x * w
    totals = [
        abs(sum(s * x for s, x in zip(signs, sums.values(), strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    return sum(total >= totals[0] - 1e-9 for total in totals) / len(totals)


@given(FEW)
def test_p_over_all_patterns_is_that_of_scipy(d):
    got = sign_flip(d)
    tenths = np.rint(np.array(d) * 10)  # whole numbers add up exactly in the oracle
    want = oracle.permutation_test(
        (tenths,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    if any(d):
        assert got.is_exact
        assert got.p_value == pytest.approx(want.pvalue, rel=1e-10)
    else:
        assert (got.p_value, got.reason) == (None, f"all {len(d)} differences are 0")


@given(ROWS)
def test_clusters_are_flipped_as_a_whole_with_their_weights(rows):
    d, w, g = zip(*rows, strict=True)
    got = sign_flip(d, weights=w, clusters=g)
    if got.p_value is not None:
        assert got.p_value == pytest.approx(slow(d, w, g), rel=1e-10)
        assert got.patterns == 2 ** (len(set(g)) - 1)


@pytest.mark.parametrize("size", [6, 8, 12, 15])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_holds_the_shifts_that_the_test_does_not_refuse(size, weighted):
    rng = np.random.default_rng(size)
    d, w = rng.normal(0.3, 1, size), rng.random(size) + 0.2 if weighted else None
    got = sign_flip(d, weights=w)
    for end, inside in ((got.low, 1e-7), (got.high, -1e-7)):
        assert sign_flip(d - end - inside, weights=w).p_value >= 0.05
        assert sign_flip(d - end + inside, weights=w).p_value < 0.05


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.45, 0.6])
def test_drawn_patterns_too_refuse_exactly_the_shifts_outside_the_interval(shift):
    rng = np.random.default_rng(9)
    for size in rng.integers(16, 45, 25):
        got = sign_flip(rng.normal(shift, 1, size), weights=rng.random(size) + 0.2, draws=999)
        assert (got.p_value < 0.05) == (not got.low <= 0 <= got.high)


def test_many_clusters_agree_with_student():
    rng = np.random.default_rng(2)
    d = rng.normal(0.2, 1, 400)
    got, want = sign_flip(d, seed=1), oracle.ttest_1samp(d, 0)
    interval = want.confidence_interval()
    assert got.p_value == pytest.approx(want.pvalue, rel=0.3)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_drawn_p_is_close_to_the_exact_one():
    d = np.random.default_rng(4).normal(0.4, 1, 16)
    signs = np.array(list(product((1, -1), repeat=16)))
    exact = float((abs(signs @ d) >= abs(d.sum()) - 1e-9).mean())
    got = sign_flip(d)
    assert not got.is_exact
    assert got.p_value == pytest.approx(exact, abs=4 * (exact / 10_000) ** 0.5)


@given(FEW, st.integers(1, 60), st.floats(0.1, 9))
def test_tied_cases_change_no_digit_of_p(d, ties, weight):
    with_ties = [*d, *[0.0] * ties]
    weights = [*range(1, len(d) + 1), *[weight] * ties]
    alone = sign_flip(d, weights=weights[: len(d)])
    got = sign_flip(with_ties, weights=weights)
    assert got.p_value == alone.p_value
    if got.low is not None:
        assert got.is_exact
        assert (got.p_value < 0.05) == (not got.low <= 0 <= got.high)


@pytest.mark.parametrize(
    ("size", "weights", "lost", "is_significant"),
    [
        (48, [3, 1, 4, 3, 4, 4, 1, 1, 2, 5], {2}, False),
        (20, [5, 4, 3, 1, 1, 2, 5, 3, 2], {4, 5}, True),
    ],
)
def test_few_cases_that_differ_among_many_have_the_exact_verdict(
    size, weights, lost, is_significant
):
    ties = size - len(weights)
    d = [-1.0 if at in lost else 1.0 for at in range(len(weights))]
    want = slow(d, weights, range(len(weights)))
    for seed in range(5):
        got = sign_flip(d + [0.0] * ties, weights=weights + [1] * ties, seed=seed)
        assert got.p_value == pytest.approx(want, rel=1e-12)
        assert (got.p_value < 0.05) == is_significant == (got.low > 0)


def test_shifts_move_the_tied_cases_too():
    d = np.r_[np.random.default_rng(3).normal(1, 0.5, 9), np.zeros(31)]
    got, want = sign_flip(d), sign_flip(d + 1e-3)  # no tie any more, all signs are drawn
    assert got.is_exact
    assert not want.is_exact
    shifted = (want.low - 1e-3, want.high - 1e-3)
    assert (got.low, got.high) == pytest.approx(shifted, abs=0.02)


@given(st.lists(D, min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_neither_order_nor_sides_change_a_digit(d, random):
    shuffled = list(d)
    random.shuffle(shuffled)
    one = dataclasses.asdict(sign_flip(d))
    assert dataclasses.asdict(sign_flip(shuffled)) == one
    other = sign_flip([-x for x in d])
    assert other.p_value == one["p_value"]
    if other.low is not None:
        assert (-other.high, -other.low) == (one["low"], one["high"])


def test_the_seed_is_kept_and_decides_the_draws():
    d = np.random.default_rng(0).normal(0.3, 1, 20)
    assert sign_flip(d, seed=7) == sign_flip(d, seed=7)
    assert sign_flip(d, seed=7).seed == 7
    assert sign_flip(d, seed=7).p_value != sign_flip(d, seed=8).p_value


def test_many_clusters_are_drawn_in_bounded_blocks():
    d = np.random.default_rng(0).normal(0, 1, 3000)
    assert 0 < sign_flip(d, draws=2000).p_value <= 1


@pytest.mark.parametrize(
    ("d", "more", "reason"),
    [
        ([0.5, 0.1], {"clusters": ["x", "x"]}, "1 cluster, at least 2 are needed"),
        ([0.5], {}, "1 difference, at least 2 are needed"),
        ([0.0] * 9, {}, "all 9 differences are 0"),
        ([0.5, -0.5, 1, -1], {"clusters": [1, 1, 2, 2]}, "no difference in any group"),
    ],
)
def test_without_anything_to_flip_there_is_no_p(d, more, reason):
    got = sign_flip(d, **more)
    assert (got.p_value, got.low, got.high, got.reason) == (None, None, None, reason)


def test_too_few_clusters_have_a_p_but_no_interval():
    got = sign_flip([0.1, 0.2, 0.3, 0.4, 0.6])
    assert (got.p_value, got.low) == (2 / 32, None)
    assert (
        got.reason == "5 differences, at least 6 are needed for a sign-flip test at 95% confidence"
    )
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.6, 0.7]).low is not None
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.6], level=0.9).low is not None


def test_equal_differences_have_a_p_but_no_interval():
    got = sign_flip([0.1] * 10)
    assert got.p_value == 2 / 2**10
    assert (got.low, got.reason) == (None, "all 10 differences are equal")


def test_what_cannot_be_used_is_refused():
    with pytest.raises(SpecError, match="row 2 is nan"):
        sign_flip([0.1, np.nan])
    with pytest.raises(SpecError, match="draws is 0"):
        sign_flip([0.1, 0.2], draws=0)
    with pytest.raises(NotEnoughData):
        sign_flip([0.1, 0.2], weights=[0, 0])


@pytest.mark.parametrize("size", [8, 20])
def test_equal_systems_are_rarely_called_different_and_the_interval_covers(size):
    rng = np.random.default_rng(size)
    refused, covered, tries = 0, 0, draws(150, 500)
    for _ in range(tries):
        got = sign_flip(rng.standard_t(3, size), draws=999)
        refused += got.p_value < 0.05
        covered += got.low <= 0 <= got.high
    assert refused / tries <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)
    assert covered == tries - refused


def test_a_level_next_to_one_has_a_reason_too():
    got = sign_flip([0.1, 0.2, 0.3, 0.4, 0.6], level=1 - 2**-50)
    assert (
        got.reason
        == "5 differences, at least 52 are needed for a sign-flip test at 100% confidence"
    )


@pytest.mark.parametrize(("differing", "warned"), [(1, True), (2, True), (5, True), (6, False)])
def test_differences_in_too_few_cases_are_warned_of_and_never_significant(differing, warned):
    got = sign_flip([0.0] * (8 - differing) + [0.9] * differing)
    verb = "differs" if differing == 1 else "differ"
    said = f"{differing} of 8 cases {verb}; at least 6 must for a significant result"
    assert got.warnings == ((said,) if warned else ())
    assert (got.p_value >= 0.05) is warned
