import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import cohen_kappa_of, fleiss_kappa, gwet_ac
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

TABLES = (
    st.integers(2, 4)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=k, max_size=k),
            min_size=2,
            max_size=12,
        )
    )
    .filter(lambda rows: any(sum(x is not None for x in row) > 1 for row in rows))
)
LABELS = [0, 1, 2, 3]


def slow(rows, weights):
    """The coefficient as Gwet 2014 writes it, unit by unit, without arrays."""
    q = len(LABELS)
    weight = {
        "none": lambda a, b: float(a == b),
        "linear": lambda a, b: 1 - abs(a - b) / 3,
        "quadratic": lambda a, b: 1 - (a - b) ** 2 / 9,
    }[weights]
    rated = [[x for x in row if x is not None] for row in rows]
    rated = [row for row in rated if row]
    shares = [sum(row.count(c) / len(row) for row in rated) / len(rated) for c in LABELS]
    total = sum(weight(a, b) for a in LABELS for b in LABELS)
    chance = total / (q * (q - 1)) * sum(p * (1 - p) for p in shares)
    hits = []
    for row in (row for row in rated if len(row) > 1):
        pairs = [(a, b) for i, a in enumerate(row) for j, b in enumerate(row) if i != j]
        hits.append(sum(weight(a, b) for a, b in pairs) / len(pairs))
    return (sum(hits) / len(hits) - chance) / (1 - chance)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@careful
@given(TABLES)
def test_agrees_with_the_formula_written_out(weights, rows):
    got = gwet_ac(rows, weights=weights, labels=LABELS)
    assert got.value == pytest.approx(slow(rows, weights), rel=1e-10, abs=1e-12)


def test_irrcac_abstractors():
    # "cont3x3abstractors" of Gwet's R package irrCAC: AC1 .8493305, SE .04321747 (over n).
    rows = [["E", "E"]] * 13 + [["A", "A"]] * 20 + [["A", "N"]] * 7 + [["N", "A"]] * 4
    found = gwet_ac(rows + [["N", "N"]] * 56)
    assert round(found.value, 7) == 0.8493305
    assert found.se * math.sqrt(99 / 100) == pytest.approx(0.04321747, abs=5e-9)


def test_four_raters_with_gaps():
    # Krippendorff's four observers, "cac.raw4raters" of irrCAC: AC1 .77544.
    rows = [
        [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1],
        [None, 3, None, None],
    ]  # fmt: skip
    assert round(gwet_ac(rows).value, 5) == 0.77544


def test_gwet_2008_rare_category_where_kappa_collapses():
    # Gwet 2008, table 2: 118 yes/yes, 5 and 2 apart, 0 no/no: AC1 .94, kappa below 0.
    rows = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    assert round(gwet_ac(rows).value, 2) == 0.94
    assert -0.03 < cohen_kappa_of(rows).value < 0
    assert fleiss_kappa(rows).value < 0


@careful
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_units_changes_nothing(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, two = (gwet_ac(r, labels=LABELS) for r in (rows, shuffled))
    assert two.value == pytest.approx(one.value, rel=1e-12, abs=1e-12)
    assert (two.se or 0) == pytest.approx(one.se or 0, rel=1e-9, abs=1e-9)


def test_the_error_is_near_the_jackknife_with_gaps():
    generator = np.random.Generator(np.random.PCG64(2))
    truth = generator.integers(0, 4, size=(120, 1))
    rows = np.where(generator.random((120, 3)) < 0.7, truth, generator.integers(0, 4, (120, 3)))
    table = np.where(generator.random((120, 3)) < 0.2, np.nan, rows)
    for call in (lambda t: gwet_ac(t, labels=LABELS), lambda t: fleiss_kappa(t, labels=LABELS)):
        values = np.array([call(np.delete(table, i, axis=0)).value for i in range(120)])
        want = math.sqrt(119 / 120 * ((values - values.mean()) ** 2).sum())
        assert call(table).se == pytest.approx(want, rel=0.03)


def test_one_category_takes_the_others_declared():
    found = gwet_ac([["yes", "yes"]] * 4)
    assert (found.value, found.interval) == (None, None)
    assert "no other is declared" in found.reason
    declared = gwet_ac([["yes", "yes"]] * 4, labels=["yes", "no"])
    assert (declared.value, declared.interval, declared.reason) == (
        1.0,
        None,
        "the units do not vary",
    )


@pytest.mark.parametrize(
    ("rows", "options", "error"),
    [
        ([[1]], {}, NotEnoughData),
        ([[None, math.nan]], {}, NotEnoughData),
        ([["a", "b"]], {"weights": "linear"}, SpecError),
        ([[1, 5]], {"labels": LABELS}, SpecError),
    ],
)
def test_what_does_not_fit_is_refused(rows, options, error):
    with pytest.raises(error):
        gwet_ac(rows, **options)
