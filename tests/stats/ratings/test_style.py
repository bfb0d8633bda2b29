import numpy as np
import pytest
from scipy.optimize import minimize

from benchmaker.errors import AnalysisError, NotConverged, SpecError
from benchmaker.stats.ratings import bradley_terry, style_control
from tests.stats.ratings.drawn import drawn

FEATURES = ("length", "lists")


def styled(seed, *, n=400, worth=0.8, weighted=False):
    """Battles in which the relative length of an answer wins, and both sides' features."""
    random = np.random.default_rng(seed)
    some = drawn(seed, models=4, n=n, weighted=weighted)
    habit = np.array([400.0, 100.0, 200.0, 300.0])
    left = np.column_stack([habit[some.a], random.integers(0, 9, n)]) * random.uniform(
        0.5, 2, (n, 2)
    )
    right = np.column_stack([habit[some.b], random.integers(0, 9, n)]) * random.uniform(
        0.5, 2, (n, 2)
    )
    pull = worth * 4 * (left[:, 0] - right[:, 0]) / (left[:, 0] + right[:, 0])
    theta = np.linspace(1, -1, 4)
    won = random.random(n) < 1 / (1 + np.exp(theta[some.b] - theta[some.a] - pull))
    outcome = np.where(random.random(n) < 0.2, 1, np.where(won, 2, 0)).astype(np.int8)
    return type(some)(some.names, some.a, some.b, outcome, some.weight), left, right


def relative(left, right, weight):
    total = left + right
    gap = np.where(total > 0, (left - right) / np.where(total > 0, total, 1), 0)
    return gap / np.sqrt((weight[:, None] * gap**2).sum(axis=0) / weight.sum())


def slow(some, z, weight, l2):
    """A general maximiser of the literal penalised likelihood; strengths first."""
    m, f = len(some.names), z.shape[1]
    design = np.zeros((len(some), m))
    design[np.arange(len(some)), some.a] = 1
    design[np.arange(len(some)), some.b] -= 1
    x = np.column_stack([design[:, :-1] - design[:, -1:], z])

    def loss(free):
        odds = x @ free
        each = some.outcome / 2 * odds - np.logaddexp(0, odds)
        return -(weight * each).sum() + l2 / 2 * (free[m - 1 :] ** 2).sum()

    def slope(free):
        left = weight * (some.outcome / 2 - 1 / (1 + np.exp(-x @ free)))
        return -x.T @ left + l2 * np.append(np.zeros(m - 1), free[m - 1 :])

    found = minimize(loss, np.zeros(m - 1 + f), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    p = 1 / (1 + np.exp(-x @ found))
    bread = np.linalg.inv(
        x.T @ ((weight * p * (1 - p))[:, None] * x)
        + l2 * np.diag(np.append(np.zeros(m - 1), np.ones(f)))
    )
    scores = (weight * (some.outcome / 2 - p))[:, None] * x
    theta = np.append(found[: m - 1], -found[: m - 1].sum())
    return theta, found[m - 1 :], bread, scores


@pytest.mark.parametrize("penalty", [{}, {"l2": 0.5}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clusters", [None, 25])
def test_agrees_with_the_slow_maximiser_and_its_sandwich(weighted, clusters, penalty):
    some, left, right = styled(1, weighted=weighted)
    weight = np.ones(len(some)) if some.weight is None else some.weight
    labels = None if clusters is None else [i % clusters for i in range(len(some))]
    theta, beta, bread, scores = slow(
        some, relative(left, right, weight), weight, *penalty.values() or [0]
    )

    got = style_control(some, left, right, features=FEATURES, clusters=labels, **penalty)

    assert got.adjusted.theta == pytest.approx(theta, abs=1e-6)
    assert got.coefficients == pytest.approx(beta, abs=1e-6)
    if labels is not None:
        scores = np.array([scores[np.equal(labels, g)].sum(axis=0) for g in range(clusters)])
        scores = (scores - scores.mean(axis=0)) * np.sqrt(clusters / (clusters - 1))
    cov = bread @ scores.T @ scores @ bread
    assert got.se == pytest.approx(np.sqrt(np.diag(cov)[3:]), rel=1e-6)
    assert got.adjusted.se[:3] == pytest.approx(np.sqrt(np.diag(cov)[:3]), rel=1e-6)
    assert got.clusters == clusters


def test_two_way_errors_are_the_largest_of_four_literal_ones():
    some, left, right = styled(4)
    n = len(some)
    voters, prompts = [i % 12 for i in range(n)], [i // 12 % 17 for i in range(n)]
    ones = np.ones(n)
    _, _, bread, scores = slow(some, relative(left, right, ones), ones, 0)

    def variances(labels):
        number = len(set(labels))
        sums = np.zeros((number, scores.shape[1]))
        np.add.at(sums, np.unique(labels, axis=0, return_inverse=True)[1].ravel(), scores)
        return np.diag(bread @ sums.T @ sums @ bread) * number / (number - 1)

    one, two = variances(voters), variances(prompts)
    common = variances([f"{v}-{p}" for v, p in zip(voters, prompts, strict=True)])
    alone = np.diag(bread @ scores.T @ scores @ bread)
    largest = np.max([one + two - common, one, two, alone], axis=0)

    got = style_control(some, left, right, features=FEATURES, clusters=voters, crossed_with=prompts)

    ratio = np.append(got.adjusted.se[:3], got.se) / np.sqrt(largest)
    assert (ratio > 1 - 1e-5).all()
    assert (ratio < 1.03).all()  # the largest variances alone are no covariance
    assert got.clusters == 12
    assert "two-way" in got.method


def two_groups():
    """Battles in two groups of four, of which one won all against the other and a ninth model."""
    (one, *ours), (two, *theirs) = styled(1), styled(7, n=150)
    between = np.array([[0, 4], [1, 6], [2, 8], [0, 8]] * 5).T
    names = tuple(f"m{i}" for i in range(9))
    a = np.concatenate([one.a, two.a + 4, between[0]]).astype(np.int32)
    b = np.concatenate([one.b, two.b + 4, between[1]]).astype(np.int32)
    won = np.full(between.shape[1], 2, np.int8)
    outcome = np.concatenate([one.outcome, two.outcome, won])
    left, right = (
        np.concatenate([own, other, np.full((len(won), 2), size)])
        for own, other, size in zip(ours, theirs, (900.0, 10.0), strict=True)
    )
    return type(one)(names, a, b, outcome), left, right


def test_groups_share_the_coefficients_and_nothing_else():
    """Against Newton's steps with the pseudoinverse of the literal information."""
    some, left, right = two_groups()
    inside = np.arange(len(some)) < 550
    labels = [f"{i % 20}" if one else "between" for i, one in enumerate(inside)]

    got = style_control(
        some, left, right, features=FEATURES, clusters=labels, disconnected="components"
    )

    kept = some.take(inside)
    x = np.zeros((550, 9))
    x[np.arange(550), kept.a], x[np.arange(550), kept.b] = 1, -1
    x = np.column_stack([x, relative(left[inside], right[inside], np.ones(550))])
    at = np.zeros(11)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ at))
        bread = np.linalg.pinv(x.T @ ((p * (1 - p))[:, None] * x))
        at += bread @ x.T @ (kept.outcome / 2 - p)
    scores = (kept.outcome / 2 - p)[:, None] * x
    sums = np.array([scores[i::20].sum(axis=0) for i in range(20)])
    se = np.sqrt(np.diag(bread @ sums.T @ sums @ bread) * 20 / 19)
    assert got.adjusted.theta[:4] == pytest.approx(at[:4] - at[:4].mean(), abs=1e-8)
    assert got.adjusted.theta[4:8] == pytest.approx(at[4:8] - at[4:8].mean(), abs=1e-8)
    assert np.isnan([got.adjusted.theta[8], got.adjusted.se[8], got.adjusted.low[8]]).all()
    assert got.coefficients == pytest.approx(at[9:], abs=1e-8)
    assert got.adjusted.se[:8] == pytest.approx(se[:8], rel=1e-6)
    assert got.se == pytest.approx(se[9:], rel=1e-6)
    assert got.clusters == 20
    assert got.adjusted.group.tolist() == [0] * 4 + [1] * 4 + [2]


def test_one_group_gives_the_same_digits_with_and_without_groups():
    some, left, right = styled(1)
    one = style_control(some, left, right, features=FEATURES)
    two = style_control(some, left, right, features=FEATURES, disconnected="components")
    assert one.adjusted.score.tolist() == two.adjusted.score.tolist()
    assert one.se.tolist() == two.se.tolist()


def test_what_style_added_is_taken_out():
    some, left, right = styled(3, n=6_000)

    got = style_control(some, left, right, features=FEATURES)

    assert got.low[0] > 0.2
    assert abs(got.coefficients[1]) < 3 * got.se[1]
    truth = np.linspace(1, -1, 4)
    raw = np.abs(np.diff(got.raw.theta) - np.diff(truth)).max()
    adjusted = np.abs(np.diff(got.adjusted.theta) - np.diff(truth)).max()
    assert adjusted < raw / 2


PLAIN = "each feature as a - b in standard deviations, with a penalty of 0.25·|β|²"
RELATIVE = "each feature as (a - b)/(a + b) in standard deviations, without a penalty"


@pytest.mark.parametrize(
    ("settings", "said"), [({}, RELATIVE), ({"difference": "plain", "l2": 0.5}, PLAIN)]
)
def test_the_method_names_the_feature_and_the_penalty(settings, said):
    some, left, right = styled(2)
    assert style_control(some, left, right, features=FEATURES, **settings).method.endswith(said)


def test_raw_ratings_are_those_of_bradley_terry():
    some, left, right = styled(2)
    got = style_control(some, left, right, features=FEATURES)

    assert got.raw.theta.tolist() == bradley_terry(some).theta.tolist()


def test_climbing_is_the_raw_rank_less_the_adjusted_one():
    some, left, right = styled(4, worth=3.0, n=3_000)

    got = style_control(some, left, right, features=FEATURES)

    raw = {row.name: row.rank for row in got.raw.rows()}
    adjusted = {row.name: row.rank for row in got.adjusted.rows()}
    assert got.climbed.tolist() == [raw[n] - adjusted[n] for n in some.names]
    assert any(got.climbed)


def test_order_and_sides_change_no_digit():
    some, left, right = styled(5)
    order = np.random.default_rng(1).permutation(len(some))
    labels = [i % 30 for i in range(len(some))]
    turned = type(some)(some.names, some.b[order], some.a[order], 2 - some.outcome[order])

    one = style_control(some, left, right, features=FEATURES, clusters=labels)
    two = style_control(
        turned, right[order], left[order], features=FEATURES, clusters=[labels[i] for i in order]
    )

    assert one.adjusted.theta.tolist() == two.adjusted.theta.tolist()
    assert one.adjusted.cov.tolist() == two.adjusted.cov.tolist()
    assert one.se.tolist() == two.se.tolist()


def test_plain_differences_may_be_negative_and_are_scaled():
    some, left, right = styled(6)
    one = style_control(some, left - 500, right - 500, features=FEATURES, difference="plain")
    two = style_control(some, left * 7, right * 7, features=FEATURES, difference="plain")

    assert one.coefficients == pytest.approx(two.coefficients)
    assert two.spreads == pytest.approx(one.spreads * 7)


def test_nothing_on_both_sides_is_no_difference():
    some, left, right = styled(6)
    left[:50, 1] = right[:50, 1] = 0

    assert np.isfinite(style_control(some, left, right, features=FEATURES).se).all()


def test_a_stronger_hold_shrinks_the_coefficients():
    some, left, right = styled(7)
    sizes = [
        abs(style_control(some, left, right, features=FEATURES, l2=l2).coefficients[0])
        for l2 in (0.0, 10.0, 1e4)
    ]

    assert sizes == sorted(sizes, reverse=True)


def test_a_feature_that_foretells_everything_needs_a_hold():
    some, _, _ = styled(8)
    decided = some.take(some.outcome != 1)
    winner = np.where(decided.outcome == 2, 1.0, 0.0)
    with pytest.raises(NotConverged, match="covariates"):
        style_control(decided, winner, 1 - winner, features=["won"])

    held = style_control(decided, winner, 1 - winner, features=["won"], l2=0.5)
    assert np.isfinite(held.se).all()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_feature_that_is_no_count_is_an_error_with_its_row(value):
    some, left, right = styled(1)
    right[4, 1] = value
    with pytest.raises(AnalysisError, match=r"'lists' is missing, infinite or negative: row 5"):
        style_control(some, left, right, features=FEATURES)


def test_features_that_say_the_same_need_a_hold():
    some, left, right = styled(1)
    twice, again = left[:, [0, 0]], right[:, [0, 0]]
    with pytest.raises(NotConverged, match="covariates"):
        style_control(some, twice, again, features=FEATURES)

    held = style_control(some, twice, again, features=FEATURES, l2=0.5)
    assert held.coefficients[0] == pytest.approx(held.coefficients[1])


def test_a_feature_that_never_differs_is_an_error():
    some, left, right = styled(1)
    left[:, 1] = right[:, 1]
    with pytest.raises(AnalysisError, match="'lists' is the same on both sides"):
        style_control(some, left, right, features=FEATURES)


def test_arguments_that_cannot_be_used_are_errors():
    some, left, right = styled(1)
    with pytest.raises(SpecError, match="l2"):
        style_control(some, left, right, features=FEATURES, l2=-1)
    with pytest.raises(SpecError, match="Features of shape"):
        style_control(some, left, right, features=["length"])
    with pytest.raises(SpecError, match="Features of shape"):
        style_control(some, left[:5], right, features=FEATURES)


def test_clusters_that_agree_exactly_give_no_interval():
    """The same 40 battles in each of six clusters."""
    one, left, right = styled(3, n=40)
    rows = np.tile(np.arange(40), 6)

    got = style_control(
        one.take(rows),
        left[rows],
        right[rows],
        features=FEATURES,
        clusters=np.repeat(np.arange(6), 40).tolist(),
    )

    assert np.abs(got.coefficients).min() > 0.001
    assert np.isnan([got.se, got.low, got.high]).all()
    assert np.isnan([got.adjusted.se, got.adjusted.low]).all()
    assert any(said.startswith("no interval for m0, m1") for said in got.adjusted.warnings)
