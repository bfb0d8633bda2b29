"""Ratings of a suite claim no more than its battles would if they were independent."""

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmaker.analysis import rank
from benchmaker.analysis.ratings.battles import Rounds
from benchmaker.analysis.ratings.strengths import RatingOptions, strengths
from benchmaker.errors import DisconnectedBattles, NotEnoughData
from benchmaker.stats.ratings import SCALE, Battles, bradley_terry
from tests.draws import draws

NAMES = ("m0", "m1", "m2", "m3", "m4")
CLUSTERED = RatingOptions("bradley_terry", "prompt", (), 0.0, 0.95)
CANCELLING = {
    "half": "1.1.1.1.1.1.",
    "good": "110111111111",
    "refuser": "000000000000",
}
"""Right and wrong answers by case, ``.`` for a failed trial."""


def rounds_of(scores, weight=None, group=None):
    """Battles of each case between all models with a score, NaN without."""
    rows = [
        (case, i, j, 1 + int(np.sign(scores[i, case] - scores[j, case])))
        for case in range(scores.shape[1])
        for i in range(len(scores))
        for j in range(i + 1, len(scores))
        if not np.isnan(scores[[i, j], case]).any()
    ]
    case, a, b, outcome = np.array(rows).T
    made = Battles(
        NAMES[: len(scores)],
        a.astype(np.int32),
        b.astype(np.int32),
        outcome.astype(np.int8),
        None if weight is None else np.asarray(weight, np.float64)[case],
    )
    prompt = case if group is None else np.asarray(group)[case]
    return Rounds(
        made,
        "suite",
        prompt=prompt.tolist(),
        n_prompts=scores.shape[1],
        case=None if group is None else case.tolist(),
    )


def random_scores(random, right, cases, *, missing=0.2, sd=1.0):
    """0/1 scores of models with these log odds; hard cases are hard for all."""
    odds = np.asarray(right)[:, None] + sd * random.standard_normal(cases)
    scores = (random.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    scores[random.random(odds.shape) < missing] = np.nan
    return scores


def literal_variances(battles, theta):
    """HC0 of centred ratings, battle by battle."""
    m = len(theta)
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    bread, meat = np.zeros((m, m)), np.zeros((m, m))
    for a, b, outcome, w in zip(battles.a, battles.b, battles.outcome, weight, strict=True):
        side = np.eye(m)[a] - np.eye(m)[b]
        p = 1 / (1 + np.exp(theta[b] - theta[a]))
        bread += w * p * (1 - p) * np.outer(side, side)
        meat += (w * (outcome / 2 - p)) ** 2 * np.outer(side, side)
    inverse = np.linalg.pinv(bread)
    return inverse @ meat @ inverse


def assert_at_least(made, cov):
    """No variance of a rating or a difference is below that of the matrix."""
    own = np.diag(cov)
    apart = own[:, None] + own - 2 * cov
    assert (made.se**2 >= own * (1 - 1e-6))[np.isfinite(made.se)].all()
    found = made.difference_errors() ** 2
    known = np.isfinite(found)
    assert (found[known] >= apart[known] * (1 - 1e-6)).all()
    assert known.any()


def test_cancelling_battles_of_a_case_make_no_narrow_interval(a_trial):
    trials = [
        a_trial(at, float(hit), model=model, weight=1.0 + at % 3)
        for model, hits in CANCELLING.items()
        for at, hit in enumerate(hits)
        if hit != "."
    ]

    made = rank(trials)

    first = made.models[0]
    assert (first.model, first.n_battles) == ("half", 12)
    assert first.high - first.low > 250
    assert all(one.effective <= one.n_battles for one in made.models)
    assert made.n_eff <= made.n == 24


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("trial", range(5))
def test_no_variance_is_below_that_of_independent_battles(trial, weighted, grouped):
    random = np.random.default_rng(trial)
    scores = random_scores(random, [1.5, 0.5, 0.0, -1.0], 14)
    weight = random.choice([1, 2, 3], 14) if weighted else None
    rounds = rounds_of(scores, weight, np.arange(14) // 2 if grouped else None)

    made = strengths(rounds, CLUSTERED).ratings

    assert_at_least(made, literal_variances(rounds.battles, made.theta))
    assert (made.effective <= made.n_battles * (1 + 1e-9))[np.isfinite(made.effective)].all()
    assert "independent battles" in made.method
    assert ("and single cases" in made.method) == grouped


@pytest.mark.parametrize("trial", range(4))
def test_no_adjusted_variance_is_below_that_of_independent_battles(trial):
    """With and without a feature that the ratings hold equal."""
    random = np.random.default_rng(trial)
    rounds = rounds_of(random_scores(random, [1.0, 0.0, -1.0], 16))
    n = len(rounds.battles)
    lengths = random.integers(1, 900, (2, n)).tolist()
    grouped = Rounds(
        rounds.battles, "suite", prompt=rounds.prompt, features={"length": tuple(lengths)}
    )

    made = strengths(grouped, RatingOptions("bradley_terry", "prompt", ("length",), 0.0, 0.95))
    plain = strengths(grouped, RatingOptions("bradley_terry", "none", ("length",), 0.0, 0.95))

    assert_at_least(made.ratings, plain.ratings.cov)


def test_plain_clustering_never_has_more_effective_battles_than_battles():
    for trial in range(20):
        rounds = rounds_of(random_scores(np.random.default_rng(trial), [2.0, 1.5, -2.0], 12))
        try:
            made = bradley_terry(rounds.battles, clusters=rounds.prompt)
        except DisconnectedBattles:
            continue
        assert (made.effective <= made.n_battles * (1 + 1e-9))[np.isfinite(made.effective)].all()
        assert not made.n_eff > made.n


def limit(right, sd, is_answered, weight):
    """The strengths that maximise the expected likelihood, by a general maximiser."""
    nodes, shares = np.polynomial.hermite_e.hermegauss(40)
    hit = 1 / (1 + np.exp(-(np.asarray(right)[:, None] + sd * nodes)))
    win = np.einsum("ik,jk,k->ij", hit, 1 - hit, shares / shares.sum())
    met = np.einsum("ic,jc,c->ij", is_answered, is_answered, weight)
    np.fill_diagonal(met, 0)
    score = met * (1 + win - win.T) / 2

    def loss(theta):
        gap = theta[:, None] - theta[None, :]
        return (score * np.logaddexp(0, -gap)).sum() + theta.mean() ** 2

    found = minimize(loss, np.zeros(len(right)), method="BFGS", options={"gtol": 1e-9}).x
    return found - found.mean()


@pytest.mark.parametrize(
    ("right", "sd", "cases", "step"),
    [
        ((3.0, 1.7, -1.7), 0.0, 12, 2),
        ((3.5, 2.0, -2.2), 0.0, 12, 1),
        ((2.0, 1.0, 0.0, -1.0), 1.5, 30, 2),
    ],
)
def test_intervals_of_few_cases_with_ties_and_gaps_hold(right, sd, cases, step):
    """The first model answers every ``step``-th case; weights are 1, 2, 3."""
    random = np.random.default_rng(cases + step)
    is_answered = np.ones((len(right), cases))
    is_answered[0, np.arange(cases) % step > 0] = 0
    weight = 1.0 + np.arange(cases) % 3
    truth = 1000 + SCALE * limit(right, sd, is_answered, weight)
    covered = []
    for _ in range(draws(100, 400)):
        scores = random_scores(random, right, cases, missing=0, sd=sd)
        rounds = rounds_of(np.where(is_answered > 0, scores, np.nan), weight)
        try:
            made = strengths(rounds, CLUSTERED)
        except (DisconnectedBattles, NotEnoughData):
            continue
        if np.isfinite(made.low).all():
            covered.append((made.low <= truth) & (truth <= made.high))

    assert len(covered) > 80
    error = np.sqrt(0.95 * 0.05 / len(covered))
    assert np.mean(covered, axis=0).min() > 0.95 - 3 * error
