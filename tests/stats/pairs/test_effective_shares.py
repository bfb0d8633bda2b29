"""The interval of 0/1 scores with groups or weights."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.stats.differences import paired_differences
from benchmaker.stats.pairs.effective_shares import effective_shares
from benchmaker.stats.pairs.equivalence import choose_tost, tost
from benchmaker.stats.pairs.mcnemar import tango
from benchmaker.stats.pairs.pair import head_to_head

GROUPS = np.repeat(np.arange(20), 2)


def scores(d):
    """Scores of a and b with these differences; both pass where they tie."""
    d = np.asarray(d)
    return np.where(d < 0, 0.0, 1.0), np.where(d > 0, 0.0, 1.0)


def drawn(random, groups, each, chances, alike=0.0):
    """Differences of cases in groups, some of which are alike throughout."""
    n = groups * each
    rolls = random.random(n)
    shared = np.repeat(random.random(groups), each)
    rolls = np.where(np.repeat(random.random(groups) < alike, each), shared, rolls)
    return np.where(rolls < chances[0], 1, np.where(rolls < sum(chances), -1, 0))


def slow_number(d, weights, labels):
    """The effective number by the formulas of the docstring, item by item."""
    total, names = sum(weights), sorted(set(labels))
    mean = sum(w * x for w, x in zip(weights, d, strict=True)) / total
    residuals = dict.fromkeys(names, 0.0)
    mass = dict.fromkeys(names, 0.0)
    for x, w, name in zip(d, weights, labels, strict=True):
        residuals[name] += w * (x - mean)
        mass[name] += w
    g = len(names)
    squared_error = g / (g - 1) * sum(r * r for r in residuals.values()) / total**2
    variance = sum(w * x * x for w, x in zip(weights, d, strict=True)) / total - mean**2
    items = total**2 / sum(w * w for w in weights)
    whole = total**2 / sum(m * m for m in mass.values())
    known = min(1.0, len({name for x, name in zip(d, labels, strict=True) if x}) / 10)
    estimated = min(variance / squared_error, items)
    return math.exp(known * math.log(estimated) + (1 - known) * math.log(min(estimated, whole)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_effective_number_is_that_of_the_formulas(seed, is_weighted):
    random = np.random.default_rng(seed)
    d = drawn(random, 20, 2, (0.1 + seed / 40, 0.05), alike=0.5)
    d[:2] = 1, 0
    weights = random.integers(1, 5, 40).astype(float) if is_weighted else np.ones(40)
    a, b = scores(d)
    got = effective_shares(paired_differences(a, b, weights=weights, clusters=GROUPS))
    want = max(1.0, slow_number(d.tolist(), weights.tolist(), GROUPS.tolist()))
    assert got.n == pytest.approx(want, rel=1e-9)
    assert (got.n10 - got.n01) / got.n == pytest.approx(np.average(d, weights=weights))


def test_groups_that_are_alike_count_once():
    d = np.repeat([1] * 6 + [-1] * 6 + [0] * 8, 2)
    got = effective_shares(paired_differences(*scores(d), clusters=GROUPS))
    assert got.n == pytest.approx(19)
    assert got.interval(0.95) == pytest.approx(tango(5.7, 5.7, 19, level=0.95))


def test_differences_that_do_not_vary_have_no_effective_number():
    assert effective_shares(paired_differences(*scores([1] * 8), clusters=[0, 0, 1, 1] * 2)) is None


@pytest.mark.parametrize(
    ("groups", "each", "chances", "alike"),
    [(20, 2, (0.08, 0.0), 0.0), (20, 2, (0.08, 0.0), 0.5), (35, 4, (0.03, 0.0), 0.5)],
)
def test_the_interval_covers_rare_one_sided_differences(groups, each, chances, alike):
    """Sign flips alone cover 74 to 88 % here."""
    random = np.random.default_rng(1)
    labels = np.repeat(np.arange(groups), each)
    held = alone = made = 0
    for _ in range(200):
        a, b = scores(drawn(random, groups, each, chances, alike))
        pair = head_to_head(a, b, clusters=labels, draws=499)
        flips = head_to_head(a, b, clusters=labels, draws=499, test="sign_flip")
        if pair.low is not None:
            made += 1
            held += pair.low - 1e-12 <= chances[0] <= pair.high + 1e-12
            alone += flips.low - 1e-12 <= chances[0] <= flips.high + 1e-12
    assert held >= 0.93 * made
    assert held > alone


@given(
    st.integers(0, 10_000),
    st.sampled_from([(12, 1), (20, 2), (10, 5), (60, 2)]),
    st.floats(0.05, 0.6),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_the_interval_never_contradicts_the_test(seed, shape, chance, level):
    random = np.random.default_rng(seed)
    groups, each = shape
    a, b = scores(drawn(random, groups, each, (chance, 0.1), alike=0.3))
    given_ = {"weights": random.integers(1, 4, len(a))} if each == 1 else {}
    labels = np.repeat(np.arange(groups), each)
    pair = head_to_head(a, b, clusters=labels, level=level, draws=199, **given_)
    if pair.low is None or pair.p_value is None:
        return
    assert (not pair.low <= 0 <= pair.high) == (pair.p_value < 1 - level - 1e-12)
    assert -1 <= pair.low <= pair.paired.diff <= pair.high <= 1
    own = head_to_head(a, b, clusters=labels, level=level, draws=199, test=pair.test, **given_)
    assert pair.p_value == own.p_value
    if pair.test in ("sign_flip", "t"):
        assert pair.low <= own.low
        assert pair.high >= own.high


@pytest.mark.parametrize("seed", range(6))
def test_equivalence_is_no_surer_than_either_test(seed):
    random = np.random.default_rng(seed)
    a, b = scores(drawn(random, 60, 3, (0.1, 0.06), alike=0.5))
    labels = np.repeat(np.arange(60), 3)
    rows = paired_differences(a, b, clusters=labels)
    made, by_t = (
        choose_tost(rows, margin=0.08, level=0.95),
        tost(a, b, margin=0.08, clusters=labels),
    )
    assert made.p_value >= by_t.p_value
    assert made.low <= by_t.low
    assert made.high >= by_t.high
    inside = made.low > -0.08 and made.high < 0.08
    assert made.is_equivalent == inside == (made.p_value < 0.05)
