import dataclasses
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import AnalysisError, DisconnectedBattles, NotEnoughData, SpecError
from benchmaker.stats.ratings import SCALE, battles, bradley_terry, counts
from tests.draws import draws
from tests.stats.ratings.drawn import (
    ROWS,
    columns,
    connecting,
    drawn,
    literal,
    numeric_scores,
    slow_fit,
)

CONNECTED = ROWS.map(lambda rows: rows + connecting(["m0", "m1", "m2", "m3"]))
TIES = ("half", "davidson", "rao_kupper")
TO_THE_END = {"tol": 1e-13, "tol_criterion": "params"}
"""Its errors are those of the step before the last, and the deviance is flat already there."""


def design(given_battles):
    """One column a model, the last left out."""
    n, m = len(given_battles), len(given_battles.names)
    x = np.zeros((n, m))
    x[np.arange(n), given_battles.a] = 1
    x[np.arange(n), given_battles.b] -= 1
    return x[:, :-1]


def contrast(ratings):
    """Strengths and covariance of the distances to the last model."""
    m = len(ratings.names)
    away = np.column_stack([np.eye(m - 1), -np.ones(m - 1)])
    return away @ ratings.theta, away @ ratings.cov @ away.T


def test_two_models_have_their_log_odds_and_its_textbook_error():
    got = bradley_terry(counts(["x"] * 10, ["y"] * 10, ["a"] * 7 + ["b"] * 3))

    gap, error = got.gap("x", "y")
    assert gap == pytest.approx(SCALE * math.log(7 / 3))
    assert error == pytest.approx(SCALE * math.sqrt(1 / 7 + 1 / 3))
    assert got.score.mean() == pytest.approx(1000)


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_a_generalised_linear_model(seed):
    some = drawn(seed, models=6, n=400)
    model = sm.GLM(some.outcome / 2, design(some), family=sm.families.Binomial())
    fit, robust = model.fit(**TO_THE_END), model.fit(**TO_THE_END, cov_type="HC0")

    theta, cov = contrast(bradley_terry(some, covariance="model"))
    assert theta == pytest.approx(fit.params, abs=1e-10)
    assert np.sqrt(np.diag(cov)) == pytest.approx(fit.bse, abs=1e-10)
    _, cov = contrast(bradley_terry(some))
    assert np.sqrt(np.diag(cov)) == pytest.approx(robust.bse, abs=1e-10)


@pytest.mark.parametrize("ties", TIES)
@given(rows=CONNECTED)
def test_models_with_the_same_battles_have_the_same_rank(ties, rows):
    rows = [*rows, ("m0", "m1", "tie")]
    twins = [tuple("twin" if it == "m0" else it for it in row) for row in rows]
    got = bradley_terry(counts(*columns(rows + twins)), ties=ties)
    first, second = (row for row in got.rows() if row.name in {"m0", "twin"})

    assert (first.rank, first.theta) == (second.rank, second.theta)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_agree_with_a_generalised_linear_model(seed):
    some = drawn(seed, models=4, n=300)
    groups = np.random.default_rng(seed).integers(0, 30, 300)
    fit = sm.GLM(some.outcome / 2, design(some), family=sm.families.Binomial()).fit(
        **TO_THE_END, cov_type="cluster", cov_kwds={"groups": groups, "df_correction": False}
    )
    raw = fit.bse / math.sqrt(299 / 297)  # statsmodels also multiplies by (n - 1)/(n - k)

    got = bradley_terry(some, clusters=groups.tolist())

    assert np.sqrt(np.diag(contrast(got)[1])) == pytest.approx(raw, rel=1e-9)
    assert (got.clusters, got.df, got.covariance) == (30, 29, "clustered")


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_the_slow_maximiser_of_the_literal_likelihood(ties, weighted):
    some = drawn(7, models=4, n=80, weighted=weighted)

    theta, eta, value = slow_fit(some, ties)
    got = bradley_terry(some, ties=ties)

    assert got.theta == pytest.approx(theta, abs=2e-5)
    assert got.log_likelihood == pytest.approx(value, abs=1e-8)
    assert got.log_likelihood >= value - 1e-12
    if ties != "half":
        assert got.tie_parameter == pytest.approx(math.exp(eta[0]), rel=1e-4)


@pytest.mark.parametrize("ties", TIES)
def test_the_sandwich_is_that_of_numeric_derivatives(ties):
    some = drawn(11, models=4, n=60, weighted=True)
    got = bradley_terry(some, ties=ties)
    m = len(got.names)
    at = np.append(got.theta, math.log(got.tie_parameter or 1.0))
    scores = numeric_scores(some, at, ties)[:, : m + (ties != "half")]
    size, step = scores.shape[1], 1e-4

    def value(one, two):
        return literal(some, at + step * (np.eye(m + 1)[one] + np.eye(m + 1)[two]), ties)

    def bend(i, j):
        up = literal(some, at + step * (np.eye(m + 1)[i] - np.eye(m + 1)[j]), ties)
        down = literal(some, at - step * (np.eye(m + 1)[i] - np.eye(m + 1)[j]), ties)
        low = literal(some, at - step * (np.eye(m + 1)[i] + np.eye(m + 1)[j]), ties)
        return -(value(i, j) - up - down + low) / (4 * step**2)

    information = np.array([[bend(i, j) for j in range(size)] for i in range(size)])
    away = np.zeros((size - 1, size))
    away[: m - 1, : m - 1], away[: m - 1, m - 1] = np.eye(m - 1), -1
    away[m - 1 :, m:] = 1
    lift = away.T @ np.linalg.inv(away @ away.T)
    bread = np.linalg.inv(lift.T @ information @ lift)
    slow = bread @ (lift.T @ scores.T @ scores @ lift) @ bread

    assert contrast(got)[1] == pytest.approx(slow[: m - 1, : m - 1], rel=2e-3)
    if ties != "half":
        error = got.tie_parameter * math.sqrt(slow[-1, -1])
        assert got.tie_se == pytest.approx(error, rel=2e-3)


@given(CONNECTED, st.randoms(use_true_random=False), st.sampled_from(TIES))
@settings(max_examples=draws(20, 40))
def test_order_sides_and_cluster_order_change_no_digit(rows, random, ties):
    rows = [*rows, ("m0", "m1", "tie")]
    other = {"a": "b", "b": "a", "tie": "tie"}
    voters = [random.choice("uvwxyz") for _ in rows] + ["u", "v"]
    rows = [*rows, ("m0", "m1", "a"), ("m1", "m0", "a")]
    order = random.sample(range(len(rows)), len(rows))
    turned = [(rows[i][1], rows[i][0], other[rows[i][2]]) for i in order]

    one = bradley_terry(battles(*columns(rows)), ties=ties, clusters=voters)
    two = bradley_terry(battles(*columns(turned)), ties=ties, clusters=[voters[i] for i in order])

    assert one.theta.tolist() == two.theta.tolist()
    assert one.cov.tolist() == two.cov.tolist()
    np.testing.assert_array_equal(one.low, two.low)


@given(CONNECTED)
@settings(max_examples=draws(20, 40))
def test_duplicated_battles_change_no_rating_and_shrink_the_error(rows):
    one = bradley_terry(counts(*columns(rows)))
    two = bradley_terry(counts(*columns(rows * 2)))

    assert two.theta == pytest.approx(one.theta, abs=1e-9)
    assert two.se == pytest.approx(one.se / math.sqrt(2), abs=1e-9)


@given(CONNECTED)
@settings(max_examples=draws(20, 40))
def test_strengths_and_errors_stand_around_the_average(rows):
    got = bradley_terry(counts(*columns(rows)))

    assert got.theta.sum() == pytest.approx(0, abs=1e-9)
    assert got.cov.sum(axis=1) == pytest.approx(0, abs=1e-9)


@given(CONNECTED)
@settings(max_examples=draws(20, 40))
def test_the_expected_points_of_each_model_are_those_it_made(rows):
    table = counts(*columns(rows))
    got = bradley_terry(table)
    expected = 1 / (1 + np.exp(got.theta[None, :] - got.theta[:, None]))

    made = (table.win + table.tie / 2).sum(axis=1)
    assert (table.met * expected).sum(axis=1) == pytest.approx(made, abs=1e-8)


def test_another_win_never_lowers_the_winner():
    rows = connecting(["x", "y", "z"]) * 3
    before = bradley_terry(counts(*columns(rows)))
    after = bradley_terry(counts(*columns([*rows, ("x", "y", "a")])))

    assert after.theta[0] > before.theta[0]


def test_each_battle_as_its_own_cluster_is_the_sandwich_by_cr1():
    some = drawn(5)
    n = len(some)

    got = bradley_terry(some, clusters=list(range(n)))

    assert got.se == pytest.approx(bradley_terry(some).se * math.sqrt(n / (n - 1)), rel=1e-12)


def variances_of(cov):
    """The variances of all figures, and of all differences, one at a time."""
    m = len(cov)
    own = [cov[i, i] for i in range(m)]
    apart = [[cov[i, i] + cov[j, j] - 2 * cov[i, j] for j in range(m)] for i in range(m)]
    return np.array(own), np.array(apart)


def largest(*covs):
    """The largest variance of each figure, and of each difference."""
    own, apart = zip(*map(variances_of, covs), strict=True)
    return np.max(own, axis=0), np.max(apart, axis=0)


def two_ways(some, voters, prompts):
    """The two-way sum, each way by itself, and independent battles."""
    both = list(zip(voters, prompts, strict=True))
    one, two, common = (
        bradley_terry(some, clusters=labels).cov for labels in (voters, prompts, both)
    )
    return one + two - common, one, two, bradley_terry(some).cov


def test_one_way_crossed_with_itself_is_one_way_or_independent():
    some = drawn(5, models=2)
    voters = [f"v{i % 40}" for i in range(len(some))]

    got = bradley_terry(some, clusters=voters, crossed_with=voters)

    ends = bradley_terry(some, clusters=voters).cov, bradley_terry(some).cov
    assert np.diag(got.cov) == pytest.approx(largest(*ends)[0])
    assert got.covariance == "two-way"


def test_two_ways_add_up_less_their_intersection():
    """Voters and prompts that favour some models: the sum is the largest."""
    some = drawn(6, n=2_000)
    random = np.random.default_rng(1)
    voters, prompts = random.integers(0, 25, 2_000), random.integers(0, 40, 2_000)
    taste = random.normal(size=(25, 5)), random.normal(size=(40, 5))
    pull = sum(
        it[at, some.a] - it[at, some.b] for it, at in zip(taste, (voters, prompts), strict=True)
    )
    some = dataclasses.replace(some, outcome=np.where(pull > 0, 2, 0).astype(np.int8))

    got = bradley_terry(some, clusters=voters.tolist(), crossed_with=prompts.tolist())
    want = two_ways(some, voters.tolist(), prompts.tolist())[0]

    assert got.cov == pytest.approx(want, abs=1e-12)
    assert (got.clusters, got.df) == (25, 24)


@pytest.mark.parametrize("models", [2, 3, 8])
@pytest.mark.parametrize("ways", [(2, 3), (4, 5), (7, 11), (30, 40)])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_two_way_variance_is_below_one_way_or_independent_battles(models, ways, weighted):
    some = drawn(6, models=models, n=200, weighted=weighted)
    random = np.random.default_rng(models)
    voters, prompts = (random.integers(0, number, 200).tolist() for number in ways)

    got = bradley_terry(some, clusters=voters, crossed_with=prompts)

    own, apart = variances_of(got.cov)
    least_own, least_apart = largest(*two_ways(some, voters, prompts))
    assert (own >= least_own - 1e-12).all()
    assert (apart >= least_apart - 1e-12).all()
    assert np.linalg.eigvalsh(got.cov).min() > -1e-12
    if models == 2:
        assert own == pytest.approx(least_own)


def test_voters_and_prompts_that_agree_exactly_are_as_sure_as_independent_votes():
    """Two of three votes for x from each of 3 voters, and on each of 3 prompts."""
    won = ["a", "a", "b", "b", "a", "a", "a", "b", "a"]
    some = battles(["x"] * 9, ["y"] * 9, won)

    got = bradley_terry(some, clusters=[i // 3 for i in range(9)], crossed_with=[0, 1, 2] * 3)

    assert got.se == pytest.approx(bradley_terry(some).se)
    assert got.df == 2


def test_clusters_of_copies_are_worth_one_battle_each():
    some = drawn(9, n=400)
    rows = np.repeat(np.arange(400), 5)
    copied = battles(
        [some.names[i] for i in some.a[rows]],
        [some.names[i] for i in some.b[rows]],
        (some.outcome[rows] / 2).tolist(),
    )

    got = bradley_terry(copied, clusters=rows.tolist())

    assert got.n == 2_000
    assert got.n_eff == pytest.approx(400, rel=0.01)
    assert got.effective == pytest.approx(bradley_terry(some).n_battles, rel=0.01)


def test_an_anchor_moves_the_origin_and_no_interval():
    some = drawn(2)
    plain, moved = bradley_terry(some), bradley_terry(some, anchor=("m3", 1200.0))

    assert moved.score[3] == pytest.approx(1200)
    assert moved.high - moved.low == pytest.approx(plain.high - plain.low)
    assert np.diff(moved.score) == pytest.approx(np.diff(plain.score))
    with pytest.raises(SpecError, match="anchor 'm9'"):
        bradley_terry(some, anchor=("m9", 0.0))


def test_the_level_and_the_scale_are_those_asked_for():
    some = drawn(2)
    got = bradley_terry(some, level=0.8, scale=1.0, offset=0.0)

    assert got.score == pytest.approx(got.theta)
    assert got.high - got.low == pytest.approx(2 * 1.2815515655446004 * got.se)


def test_a_winner_of_everything_is_refused_unless_a_prior_is_stated():
    rows = [*connecting(["x", "y", "z"]), ("best", "x", "a"), ("best", "y", "a")]
    table = counts(*columns(rows))
    with pytest.raises(DisconnectedBattles, match="best"):
        bradley_terry(table)

    got = bradley_terry(table, prior=1.0)

    assert got.rows()[0].name == "best"
    assert any("only that puts 2 groups" in said for said in got.warnings)
    assert got.theta.sum() == pytest.approx(0, abs=1e-12)


def test_a_prior_is_a_tie_with_an_opponent_at_the_average():
    rows = connecting(["x", "y", "z"]) * 2 + [("x", "y", "a"), ("x", "z", "tie")]
    got = bradley_terry(counts(*columns(rows)), prior=0.7, covariance="model")
    table = counts(*columns(rows))
    share = table.win + table.tie / 2

    def slope(theta):
        p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
        own = 0.7 * (0.5 - 1 / (1 + np.exp(-theta)))
        return (share - table.met * p).sum(axis=1) + own

    shifts = np.linspace(-0.2, 0.2, 4001)
    best = min(shifts, key=lambda by: np.abs(slope(got.theta + by)).max())
    assert np.abs(slope(got.theta + best)).max() < 1e-4


def test_a_larger_prior_draws_everybody_to_the_middle():
    some = drawn(4)
    spans = [np.ptp(bradley_terry(some, prior=w).theta) for w in (0.0, 1.0, 10.0, 1000.0)]

    assert spans == sorted(spans, reverse=True)


@pytest.mark.parametrize("ties", TIES)
def test_groups_are_rated_apart_when_asked(ties):
    one = [*connecting(["a1", "a2", "a3"]), ("a1", "a2", "a"), ("a1", "a2", "tie")] * 5
    two = [*connecting(["b1", "b2"]), ("b1", "b2", "a")] * 5
    between = [("a1", "b1", "a"), ("a2", "b2", "a"), ("lone", "a1", "a")]
    rows = one + two + between
    voters = [i % 7 for i in range(len(rows))]

    got = bradley_terry(battles(*columns(rows)), ties=ties, disconnected="components")
    apart = bradley_terry(battles(*columns(one)), ties=ties)
    grouped = bradley_terry(
        battles(*columns(rows)), ties=ties, disconnected="components", clusters=voters
    )

    assert got.group.tolist() == [0, 0, 0, 1, 1, 2]
    assert got.warnings[0].startswith("3 groups")
    assert got.warnings[1].startswith("3 battles between groups are left out")
    assert "lone" in got.warnings[2]
    assert np.isnan(got.score[5])

    single = bradley_terry(
        battles(*columns([*one, ("lone", "a1", "a")])), ties=ties, disconnected="components"
    )
    assert single.warnings[1] == "1 battle between groups is left out"
    lone = got.rows()[-1]
    assert (lone.name, lone.score, lone.rank) == ("lone", None, None)
    assert lone.reason
    assert grouped.theta[:5] == pytest.approx(got.theta[:5])
    if ties == "half":
        assert got.theta[:3] == pytest.approx(apart.theta, abs=1e-9)
        assert got.se[:3] == pytest.approx(apart.se, abs=1e-9)
        assert got.cov[:3, 3:] == pytest.approx(0, abs=1e-12)


def test_where_every_model_stands_alone_nothing_is_rated():
    with pytest.raises(DisconnectedBattles):
        bradley_terry(counts(["x"], ["y"], ["a"]), disconnected="components")


def test_nearly_separated_models_converge():
    n = 200_000
    rows = counts(["x"] * 3 + ["y"], ["y", "z", "z", "x"], ["a", "a", "a", "a"])
    rows.win[0, 1] = rows.win[1, 2] = n
    rows.win[2, 1] = rows.win[1, 0] = 1

    got = bradley_terry(rows)

    assert got.theta[0] - got.theta[1] == pytest.approx(math.log(n), rel=1e-6)


@pytest.mark.parametrize("ties", TIES)
def test_all_ties_are_an_error(ties):
    with pytest.raises(NotEnoughData, match="Every battle is a tie"):
        bradley_terry(counts(["x", "y"], ["y", "z"], ["tie", "tie"]), ties=ties)


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_a_model_of_ties_needs_a_tie(ties):
    with pytest.raises(NotEnoughData, match="There is no tie"):
        bradley_terry(counts(*columns(connecting(["x", "y"]))), ties=ties)


def test_one_model_is_not_enough():
    table = counts(["x"], ["y"], ["a"])
    alone = type(table)(("x",), *[np.zeros((1, 1))] * 4, np.zeros((1, 1), int), 0)
    with pytest.raises(NotEnoughData, match="Ratings compare models"):
        bradley_terry(alone)


def test_a_single_cluster_is_an_error():
    some = drawn(1)
    with pytest.raises(NotEnoughData, match="only one cluster"):
        bradley_terry(some, clusters=["u"] * len(some))
    with pytest.raises(NotEnoughData, match="only one second kind"):
        bradley_terry(some, clusters=[i % 9 for i in range(300)], crossed_with=[1] * 300)


def test_clusters_that_only_weigh_nothing_do_not_count():
    some = drawn(1, n=100)
    weight = np.where(np.arange(100) < 80, 1.0, 0.0)
    weighed = type(some)(some.names, some.a, some.b, some.outcome, weight)
    voters = [i % 10 if i < 80 else 99 for i in range(100)]

    assert bradley_terry(weighed, clusters=voters).clusters == 10


@pytest.mark.parametrize("label", [None, float("nan"), ""])
def test_a_missing_cluster_label_is_an_error_with_its_row(label):
    some = drawn(1)
    with pytest.raises(AnalysisError, match="A cluster label is missing: row 3"):
        bradley_terry(some, clusters=[1, 2, label, *range(297)])


def test_few_clusters_few_battles_and_no_spread_are_said():
    rows = [*connecting(["x", "y"]) * 10, ("z", "x", "tie"), ("z", "y", "tie")]
    got = bradley_terry(battles(*columns(rows)), clusters=[i % 5 for i in range(len(rows))])

    assert (
        "intervals are rough with fewer than 20 clusters, here 5: add cases or voters"
        in got.warnings
    )
    assert "ratings from fewer than 10 battles are rough: z" in got.warnings
    level = bradley_terry(counts(["x"] * 4, ["y"] * 4, ["a", "b", "a", "b"]))
    assert not any("no interval" in said for said in level.warnings)


def test_no_spread_over_clusters_is_said():
    got = bradley_terry(
        battles(["x"] * 20, ["y"] * 20, ["a", "b"] * 10), clusters=[i // 2 for i in range(20)]
    )

    said = "no interval for x, y: the clusters agree exactly, so the standard error is unknown"
    assert said in got.warnings
    assert [(row.se, row.low, row.high, row.effective) for row in got.rows()] == [(None,) * 4] * 2
    assert {row.reason for row in got.rows()} == {
        "no interval: the clusters agree exactly, so the standard error is unknown"
    }
    assert np.isnan(got.gap("x", "y")[1])
    assert got.to_dict()["n_eff"] is None


@pytest.mark.parametrize("prior", [0.01, 1.0, 30.0])
def test_a_prior_gives_no_spread_to_clusters_that_agree_exactly(prior):
    rows = battles(["x"] * 18, ["y"] * 18, ["a", "a", "b"] * 6)

    got = bradley_terry(rows, clusters=[i // 3 for i in range(18)], prior=prior)

    assert np.isnan(got.se).all()


@pytest.mark.parametrize("votes", [3, 6, 7, 9])
@pytest.mark.parametrize("voters", [2, 3, 6, 11, 100])
@pytest.mark.parametrize("weight", [1e-6, 1.0, 3.0, 1e6])
def test_voters_that_agree_exactly_show_no_spread_whatever_the_rounding(votes, voters, weight):
    """Each voter prefers x in all votes but one."""
    number = votes * voters
    rows = battles(
        ["x"] * number,
        ["y"] * number,
        (["b"] + ["a"] * (votes - 1)) * voters,
        weight=[weight] * number,
    )

    got = bradley_terry(rows, clusters=[i // votes for i in range(number)])

    assert np.isnan(got.se).all()
    assert np.isnan([got.low, got.high]).all()
    assert got.score[0] > 1000


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"level": 1.0}, "confidence level"),
        ({"scale": 0.0}, "scale"),
        ({"prior": -1.0}, "prior"),
        ({"ties": "half win"}, "say half, davidson, rao_kupper"),
        ({"crossed_with": [1] * 300}, "crossed_with"),
        ({"clusters": [1, 2]}, "300 battles and 2 cluster labels"),
        ({"clusters": [1] * 300, "covariance": "model"}, "knows no clusters"),
    ],
)
def test_arguments_that_cannot_be_used_are_errors(wrong, words):
    with pytest.raises(SpecError, match=words):
        bradley_terry(drawn(1), **wrong)


def test_the_gap_between_two_is_their_difference_and_its_error():
    got = bradley_terry(drawn(1))

    away, error = got.gap("m0", "m3")
    assert away == pytest.approx(got.score[0] - got.score[3])
    assert error == pytest.approx(
        SCALE * np.sqrt(np.array([1, 0, 0, -1, 0]) @ got.cov @ np.array([1, 0, 0, -1, 0]))
    )
    with pytest.raises(SpecError, match="no rating of 'm9'"):
        got.gap("m0", "m9")


def test_a_model_without_battles_is_named():
    with pytest.raises(DisconnectedBattles, match=r"\[idle\]"):
        bradley_terry(counts(["x", "y"], ["y", "x"], ["a", "a"], names=["x", "y", "idle"]))


def test_counts_know_no_clusters():
    with pytest.raises(SpecError, match="no longer know"):
        bradley_terry(drawn(1).counts(), clusters=[1] * 300)


def test_rows_and_json_go_from_the_strongest_down():
    got = bradley_terry(drawn(1))

    said = got.to_dict()
    assert [row.rank for row in got.rows()] == [1, 2, 3, 4, 5]
    assert [row["name"] for row in said["rows"]] == [row.name for row in got.rows()]
    assert said["n"] == 300


def test_a_model_without_a_rating_has_no_rough_one():
    rows = [*connecting(["x", "y"]) * 10, ("x", "z", "a")]
    got = bradley_terry(battles(*columns(rows)), disconnected="components")
    assert any("no rating for z" in said for said in got.warnings)
    assert not any("rough" in said for said in got.warnings)
