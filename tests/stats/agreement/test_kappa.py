import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.agreement import cohen_kappa, cohen_kappa_of, concordance, fleiss_kappa
from tests.draws import draws

careful = settings(deadline=None, max_examples=draws(20, 50))

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40).filter(
    lambda pairs: len({label for pair in pairs for label in pair}) > 1
)
WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}

# The "cont3x3abstractors" table of Gwet's R package irrCAC (100 abstracts, two abstractors).
ABSTRACTORS = {("E", "E"): 13, ("A", "A"): 20, ("A", "N"): 7, ("N", "A"): 4, ("N", "N"): 56}

# Fleiss 1971, Psychological Bulletin 76, 378-382, table 1: 30 patients, 6 psychiatrists each,
# five diagnoses; how many chose each.
FLEISS = """
0 0 0 6 0 / 0 3 0 0 3 / 0 1 4 0 1 / 0 0 0 0 6 / 0 3 0 3 0 / 2 0 4 0 0 / 0 0 4 0 2 / 2 0 3 1 0
2 0 0 4 0 / 0 0 0 0 6 / 1 0 0 5 0 / 1 1 0 4 0 / 0 3 3 0 0 / 1 0 0 5 0 / 0 2 0 3 1 / 0 0 5 0 1
3 0 0 1 2 / 5 1 0 0 0 / 0 2 0 4 0 / 1 0 2 0 3 / 0 0 0 0 6 / 0 1 0 5 0 / 0 2 0 1 3 / 2 0 0 4 0
1 0 0 4 1 / 0 5 0 1 0 / 4 0 0 0 2 / 0 2 0 4 0 / 1 0 5 0 0 / 0 0 0 0 6
"""


def unrolled(table):
    return [pair for pair, times in table.items() for _ in range(times)]


def columns(pairs):
    return [one for one, _ in pairs], [two for _, two in pairs]


def rows_of(counts):
    return [[label for label, times in enumerate(unit) for _ in range(times)] for unit in counts]


def fleiss_counts():
    units = FLEISS.replace("\n", " / ").split("/")
    return [[int(x) for x in unit.split()] for unit in units if unit.strip()]


def square(pairs, size):
    table = np.zeros((size, size))
    for one, two in pairs:
        table[one, two] += 1
    return table


def test_cohen_of_the_20_5_10_15_table():
    # Cohen 1960's form, in every textbook: 50 grants, yes/yes 20, yes/no 5, no/yes 10, no/no 15.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    found = cohen_kappa(*columns(pairs))
    assert found.value == pytest.approx(0.4, abs=1e-12)
    assert (found.observed, found.expected) == pytest.approx((0.7, 0.5))


def test_cohen_1968_two_hundred_diagnoses():
    # Cohen 1968, Psychological Bulletin 70, 213-220, tables 1 and 2: shares of 200 and weights of
    # disagreement 0 to 6; κ = .492, κ_w = .348.
    shares = [[88, 10, 2], [14, 40, 6], [18, 10, 12]]
    cost = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    agree = [[1 - v / 6 for v in row] for row in cost]
    one, two = columns(unrolled({(i, j): shares[i][j] for i in range(3) for j in range(3)}))
    assert round(cohen_kappa(one, two).value, 3) == 0.492
    weighted = cohen_kappa(one, two, weights=agree)
    assert round(weighted.value, 4) == 0.3478
    assert "own weights" in weighted.method


@careful
@given(PAIRS)
def test_quadratic_weights_give_lins_concordance(pairs):
    """Both are 1 - E(x - y)² / (the same for independent x and y)."""
    one, two = columns(pairs)
    got = cohen_kappa(one, two, weights="quadratic").value
    if len(pairs) > 2 and len(set(one)) > 1 and len(set(two)) > 1:
        assert got == pytest.approx(concordance(one, two).value, rel=1e-9, abs=1e-12)


def test_cohen_of_irrcac_abstractors():
    found = cohen_kappa(*columns(unrolled(ABSTRACTORS)))
    assert round(found.value, 7) == 0.7964094
    # irrCAC divides by n where we take n - 1.
    assert found.se * math.sqrt(99 / 100) == pytest.approx(0.05891072, abs=5e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
@careful
@given(PAIRS)
def test_cohen_equals_statsmodels(weights, pairs):
    labels = [0, 1, 2, 3]
    got = cohen_kappa(*columns(pairs), weights=weights, labels=labels)
    if got.value is None:
        assert len(set(pairs)) == 1
        return
    with np.errstate(all="ignore"):
        want = oracle.cohens_kappa(square(pairs, 4), wt=WEIGHTS[weights])
    assert got.value == pytest.approx(want.kappa, rel=1e-9, abs=1e-12)
    if got.se is not None and want.std_kappa > 1e-6:
        n = len(pairs)
        assert got.se == pytest.approx(want.std_kappa * math.sqrt(n / (n - 1)), rel=1e-6)


@careful
@given(PAIRS, st.randoms(use_true_random=False))
def test_cohen_is_symmetric_and_blind_to_order(pairs, random):
    one, two = columns(pairs)
    shuffled = list(pairs)
    random.shuffle(shuffled)
    for weights in WEIGHTS:
        want = cohen_kappa(one, two, weights=weights)
        for other in ((two, one), columns(shuffled)):
            got = cohen_kappa(*other, weights=weights)
            assert (got.value is None) == (want.value is None)
            if want.value is not None:
                assert got.value == pytest.approx(want.value, rel=1e-12, abs=1e-12)


def test_unused_numbers_change_no_weighted_kappa():
    one, two = [1, 2, 5, 4, 1], [1, 4, 5, 2, 2]
    free = cohen_kappa(one, two, weights="quadratic")
    declared = cohen_kappa(one, two, weights="quadratic", labels=range(11))
    assert free.value == pytest.approx(declared.value, rel=1e-12)


def test_words_take_their_places_from_their_declaration():
    words = ["poor", "fair", "good"]
    one, two = [0, 1, 2, 2, 1, 0], [0, 2, 2, 1, 1, 1]
    got = cohen_kappa(
        [words[x] for x in one], [words[x] for x in two], weights="linear", labels=words
    )
    assert got.value == cohen_kappa(one, two, weights="linear").value


def test_gaps_are_left_out_and_counted():
    found = cohen_kappa([1, 0, None, 1, 0], [1, 1, 1, math.nan, 0])
    assert found.value == cohen_kappa([1, 0, 0], [1, 1, 0]).value
    assert "2 units with a gap left out" in found.warnings


def test_clusters_of_copies_undo_the_copies():
    one, two = columns(unrolled(ABSTRACTORS))
    base = cohen_kappa(one, two)
    copied = cohen_kappa(one * 4, two * 4, clusters=list(range(100)) * 4)
    assert (copied.value, copied.se) == pytest.approx((base.value, base.se), rel=1e-9)
    assert (copied.clusters, copied.n) == (100, 400)
    assert copied.n_eff == pytest.approx(100, rel=0.01)


def test_one_category_leaves_both_kappas_undefined():
    found = cohen_kappa(["yes"] * 5, ["yes"] * 5)
    assert (found.value, found.interval) == (None, None)
    assert found.reason == "both raters put all 5 units into one category"
    found = fleiss_kappa([["yes"] * 3] * 5)
    assert (found.value, found.reason) == (None, "all 15 ratings are in one category")


def test_fleiss_1971_thirty_patients():
    counts = fleiss_counts()
    assert len(counts) == 30
    found = fleiss_kappa(rows_of(counts))
    assert round(found.value, 4) == 0.4302
    assert round(found.observed, 4) == 0.5556
    assert round(found.expected, 4) == 0.2199


def test_fleiss_of_the_ten_subjects_in_the_encyclopedia():
    # "Fleiss' kappa", worked example of the English Wikipedia: 14 raters, κ = .210.
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    value = fleiss_kappa(rows_of(counts)).value
    assert round(value, 4) == 0.2099
    assert value == pytest.approx(oracle.fleiss_kappa(counts), abs=1e-12)


RATINGS = (
    st.integers(2, 4)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=2, max_size=20
        )
    )
    .filter(lambda rows: len({x for row in rows for x in row}) > 1)
)


@careful
@given(RATINGS)
def test_fleiss_equals_statsmodels(rows):
    counts = [[Counter(row)[label] for label in range(4)] for row in rows]
    assert fleiss_kappa(rows).value == pytest.approx(
        oracle.fleiss_kappa(np.array(counts)), rel=1e-9, abs=1e-12
    )


@careful
@given(RATINGS)
def test_fleiss_error_is_that_of_gwet_2008(rows):
    """Var = Σ(κ*_i - κ)² / (n(n - 1)), written out unit by unit for complete tables."""
    found = fleiss_kappa(rows)
    n, k = len(rows), len(rows[0])
    shares = [sum(row.count(c) for row in rows) / (n * k) for c in range(4)]
    chance = sum(share**2 for share in shares)
    starred = []
    for row in rows:
        hits = sum(row.count(c) * (row.count(c) - 1) for c in range(4)) / (k * (k - 1))
        own = sum(shares[c] * row.count(c) / k for c in range(4))
        starred.append(
            (hits - chance) / (1 - chance) - 2 * (1 - found.value) * (own - chance) / (1 - chance)
        )
    want = math.sqrt(sum((x - found.value) ** 2 for x in starred) / (n * (n - 1)))
    assert (found.se or 0.0) == pytest.approx(want, rel=1e-7, abs=1e-9)


def test_fleiss_takes_gaps():
    # Four raters, twelve units with gaps (Krippendorff 2011), as irrCAC gives it.
    rows = [
        [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1],
        [None, 3, None, None],
    ]  # fmt: skip
    found = fleiss_kappa(rows)
    assert round(found.value, 4) == 0.7612
    assert found.n == 11
    assert "1 units with one rating count in the chance term alone" in found.warnings


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cohen_kappa([1, 2], [1]), SpecError, "2 ratings of one rater, 1 of the other"),
        (lambda: cohen_kappa([], []), NotEnoughData, "no unit"),
        (lambda: cohen_kappa([None, 1], [1, None]), NotEnoughData, "two raters"),
        (lambda: cohen_kappa("ab", "ba", weights="linear"), SpecError, "labels= in their order"),
        (lambda: cohen_kappa([1, 2], [2, 1], weights="cubic"), SpecError, "Unknown weights"),
        (lambda: cohen_kappa("ab", "ba", weights=[[1]]), SpecError, "for 2 categories"),
        (lambda: cohen_kappa("ab", "ba", weights=[[1, 2], [2, 1]]), SpecError, "at most 1"),
        (lambda: cohen_kappa_of([[1, 2, 3]]), SpecError, "needs two raters, not 3"),
        (lambda: fleiss_kappa([[1], [2]]), NotEnoughData, "two raters"),
        (lambda: fleiss_kappa([[None, math.nan]]), NotEnoughData, "no rating"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_few_units_and_single_clusters_are_said():
    assert "only 3 units" in cohen_kappa([1, 2, 1], [1, 2, 2]).warnings
    lumped = cohen_kappa([1, 2, 1], [1, 2, 2], clusters="aaa")
    assert (lumped.interval, lumped.reason) == (None, "1 cluster, at least 2 are needed")


def test_the_interval_covers_the_truth():
    """Two raters who see the truth with 80 % each: κ of the population is .36."""
    generator = np.random.Generator(np.random.PCG64(11))
    hits = 0
    for _ in range(300):
        truth = generator.random(80) < 0.5
        one, two = (truth ^ (generator.random(80) < 0.2) for _ in range(2))
        found = cohen_kappa(one.tolist(), two.tolist())
        hits += found.low <= 0.36 <= found.high
    assert 0.92 <= hits / 300 <= 0.98
