import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.means.ppi import PpiSample, ppi_difference, ppi_mean
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 60))

SCORES = st.integers(0, 10).map(lambda x: x / 10)
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=4, max_size=30)
OTHERS = st.lists(SCORES, min_size=2, max_size=40)


def split(pairs):
    return [y for y, _ in pairs], [f for _, f in pairs]


def classic(y, f, rest, lambda_=1.0, z=1.959963984540054):
    """ppi_mean_ci of Angelopoulos et al. (ppi_py), in its ten numpy lines."""
    y, f, rest = (np.asarray(part, float) for part in (y, f, rest))
    value = lambda_ * rest.mean() + (y - lambda_ * f).mean()
    judge = (lambda_ * rest).std() / math.sqrt(len(rest))
    label = (y - lambda_ * f).std() / math.sqrt(len(y))
    half = z * math.sqrt(judge**2 + label**2)
    return value, value - half, value + half


def best(y, f, rest):
    """λ of PPI++ for a mean, as ppi_py has it."""
    y, f, rest = (np.asarray(part, float) for part in (y, f, rest))
    covariance = ((y - y.mean()) * (f - f.mean())).mean()
    return covariance / ((1 + len(y) / len(rest)) * np.concatenate([f, rest]).var(ddof=1))


@careful
@given(PAIRS, OTHERS)
def test_at_lambda_one_it_is_classic_ppi(pairs, rest):
    y, f = split(pairs)
    found = ppi_mean(y, f, rest, lambda_=1, interval="normal")
    want = classic(y, f, rest)
    assert found.value == pytest.approx(want[0], abs=1e-9)
    if found.interval is not None:
        assert found.interval == pytest.approx(want[1:], abs=1e-9)


@careful
@given(PAIRS, OTHERS)
def test_the_optimal_lambda_is_that_of_ppi_plus_plus(pairs, rest):
    y, f = split(pairs)
    found = ppi_mean(y, f, rest, interval="normal")
    if len({*f, *rest}) > 1:
        lambda_ = best(y, f, rest)
        assert found.lambda_ == pytest.approx(lambda_, abs=1e-9)
        assert found.value == pytest.approx(classic(y, f, rest, lambda_)[0], abs=1e-9)


@careful
@given(PAIRS, OTHERS)
def test_at_lambda_zero_it_is_the_mean_of_the_labels(pairs, rest):
    y, f = split(pairs)
    found, want = ppi_mean(y, f, rest, lambda_=0), weighted_mean(y)
    assert found.value == pytest.approx(want.mean, abs=1e-12)
    if want.interval is not None:
        assert found.interval == pytest.approx(want.interval, rel=1e-9, abs=1e-12)
        assert found.n_eff == pytest.approx(len(y))


@careful
@given(PAIRS, OTHERS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(pairs, rest, random):
    shuffled, others = list(pairs), list(rest)
    random.shuffle(shuffled)
    random.shuffle(others)
    one, two = ppi_mean(*split(pairs), rest), ppi_mean(*split(shuffled), others)
    assert two.value == pytest.approx(one.value, rel=1e-12, abs=1e-12)
    assert (two.se or 0) == pytest.approx(one.se or 0, rel=1e-12, abs=1e-12)


@careful
@given(PAIRS, OTHERS, st.integers(-3, 3))
def test_a_shift_of_the_judge_changes_nothing(pairs, rest, shift):
    y, f = split(pairs)
    one = ppi_mean(y, f, rest)
    two = ppi_mean(y, [x + shift for x in f], [x + shift for x in rest])
    assert two.value == pytest.approx(one.value, abs=1e-9)


@careful
@given(PAIRS, OTHERS)
def test_the_difference_is_antisymmetric_and_that_of_the_rows(pairs, rest):
    y, f = split(pairs)
    a, b = PpiSample(y, f, rest), PpiSample(f[::-1], y[::-1], rest[::-1])
    here, there = ppi_difference(a, b), ppi_difference(b, a)
    assert there.value == pytest.approx(-here.value, abs=1e-9)
    assert here.lambda_ == pytest.approx(there.lambda_, abs=1e-9)
    rows = [np.subtract(one, two) for one, two in zip(a, b, strict=True)]
    assert here.value == pytest.approx(ppi_mean(*rows).value, abs=1e-12)
    assert "paired difference" in here.method


@careful
@given(PAIRS, OTHERS, st.booleans(), st.sampled_from((0.5, 0.95, 0.99)))
def test_the_wilson_interval_lies_within_the_scale_and_holds_the_value(pairs, rest, alone, level):
    y, f = split(pairs)
    lambda_ = 0 if alone else "optimal"
    found = ppi_mean(y, f, rest, lambda_=lambda_, interval="wilson", level=level)
    assert 0.0 <= found.low <= min(max(found.value, 0.0), 1.0) <= found.high <= 1.0
    a, b = PpiSample(y, f, rest), PpiSample(f, y, rest)
    apart = ppi_difference(a, b, lambda_=lambda_, interval="wilson", level=level)
    assert -1.0 <= apart.low <= min(max(apart.value, -1.0), 1.0) <= apart.high <= 1.0


@careful
@given(PAIRS, OTHERS)
def test_the_wilson_interval_is_turned_over_with_the_scores(pairs, rest):
    one = ppi_mean(*split(pairs), rest, interval="wilson")
    turned = [(1 - y, 1 - f) for y, f in pairs]
    two = ppi_mean(*split(turned), [1 - f for f in rest], interval="wilson")
    assert (1 - two.high, 1 - two.low) == pytest.approx(one.interval, abs=1e-9)


def test_wilson_near_the_middle_of_many_labels_is_that_of_students_t():
    y, f, rest = (0.5 + part / 20 for part in world(np.random.Generator(np.random.PCG64(4)), 400))
    wilson, t = (ppi_mean(y, f, rest, interval=name) for name in ("wilson", "t"))
    assert wilson.interval == pytest.approx(t.interval, abs=1e-4)
    assert wilson.se == t.se
    assert wilson.method == "PPI++ mean, variance-matched Wilson"


def by_hand(n, variance, value, quantile):
    """The interval of Wilson where errors are too skewed for t, straight from its equation."""
    size = max(n * (n * value * (1 - value) + 0.5) / (n * n * variance + 0.5), n)
    c = quantile**2 / size
    return sorted(np.roots([1 + c, -(2 * value + c), value**2]).real)


def test_wilson_adds_what_was_not_seen_where_the_errors_are_skewed():
    y = np.array([1.0] * 14 + [0.0] * 6)
    f = y.copy()
    f[-1] = 1.0
    rest = np.array([1.0] * 70 + [0.0] * 30)
    found = ppi_mean(y, f, rest, interval="wilson")
    want = by_hand(len(y), found.se**2, found.value, 1.959963984540054)
    assert found.interval == pytest.approx(want, abs=1e-12)


def test_wilson_of_labels_that_do_not_vary_is_that_of_as_many_right_answers():
    found = ppi_mean([1.0] * 12, [1.0] * 11 + [0.5], [1.0, 0.5] * 20, interval="wilson")
    assert (found.value, found.high, found.se) == (1.0, 1.0, None)
    assert found.low == pytest.approx(12 / (12 + 1.959963984540054**2))
    assert found.warnings[-1] == "no standard error: neither labels nor judge vary"
    assert found.reason == ""


WEIGHTS = ([1.0, 2.0, 5.0, 1.0, 3.0, 1.0], [2.0, 1.0, 4.0, 1.0])


def test_weights_weigh_labels_and_judge():
    y, f, rest = [0.2, 0.9, 0.4, 1.0, 0.7, 0.5], [0.3, 0.8, 0.4, 0.9, 0.9, 0.4], [0.5, 0.7, 1, 0.1]
    found = ppi_mean(y, f, rest, lambda_=0.5, weights=WEIGHTS)
    left = np.average(np.subtract(y, 0.5 * np.array(f)), weights=WEIGHTS[0])
    assert found.value == pytest.approx(0.5 * np.average(rest, weights=WEIGHTS[1]) + left)
    assert found.labels_only.mean == pytest.approx(weighted_mean(y, WEIGHTS[0]).mean)
    assert found.labels_only.se == pytest.approx(weighted_mean(y, WEIGHTS[0]).se)
    again = ppi_mean(y, f, rest, lambda_=0.5, weights=[np.multiply(3, it) for it in WEIGHTS])
    assert again.interval == pytest.approx(found.interval)


def test_weighted_labels_that_do_not_vary_count_as_many_as_weigh_as_much():
    y, rest = [1.0] * 6, [1.0, 0.9, 1.0, 0.8]
    found = ppi_mean(y, y, rest, weights=WEIGHTS, interval="wilson")
    size = sum(WEIGHTS[0]) ** 2 / sum(w * w for w in WEIGHTS[0])
    assert found.low == pytest.approx(size / (size + 1.959963984540054**2))


def world(generator, n=60, others=500, noise=0.5):
    truth = generator.normal(size=n + others)
    judge = 0.3 + 0.8 * truth + noise * generator.normal(size=n + others)
    return truth[:n], judge[:n], judge[n:]


@pytest.mark.parametrize(("n", "noise"), [(30, 0.5), (60, 0.2), (60, 2.0)])
def test_the_interval_covers_the_truth(n, noise):
    generator, hits, widths = np.random.Generator(np.random.PCG64(n)), 0, []
    tries = draws(200, 800)
    for _ in range(tries):
        found = ppi_mean(*world(generator, n, noise=noise))
        hits += found.low <= 0 <= found.high
        widths.append((found.high - found.low) / (found.labels_only.high - found.labels_only.low))
    assert hits / tries == pytest.approx(0.95, abs=0.02 * math.sqrt(800 / tries))
    assert np.mean(widths) < {0.2: 0.5, 0.5: 0.75, 2.0: 1.02}[noise]


def test_a_good_judge_is_worth_many_labels():
    found = ppi_mean(*world(np.random.Generator(np.random.PCG64(1)), noise=0.2))
    assert found.n_eff > 3 * found.n
    assert found.bias.low < 0.3 < found.bias.high
    assert found.judge_only.low > 0.1


def grouped(generator, groups=40, others=160):
    """Rows that share the noise of their group, three to a group."""
    of_group = np.repeat(generator.normal(size=groups + others), 3)
    truth = of_group + 0.3 * generator.normal(size=len(of_group))
    judge = truth + 0.5 * np.repeat(generator.normal(size=groups + others), 3)
    names = np.repeat(np.arange(groups + others), 3).tolist()
    cut = 3 * groups
    return (truth[:cut], judge[:cut], judge[cut:]), (names[:cut], names[cut:])


def test_clusters_widen_to_what_covers():
    generator, hits, naive = np.random.Generator(np.random.PCG64(5)), 0, 0
    tries = draws(100, 400)
    for _ in range(tries):
        parts, names = grouped(generator)
        found, plain = ppi_mean(*parts, clusters=names), ppi_mean(*parts)
        hits += found.low <= 0 <= found.high
        naive += plain.low <= 0 <= plain.high
    assert hits / tries == pytest.approx(0.95, abs=0.025 * math.sqrt(400 / tries))
    assert naive / tries < 0.85
    assert (found.clusters, found.df) == (200, 38.0)


def test_clusters_may_lie_on_both_sides():
    y, f, rest = world(np.random.Generator(np.random.PCG64(2)), n=60, others=60)
    names = [f"case {i // 2}" for i in range(60)]
    found = ppi_mean(y, f, rest, clusters=(names, names))
    assert (found.clusters, found.df) == (30, 28.0)
    assert found.interval is not None


def test_clusters_of_one_row_are_no_clusters():
    y, f, rest = world(np.random.Generator(np.random.PCG64(2)))
    alone = (list(range(60)), list(range(60, 560)))
    clustered = ppi_mean(y, f, rest, clusters=alone, lambda_=1)
    assert clustered.se == pytest.approx(ppi_mean(y, f, rest, lambda_=1).se, rel=0.01)


def test_a_constant_judge_leaves_the_labels():
    found = ppi_mean([0, 1, 1, 0], [0.7] * 4, [0.7] * 9)
    assert (found.value, found.lambda_) == (0.5, 0.0)
    assert "the judge is constant and adds nothing" in found.warnings


def test_a_contrary_judge_is_used_and_said():
    generator = np.random.Generator(np.random.PCG64(3))
    y, f, rest = world(generator, n=80)
    found = ppi_mean(y, -f, -rest)
    assert found.lambda_ < 0
    assert "runs against the labels" in found.warnings[0]
    assert found.n_eff > found.n


def test_few_labels_and_nothing_that_varies_are_said():
    found = ppi_mean([1, 1, 1], [1, 1, 1], [1, 1])
    assert (found.value, found.se, found.interval) == (1.0, None, None)
    assert found.reason == "neither labels nor judge vary"
    assert "only 3 labels" in found.warnings[0]


def test_a_single_labelled_cluster_has_no_interval():
    found = ppi_mean([0, 1, 1], [0, 1, 0], [1, 0], clusters=("aaa", "bc"))
    assert found.interval is None
    assert found.reason == "1 labelled clusters, at least 3 are needed"


@pytest.mark.parametrize(
    ("parts", "options", "error", "message"),
    [
        (([1, 0], [1, 0], [1, 0]), {}, NotEnoughData, "three labelled rows"),
        (([1, 0, 1], [1, 0, 1], [1]), {}, NotEnoughData, "two rows without a label"),
        (([1, 0, 1], [1, 0], [1, 0]), {}, SpecError, "3 labels on one side and 2"),
        (([1, 0, math.nan], [1, 0, 1], [1, 0]), {}, SpecError, "row 3 is nan"),
        (([1, 0, 1], [1, 0, 1], [1, math.nan]), {}, SpecError, "unlabelled value in row 2"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"lambda_": math.nan}, SpecError, "λ is nan"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"lambda_": "best"}, SpecError, "λ is 'best'"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"interval": "z"}, SpecError, "Unknown interval"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"weights": ([1] * 3, [1, 0])}, SpecError, "row 2 is 0"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"weights": ([1], [1, 1])}, SpecError, "1 weights"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"level": 0}, SpecError, "level"),
        (([1, 0, 1], [1, 0, 1], [1, 0]), {"clusters": ("ab", "cd")}, SpecError, "2 and 2 clusters"),
    ],
)
def test_what_does_not_fit_is_named(parts, options, error, message):
    with pytest.raises(error, match=message):
        ppi_mean(*parts, **options)
