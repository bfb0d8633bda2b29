import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import weighted_mean
from tests.draws import draws

SCORES = st.floats(0, 1).map(lambda x: round(x, 3))
WEIGHTS = st.floats(0.1, 10).map(lambda x: round(x, 2))
ROWS = st.lists(st.tuples(SCORES, WEIGHTS, st.integers(0, 8)), min_size=2, max_size=70)
LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])
GRADES, CHANCES = np.array([0.0, 0.5, 0.9, 1.0]), [0.15, 0.1, 0.15, 0.6]


def columns(rows):
    return ([row[place] for row in rows] for place in range(3))


def clustered(rows):
    values, weights, clusters = columns(rows)
    return bounded_mean(values, weights, clusters=clusters)


def share_covered(drawn, truth):
    return np.mean([m.low <= truth <= m.high for m in map(bounded_mean, drawn)])


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=300), LEVELS)
def test_0_and_1_get_wilsons_interval(values, level):
    got = bounded_mean(values, level=level)
    want = proportion_confint(sum(values), len(values), 1 - level, "wilson")
    assert got.interval == pytest.approx(want, abs=1e-10)
    assert got.method == "mean, Wilson"


@given(ROWS, LEVELS)
def test_the_interval_stays_within_0_and_1_around_the_mean(rows, level):
    values, weights, _ = columns(rows)
    got = bounded_mean(values, weights, level=level)
    assert 0.0 <= got.low <= got.mean <= got.high <= 1.0
    assert got.low < got.high


@given(ROWS)
def test_the_figures_but_the_interval_are_those_of_the_weighted_mean(rows):
    values, weights, clusters = columns(rows)
    got, plain = clustered(rows), weighted_mean(values, weights, clusters=clusters)
    same = ("mean", "sd", "se", "n", "df", "clusters", "total_weight", "minimum", "maximum")
    assert [getattr(got, name) for name in same] == [getattr(plain, name) for name in same]


@given(ROWS, st.randoms())
def test_the_order_of_the_rows_changes_no_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert clustered(rows) == clustered(shuffled)


@given(ROWS)
def test_counting_what_is_missing_mirrors_the_interval(rows):
    values, weights, clusters = columns(rows)
    got = bounded_mean(values, weights, clusters=clusters)
    other = bounded_mean([1 - x for x in values], weights, clusters=clusters)
    if got.interval is None:
        assert other.interval is None
    else:
        assert (got.low, got.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@given(ROWS)
def test_graded_scores_are_never_less_certain_than_0_and_1_of_the_same_mean(rows):
    values, _, _ = columns(rows)
    got = bounded_mean(values)
    if "Wilson" not in got.method:
        return
    z, n, p = 1.959963984540054, len(values), got.mean
    worst = 2 * z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    assert got.high - got.low <= worst + 1e-12


@given(st.lists(SCORES, min_size=2, max_size=60))
def test_a_cluster_for_each_value_is_no_cluster(values):
    alone, each = bounded_mean(values), bounded_mean(values, clusters=range(len(values)))
    assert (alone.mean, alone.se) == (each.mean, each.se)
    assert each.interval == pytest.approx(alone.interval, abs=1e-12)


@given(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=20), st.integers(2, 5))
def test_copies_in_one_cluster_count_once(values, copies):
    """The design effect of equal copies is their number, but for n/(n-1)."""
    once = bounded_mean(values)
    copied = bounded_mean(
        np.repeat(values, copies), clusters=np.repeat(np.arange(len(values)), copies)
    )
    assert copied.n_eff <= once.n_eff * (1 + 1e-9)
    assert copied.n_eff >= once.n_eff * (len(values) - 1) / len(values) * (1 - 1e-9)
    assert copied.low <= once.low + 1e-12
    assert copied.high >= once.high - 1e-12


@given(st.lists(SCORES, min_size=50, max_size=120), LEVELS)
def test_from_50_on_students_t_is_taken_where_the_scores_are_not_too_skewed(values, level):
    got, plain = bounded_mean(values, level=level), weighted_mean(values, level=level)
    x = np.array(values)
    skewness = ((x - x.mean()) ** 3).mean() / max(x.std() ** 3, 1e-300)
    fits = plain.interval is not None and plain.low >= 0 and plain.high <= 1
    binary = set(values) <= {0.0, 1.0}
    if fits and not binary and len(x) > 25.01 * skewness**2:
        assert got == plain
    elif not fits or binary or len(x) < 24.99 * skewness**2:
        assert "Wilson" in got.method


def test_a_hand_computed_graded_example():
    """m = .85, n·m(1-m) = .51, Σ(x-m)² = .17; as many as 4 · 1.01/.67 = 6.0299 of 0 and 1."""
    got = bounded_mean([0.5, 0.9, 1.0, 1.0])
    size, z = 4 * 1.01 / 0.67, 1.959963984540054
    c = z * z / size
    middle, half = 0.85 + c / 2, math.sqrt(c * 0.85 * 0.15 + c * c / 4)
    want = ((middle - half) / (1 + c), (middle + half) / (1 + c))
    assert got.interval == pytest.approx(want, abs=1e-12)
    assert (got.method, got.n_eff) == ("mean, variance-matched Wilson", 4.0)
    assert got.warnings == ("only 4 values",)


@pytest.mark.parametrize("value", [0.0, 0.7, 1.0])
def test_equal_scores_have_an_interval_and_say_that_there_is_no_standard_error(value):
    got = bounded_mean([value] * 10)
    assert got.low < value or value == 0.0
    assert got.high > value or value == 1.0
    assert (got.se, got.reason) == (None, "")
    assert got.warnings == ("no standard error: all 10 values are equal",)


def test_equal_scores_in_clusters_count_each_cluster_once():
    got = bounded_mean([1] * 12, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    assert got.n_eff == 4.0
    assert got.low < bounded_mean([1] * 4).low


def test_a_design_effect_below_1_is_taken_as_1_and_said():
    got = bounded_mean([0, 1, 0, 1, 0, 1, 1, 1], clusters=[1, 1, 2, 2, 3, 3, 4, 4])
    assert got.n_eff == 8.0
    assert "a design effect of 0.47 is taken as 1" in got.warnings
    assert got.low < bounded_mean([0, 1, 0, 1, 0, 1, 1, 1]).low  # Student's t with 3


@pytest.mark.parametrize("tiny", [1e-200, 5e-324])
def test_scores_that_differ_by_next_to_nothing_are_no_accident(tiny):
    got = bounded_mean([0.0, tiny] * 30)
    assert 0.0 <= got.low <= got.mean <= got.high <= 1.0
    assert bounded_mean([0.0, tiny, 1.0] * 4, clusters=[1, 2, 3] * 4).high < 1.0


def test_one_cluster_has_no_interval_and_says_why():
    got = bounded_mean([0, 1, 1, 0.5], clusters=["a"] * 4)
    assert got.interval is None
    assert got.reason == "1 cluster, at least 2 are needed"
    with pytest.raises(NotEnoughData):
        got.require_interval()


def test_a_single_score_has_a_wide_interval_and_a_warning():
    got = bounded_mean([1])
    assert got.interval == pytest.approx(proportion_confint(1, 1, method="wilson"))
    assert got.warnings == ("no standard error: 1 value, at least 2 are needed",)


@pytest.mark.parametrize("value", [-0.01, 1.5, math.nan])
def test_a_score_outside_0_to_1_is_refused_by_its_row(value):
    with pytest.raises(SpecError, match="row 2"):
        bounded_mean([0.5, value])


@pytest.mark.parametrize(
    ("law", "truth", "n", "least", "most"),
    [
        ("graded", 0.785, 5, 0.945, 0.98),
        ("graded", 0.785, 10, 0.95, 0.985),
        ("graded", 0.785, 20, 0.93, 0.965),
        ("graded", 0.785, 60, 0.935, 0.98),
        ("uniform", 0.5, 10, 0.95, 0.985),
        ("binary", 0.9, 10, 0.91, 0.95),
        ("binary", 0.9, 20, 0.94, 0.97),
    ],
)
def test_the_interval_covers_the_truth_as_the_page_says(law, truth, n, least, most):
    rng, tries = np.random.default_rng(11), draws(500, 2000)
    drawn = {
        "graded": lambda: rng.choice(GRADES, (tries, n), p=CHANCES),
        "uniform": lambda: rng.random((tries, n)),
        "binary": lambda: (rng.random((tries, n)) < truth).astype(float),
    }[law]()
    middle, half = (least + most) / 2, (most - least) / 2 * math.sqrt(2000 / tries)
    assert share_covered(drawn, truth) == pytest.approx(middle, abs=half)


def test_students_t_alone_would_not_cover_at_five_graded_scores():
    rng = np.random.default_rng(11)
    drawn = rng.choice(GRADES, (draws(500, 2000), 5), p=CHANCES)
    plain = [weighted_mean(row).interval or (2.0, 2.0) for row in drawn]
    assert np.mean([low <= 0.785 <= high for low, high in plain]) < 0.8


def test_the_clustered_interval_covers_the_truth():
    rng = np.random.default_rng(4)
    clusters, hits, tries = np.repeat(np.arange(20), 4), 0, draws(400, 1500)
    for _ in range(tries):
        chance = np.repeat(rng.beta(2.7, 0.3 * 1.0, 20), 4)
        got = bounded_mean((rng.random(80) < chance).astype(float), clusters=clusters)
        hits += got.low <= 0.9 <= got.high
    assert hits / tries == pytest.approx(0.95, abs=0.03 * math.sqrt(1500 / tries))
