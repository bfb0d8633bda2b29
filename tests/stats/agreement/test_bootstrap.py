import math

import numpy as np
import pytest
from scipy import stats as oracle

from benchmaker.errors import AnalysisError, NotEnoughData, SpecError
from benchmaker.stats.agreement import (
    bootstrap,
    cohen_kappa_of,
    concordance,
    fleiss_kappa,
    gwet_ac,
    icc,
    krippendorff_alpha,
    rating_table,
)
from tests.draws import draws


def source(seed):
    return np.random.Generator(np.random.PCG64(seed))


def mean(rows):
    return float(rows.mean())


def agreeing(seed, units=60, raters=2):
    generator = source(seed)
    truth = generator.integers(1, 6, size=(units, 1))
    return np.clip(truth + generator.integers(-1, 2, size=(units, raters)), 1, 5)


STATISTICS = {
    "alpha": lambda t: krippendorff_alpha(t, scale="ordinal").value,
    "kappa": lambda t: cohen_kappa_of(t, weights="quadratic").value,
    "fleiss": lambda t: fleiss_kappa(t).value,
    "gwet": lambda t: gwet_ac(t, weights="linear").value,
}


@pytest.mark.parametrize("name", STATISTICS)
def test_every_coefficient_has_one_near_its_linearised_error(name):
    rows = agreeing(1, units=80)
    found = bootstrap(STATISTICS[name], rating_table(rows), seed=3, draws=400)
    plain = {
        "alpha": lambda: krippendorff_alpha(rows, scale="ordinal"),
        "kappa": lambda: cohen_kappa_of(rows, weights="quadratic"),
        "fleiss": lambda: fleiss_kappa(rows),
        "gwet": lambda: gwet_ac(rows, weights="linear"),
    }[name]()
    assert found.value == plain.value
    assert found.se == pytest.approx(plain.se, rel=0.2)
    assert found.low < found.value < found.high
    assert (found.degenerate, found.draws, found.seed) == (0, 400, 3)


def test_arrays_of_numbers_do_as_well():
    rows = agreeing(2).astype(float)
    pairs = bootstrap(lambda r: concordance(r[:, 0], r[:, 1]).value, rows, seed=1, draws=200)
    single = bootstrap(lambda r: icc(r, "1,1").value, rows, seed=1, draws=200)
    assert pairs.low < pairs.value < pairs.high
    assert single.low < single.value < single.high


@pytest.mark.parametrize(("kind", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_agrees_with_scipys_bootstrap(kind, name):
    rows = source(5).exponential(size=40)
    found = bootstrap(mean, rows, seed=7, draws=4000, kind=kind)
    want = oracle.bootstrap((rows,), np.mean, n_resamples=9999, method=name, rng=source(1))
    low, high = want.confidence_interval
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.03)
    assert found.se == pytest.approx(want.standard_error, rel=0.05)


def test_bca_is_the_formula_on_the_same_draws():
    rows = np.sort(source(6).exponential(size=15))
    found = bootstrap(mean, rows, seed=9, draws=500)
    generator = source(9)
    drawn = [rows[generator.integers(15, size=15)].mean() for _ in range(500)]
    z0 = oracle.norm.ppf(np.mean(np.array(drawn) < rows.mean()))
    left = np.array([np.delete(rows, i).mean() for i in range(15)])
    away = left.mean() - left
    a = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    shares = [oracle.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (-1.959964, 1.959964)]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, shares)), rel=1e-6)


def test_clusters_of_copies_undo_the_copies():
    rows = source(8).normal(size=30)
    copied, names = np.repeat(rows, 5), np.repeat(np.arange(30), 5).tolist()
    one = bootstrap(mean, rows, seed=2, draws=800)
    many = bootstrap(mean, copied, clusters=names, seed=2, draws=800)
    loose = bootstrap(mean, copied, seed=2, draws=800)
    assert many.se == pytest.approx(one.se, rel=1e-9)
    assert many.interval == pytest.approx(one.interval, rel=1e-9)
    assert loose.se < 0.6 * many.se
    assert (many.clusters, many.n, many.n_eff, one.clusters) == (30, 150, 30.0, None)


def test_the_order_of_rows_and_the_names_of_clusters_change_nothing():
    rows = agreeing(4, units=40).astype(float)
    names = [f"group {i // 4}" for i in range(40)]
    order = source(1).permutation(40)
    renamed = {name: name[::-1] for name in names}

    def statistic(r):
        return concordance(r[:, 0], r[:, 1]).value

    one = bootstrap(statistic, rows, clusters=names, seed=5, draws=200)
    two = bootstrap(
        statistic, rows[order], clusters=[renamed[names[i]] for i in order], seed=5, draws=200
    )
    assert two.interval == pytest.approx(one.interval, rel=1e-12)


def test_the_seed_decides():
    rows = source(8).normal(size=30)
    one, again, other = (bootstrap(mean, rows, seed=s, draws=200) for s in (1, 1, 2))
    assert one == again
    assert one.interval != other.interval


def test_degenerate_draws_are_counted_and_said():
    rows = rating_table([["a", "a"]] * 17 + [["b", "b"], ["b", "a"], ["a", "b"]])
    found = bootstrap(lambda t: cohen_kappa_of(t).value, rows, seed=1, draws=400, kind="percentile")
    assert 0 < found.degenerate < 40
    assert f"{found.degenerate} of 400 draws left the statistic undefined" in found.warnings[0]
    assert found.interval is not None


def test_too_many_degenerate_draws_leave_no_interval():
    rows = rating_table([["a", "a"]] * 20 + [["b", "b"]])
    found = bootstrap(lambda t: cohen_kappa_of(t).value, rows, seed=1, draws=400)
    assert found.degenerate > 40
    assert (found.se, found.interval) == (None, None)
    assert "draws leave the statistic undefined" in found.reason


def test_draws_that_all_agree_leave_no_interval():
    found = bootstrap(
        lambda t: cohen_kappa_of(t).value,
        rating_table([[1, 1], [2, 2]] * 20),
        seed=1,
        draws=200,
    )
    assert (found.value, found.interval, found.reason) == (1.0, None, "all draws give 1")


def test_a_statistic_that_raises_is_degenerate():
    def mean_with_the_nine(rows):
        if rows.max() < 9:
            raise AnalysisError("gone")
        return float(rows.mean())

    rows = np.array([9.0] + [1.0, 2.0, 3.0] * 3)
    found = bootstrap(mean_with_the_nine, rows, seed=1, draws=100, kind="percentile")
    assert found.degenerate > 10
    assert found.interval is None


def test_a_statistic_that_hangs_on_one_row_has_no_bca():
    def mean_with_the_nine(rows):
        return float(rows.mean()) if (rows == 9).sum() >= 1 else None

    rows = np.array([9.0] * 3 + [1.0, 2.0, 3.0] * 20)
    found = bootstrap(mean_with_the_nine, rows, seed=1, draws=100)
    assert found.interval is not None
    pair = bootstrap(
        mean_with_the_nine, rows, clusters=[0] * 3 + list(range(1, 61)), seed=1, draws=100
    )
    assert pair.interval is None
    assert pair.reason


@pytest.mark.parametrize(
    ("rows", "options", "error", "message"),
    [
        (np.array([1.0]), {}, NotEnoughData, "two clusters"),
        (np.array([1.0, 2.0]), {"clusters": ["a", "a"]}, NotEnoughData, "two clusters"),
        (np.array([1.0, 2.0]), {"clusters": ["a"]}, SpecError, "clusters"),
        (np.array([1.0, math.nan]), {}, AnalysisError, "undefined on these rows"),
        (np.array([1.0, 2.0]), {"draws": 10}, SpecError, "10 draws"),
        (np.array([1.0, 2.0]), {"kind": "studentised"}, SpecError, "Unknown kind"),
        (np.array([1.0, 2.0]), {"level": 1.0}, SpecError, "level"),
    ],
)
def test_what_does_not_fit_is_named(rows, options, error, message):
    with pytest.raises(error, match=message):
        bootstrap(mean, rows, seed=1, **options)


def test_clustered_intervals_cover_where_plain_ones_do_not():
    """Thirty groups of five scores that share most of their noise."""
    generator, hits, plain, tries = source(12), 0, 0, draws(40, 120)
    names = np.repeat(np.arange(30), 5).tolist()
    for seed in range(tries):
        rows = np.repeat(generator.normal(size=30), 5) + 0.3 * generator.normal(size=150)
        low, high = bootstrap(mean, rows, clusters=names, seed=seed, draws=200).interval
        hits += low <= 0 <= high
        low, high = bootstrap(mean, rows, seed=seed, draws=200, kind="percentile").interval
        plain += low <= 0 <= high
    assert hits / tries >= 0.88
    assert plain / tries <= 0.75
