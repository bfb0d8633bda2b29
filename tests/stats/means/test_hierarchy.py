import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from statsmodels.regression.mixed_linear_model import MixedLM

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.hierarchy import two_level
from benchmaker.stats.means.means import weighted_mean
from tests.draws import draws

SCORES = st.floats(0, 1).map(lambda x: round(x, 3))
TABLES = st.tuples(st.integers(2, 12), st.integers(2, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(SCORES, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)
ROWS = st.lists(st.tuples(st.integers(0, 6), SCORES), min_size=2, max_size=40)


def long(table):
    x = np.asarray(table, dtype=float)
    return np.repeat(np.arange(len(x)), x.shape[1]), x.ravel()


def drawn(rng, cases, runs, *, item, run):
    true = 0.5 + item * rng.normal(size=(cases, 1))
    return true + run * rng.normal(size=(cases, runs))


@given(TABLES)
def test_equal_numbers_of_runs_give_the_printed_formulas(table):
    x = np.array(table)
    n, k = x.shape
    within = x.var(axis=1, ddof=1).mean()
    between = k * x.mean(axis=1).var(ddof=1)
    got = two_level(*long(table))
    assert got.mean == pytest.approx(x.mean(), abs=1e-12)
    assert got.var_run == pytest.approx(within, abs=1e-12)
    assert got.var_item == pytest.approx(max((between - within) / k, 0), abs=1e-12)
    assert (got.n, got.rows, got.runs) == (n, n * k, k)
    if within > 1e-9:
        assert got.se_repeat == pytest.approx(math.sqrt(within / n / k))
        assert got.se_general == pytest.approx(math.sqrt(got.var_item / n + within / n / k))


@given(TABLES)
def test_generalisation_is_the_mean_clustered_by_case(table):
    items, values = long(table)
    got, clustered = two_level(items, values), weighted_mean(values, clusters=items)
    if got.var_item and clustered.se is not None:
        assert got.se_general == pytest.approx(clustered.se, rel=1e-9)
        assert got.general.interval == pytest.approx(clustered.interval, rel=1e-9, abs=1e-12)
        assert got.n_eff == pytest.approx(got.rows / (1 + (got.runs - 1) * got.icc))


@given(TABLES)
def test_the_icc_is_the_one_of_the_f_test(table):
    got = two_level(*long(table))
    if got.icc_low is None or not got.var_run > 1e-9:
        return
    f, _ = oracle.f_oneway(*table)
    k = got.runs
    ends = [f / oracle.f.ppf(q, got.n - 1, got.rows - got.n) for q in (0.975, 0.025)]
    want = [(end - 1) / (end + k - 1) for end in ends]
    assert (got.icc_low, got.icc_high) == pytest.approx(tuple(want), rel=1e-6, abs=1e-9)
    assert got.icc == pytest.approx(max((f - 1) / (f + k - 1), 0), rel=1e-6, abs=1e-9)


@given(ROWS, st.randoms())
def test_the_order_of_the_rows_changes_no_digit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert two_level(*zip(*rows, strict=True)) == two_level(*zip(*shuffled, strict=True))


@given(ROWS)
def test_new_cases_are_never_more_certain_than_the_same_ones(rows):
    got = two_level(*zip(*rows, strict=True))
    if got.se_repeat is not None and got.se_general is not None:
        assert got.se_general >= got.se_repeat * (1 - 1e-12)
    if got.var_item is not None:
        assert got.var_item >= 0.0


@given(ROWS)
def test_each_case_counts_once_however_many_runs_it_has(rows):
    by_case = {}
    for case, score in rows:
        by_case.setdefault(case, []).append(score)
    want = np.mean([np.mean(scores) for scores in by_case.values()])
    assert two_level(*zip(*rows, strict=True)).mean == pytest.approx(want, abs=1e-12)


def test_a_table_of_the_textbook_on_intraclass_correlation():
    """Shrout and Fleiss 1979, table 2: ICC(1,1) = .17 of six targets and four judges."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    got = two_level(*long(table))
    assert got.icc == pytest.approx(0.1657, abs=5e-5)
    assert (got.icc_low, got.icc_high) == pytest.approx((-0.1329, 0.7226), abs=5e-5)


def test_the_components_agree_with_restricted_maximum_likelihood():
    table = drawn(np.random.default_rng(2), 40, 4, item=0.3, run=0.2)
    items, values = long(table)
    fit = MixedLM(values, np.ones((len(values), 1)), groups=items).fit(reml=True)
    got = two_level(items, values)
    assert got.var_item == pytest.approx(float(np.asarray(fit.cov_re).item()), rel=1e-4)
    assert got.var_run == pytest.approx(fit.scale, rel=1e-4)
    assert got.se_general == pytest.approx(float(fit.bse_fe[0]), rel=1e-4)


def test_the_components_are_unbiased_for_unequal_numbers_of_runs():
    rng = np.random.default_rng(8)
    counts = rng.integers(1, 6, 15)
    items = np.repeat(np.arange(15), counts)
    found, means, tries = [], [], draws(400, 1500)
    for _ in range(tries):
        true = 0.4 * rng.normal(size=15)
        got = two_level(items, true[items] + 0.3 * rng.normal(size=len(items)))
        found.append((got.var_item, got.var_run, got.se_repeat**2, got.se_general**2))
        means.append(got.mean)
    item, run, repeat, general = np.mean(found, axis=0)
    wider = math.sqrt(1500 / tries)
    assert item == pytest.approx(0.16, rel=0.04 * wider)
    assert run == pytest.approx(0.09, rel=0.03 * wider)
    assert general == pytest.approx(np.var(means), rel=0.1 * wider)
    assert repeat == pytest.approx(0.09 * np.mean(1 / counts) / 15, rel=0.03 * wider)


@pytest.mark.parametrize("item", [0.0, 0.2])
def test_both_intervals_cover_what_they_speak_about(item):
    rng = np.random.default_rng(6)
    same = 0.5 + item * rng.normal(size=(30, 1))
    repeated, general, tries = 0, 0, draws(250, 1000)
    for _ in range(tries):
        again = two_level(*long(same + 0.2 * rng.normal(size=(30, 3)))).repeat
        fresh = two_level(*long(drawn(rng, 30, 3, item=item, run=0.2))).general
        repeated += again.low <= same.mean() <= again.high
        general += fresh.low <= 0.5 <= fresh.high
    wider = math.sqrt(1000 / tries)
    assert repeated / tries == pytest.approx(0.95, abs=0.02 * wider)
    # above .95 where the cases do not differ
    assert general / tries == pytest.approx(0.9575, abs=0.0275 * wider)


def test_runs_that_never_differ_leave_the_cases_alone():
    got = two_level([1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 1, 1])
    assert (got.se_repeat, got.repeat.interval, got.icc) == (0.0, None, 1.0)
    assert got.repeat.reason == "no case differs between its runs"
    assert got.se_general == pytest.approx(weighted_mean([0, 1, 1]).se)
    assert (got.icc_low, got.icc_high) == (None, None)


def test_one_run_of_each_case_says_nothing_about_repeats():
    got = two_level("abcd", [0, 1, 1, 0.5])
    assert (got.se_repeat, got.var_item, got.var_run, got.icc) == (None, None, None, None)
    assert got.repeat.reason == "every case ran once, at least 2 runs are needed"
    plain = weighted_mean([0, 1, 1, 0.5])
    assert (got.se_general, got.general.interval) == (plain.se, pytest.approx(plain.interval))


def test_one_case_says_nothing_about_others():
    got = two_level(["a"] * 4, [0, 1, 1, 1])
    assert got.general.reason == "1 case, at least 2 are needed"
    assert got.se_repeat == pytest.approx(weighted_mean([0, 1, 1, 1]).se)


def test_equal_values_carry_no_interval():
    got = two_level([1, 1, 2, 2], [0.3] * 4)
    assert (got.general.interval, got.general.reason) == (None, "all 4 values are equal")
    assert (got.mean, got.icc) == (0.3, None)


def test_a_variance_below_0_is_taken_as_0_and_said():
    got = two_level([1, 1, 2, 2], [0, 1, 1, 0])
    assert got.var_item == 0.0
    assert got.warnings[0] == "the variance between cases came out as -0.25 and is taken as 0"
    assert got.warnings[1] == "only 2 cases"


@pytest.mark.parametrize(
    ("items", "values", "words"),
    [
        ([1, 2], [0.5], "1 values and 2 cases"),
        ([1, None], [0.5, 1], "case in row 2 is None"),
        ([1, math.nan], [0.5, 1], "case in row 2 is nan"),
        ([1, 2], [0.5, math.nan], "value in row 2 is nan"),
    ],
)
def test_what_can_not_be_used_is_refused_by_its_row(items, values, words):
    with pytest.raises(SpecError, match=words):
        two_level(items, values)


def test_nothing_is_not_enough_data():
    with pytest.raises(NotEnoughData):
        two_level([], [])
