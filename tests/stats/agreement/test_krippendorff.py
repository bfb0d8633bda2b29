import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import krippendorff_alpha, rating_table
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

SCALES = ["nominal", "ordinal", "interval", "ratio"]

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: four observers (rows)
# and twelve units, with gaps.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(unit) for unit in zip(*FOUR_OBSERVERS, strict=True)]

CELLS = st.one_of(st.none(), st.integers(0, 4))
TABLES = (
    st.integers(2, 4)
    .flatmap(
        lambda raters: st.lists(
            st.lists(CELLS, min_size=raters, max_size=raters), min_size=2, max_size=9
        )
    )
    .filter(lambda rows: len({x for row in paired(rows) for x in row}) > 1)
)


def paired(rows):
    kept = [[x for x in row if x is not None] for row in rows]
    return [row for row in kept if len(row) > 1]


def distance(scale, one, two, everything):
    low, high = min(one, two), max(one, two)
    if scale == "nominal":
        return float(one != two)
    if scale == "ordinal":
        between = sum(low <= x <= high for x in everything)
        return (between - (everything.count(low) + everything.count(high)) / 2) ** 2
    if scale == "interval":
        return (one - two) ** 2
    return ((one - two) / (one + two)) ** 2 if one + two else 0.0


def slow(rows, scale):
    """Over all ordered pairs, as the definition reads."""
    units = paired(rows)
    everything = [x for unit in units for x in unit]
    n = len(everything)

    def total(values):
        return sum(distance(scale, a, b, everything) for a, b in itertools.permutations(values, 2))

    observed = sum(total(unit) / (len(unit) - 1) for unit in units) / n
    return 1 - observed / (total(everything) / (n * (n - 1)))


@pytest.mark.parametrize(
    ("scale", "want"),
    [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491), ("ratio", 0.7974)],
)
def test_krippendorff_2011_four_observers(scale, want):
    found = krippendorff_alpha(UNITS, scale=scale)
    assert round(found.value, 4) == want
    assert (found.n, found.ratings, found.raters) == (11, 40, 4)
    assert found.warnings == ("1 units with fewer than two ratings left out", "only 11 units")


def test_krippendorff_2011_two_observers_with_binary_data():
    # Section A: meg and owen, ten units, alpha = .095.
    meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    value = krippendorff_alpha(list(zip(meg, owen, strict=True))).value
    assert value == pytest.approx(1 - 19 * 4 * 2 / (2 * 14 * 6), abs=1e-12)
    assert round(value, 3) == 0.095


def test_krippendorff_2011_two_observers_with_nominal_data():
    # Section B: ben and gerry, twelve units, alpha = .692.
    ben, gerry = "aabbdcccedda", "babbbccceddd"
    value = krippendorff_alpha(list(zip(ben, gerry, strict=True))).value
    assert round(value, 3) == 0.692


@pytest.mark.parametrize("scale", SCALES)
@careful
@given(TABLES)
def test_agrees_with_all_pairs_counted_one_by_one(scale, rows):
    assert krippendorff_alpha(rows, scale=scale).value == pytest.approx(
        slow(rows, scale), rel=1e-10, abs=1e-12
    )


@pytest.mark.parametrize("scale", SCALES)
@careful
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_units_and_raters_changes_nothing(scale, rows, random):
    order = list(range(len(rows[0])))
    random.shuffle(order)
    shuffled = [[row[k] for k in order] for row in rows]
    random.shuffle(shuffled)
    one, two = krippendorff_alpha(rows, scale=scale), krippendorff_alpha(shuffled, scale=scale)
    assert two.value == pytest.approx(one.value, rel=1e-12, abs=1e-12)
    if one.se is not None and one.se > 1e-9:
        assert two.se == pytest.approx(one.se, rel=1e-9)


@careful
@given(TABLES, st.integers(-3, 7), st.integers(1, 5))
def test_a_shift_and_a_stretch_change_no_interval_alpha(rows, shift, stretch):
    moved = [[None if x is None else shift + stretch * x for x in row] for row in rows]
    one, two = (krippendorff_alpha(r, scale="interval").value for r in (rows, moved))
    assert two == pytest.approx(one, rel=1e-9, abs=1e-12)


@careful
@given(TABLES)
def test_a_rising_map_changes_no_ordinal_alpha(rows):
    moved = [[None if x is None else x**3 for x in row] for row in rows]
    one, two = (krippendorff_alpha(r, scale="ordinal").value for r in (rows, moved))
    assert two == pytest.approx(one, rel=1e-12, abs=1e-12)


def test_gaps_may_be_none_or_nan_and_names_may_be_words():
    words = [[None if x is None else "abcde"[x - 1] for x in unit] for unit in UNITS]
    numbers = np.array([[math.nan if x is None else x for x in unit] for unit in UNITS])
    values = [krippendorff_alpha(rows).value for rows in (UNITS, words, numbers)]
    assert values[0] == values[1] == values[2]


def perturbed(rows, scale, unit, step):
    """Alpha with one unit weighing 1 + step: all others stand many times instead."""
    whole = 200
    return krippendorff_alpha(rows * whole + [rows[unit]] * int(step * whole), scale=scale).value


@pytest.mark.parametrize("scale", SCALES)
def test_the_influence_of_a_unit_is_the_derivative_by_its_weight(scale):
    rows = [unit for unit in UNITS if len(paired([unit]))]
    many = rows * 200
    base = krippendorff_alpha(many, scale=scale)
    slopes = [(perturbed(rows, scale, unit, 0.005) - base.value) / 0.005 for unit in range(11)]
    want = math.sqrt(sum(slope**2 for slope in slopes) / 200)
    assert base.se == pytest.approx(want, rel=0.02)


@pytest.mark.parametrize("scale", SCALES)
def test_the_error_is_near_the_jackknife(scale):
    generator = np.random.Generator(np.random.PCG64(5))
    true = generator.integers(1, 6, size=(80, 1))
    rows = np.clip(true + generator.integers(-1, 2, size=(80, 3)), 1, 6).tolist()
    values = np.array(
        [krippendorff_alpha(rows[:i] + rows[i + 1 :], scale=scale).value for i in range(80)]
    )
    jackknife = math.sqrt(79 / 80 * ((values - values.mean()) ** 2).sum())
    assert krippendorff_alpha(rows, scale=scale).se == pytest.approx(jackknife, rel=0.03)


def test_clusters_of_copies_undo_the_copies():
    rows = [unit for unit in UNITS if len(paired([unit]))]
    copied = [unit for unit in rows for _ in range(1000)]
    names = [name for name in range(11) for _ in range(1000)]
    clustered = krippendorff_alpha(copied, clusters=names)
    assert (clustered.clusters, clustered.df, clustered.n) == (11, 10, 11_000)
    assert clustered.se == pytest.approx(krippendorff_alpha(rows).se, rel=0.05)
    assert clustered.n_eff == pytest.approx(10, rel=0.02)
    assert krippendorff_alpha(copied).se < clustered.se / 20


def test_all_equal_ratings_leave_it_undefined():
    found = krippendorff_alpha([[1, 1], [1, 1], [1, 1]])
    assert (found.value, found.se, found.interval) == (None, None, None)
    assert "all 6 ratings are equal" in found.reason
    with pytest.raises(NotEnoughData, match="all 6 ratings are equal"):
        found.require_value()


def test_perfect_agreement_has_a_value_and_no_interval():
    found = krippendorff_alpha([[1, 1], [2, 2], [3, 3]])
    assert (found.value, found.interval) == (1.0, None)
    assert found.reason == "the units do not vary"


def test_a_single_unit_or_cluster_has_a_value_and_no_interval():
    one = krippendorff_alpha([[1, 2, 1]])
    assert one.value is not None
    assert (one.interval, one.reason) == (None, "1 unit, at least 2 are needed")
    lumped = krippendorff_alpha(UNITS, clusters=["all"] * 12)
    assert (lumped.interval, lumped.reason) == (None, "1 cluster, at least 2 are needed")


@pytest.mark.parametrize(
    "rows", [[], [[1], [2]], [[None, None], [None, None]], [[1, None], [None, 2]], [[math.nan] * 2]]
)
def test_tables_without_a_pair_are_refused(rows):
    with pytest.raises(NotEnoughData):
        krippendorff_alpha(rows)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([["a", "b"], ["b", "b"]], {"scale": "ordinal"}, "categories in an order"),
        ([["a", "b"], ["b", "b"]], {"scale": "interval", "labels": "ab"}, "needs numbers"),
        ([[-1, 2], [1, 2]], {"scale": "ratio"}, "begins at 0, and a rating is -1"),
        ([[1, 2], [1, 2, 3]], {}, "Row 2 has 3 ratings, the first 2"),
        ([[1, 2], [1, 9]], {"labels": [1, 2]}, "Row 2: the rating 9"),
        ([[1, 2], [1, 2]], {"labels": [1, 2, 1]}, "declared twice"),
        ([[1, 2], [2, math.inf]], {"scale": "interval"}, "infinite"),
        ([[1, 2], [[2], 1]], {}, "not a label or a number"),
        ([[1, 2], [2, 1]], {"scale": "log"}, "Unknown scale"),
        ([[1, 2], [2, 1]], {"level": 95}, "not between 0 and 1"),
        ([[1, 2], [2, 1]], {"clusters": ["a"]}, "1 clusters for 2 units"),
    ],
)
def test_what_does_not_fit_is_named(rows, options, message):
    with pytest.raises(SpecError, match=message):
        krippendorff_alpha(rows, **options)


def test_declared_words_have_the_order_of_their_declaration():
    words = {1: "poor", 2: "fair", 3: "good", 4: "fine", 5: "best"}
    rows = [[words.get(x) for x in unit] for unit in UNITS]
    found = krippendorff_alpha(rows, scale="ordinal", labels=list(words.values()))
    assert found.value == krippendorff_alpha(UNITS, scale="ordinal").value


def test_a_table_read_once_serves_again():
    table = rating_table(UNITS)
    assert krippendorff_alpha(table) == krippendorff_alpha(UNITS)
    assert len(table[np.array([0, 0, 3])]) == 3
