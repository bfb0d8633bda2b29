"""The quick version of the study in benchmarks/studies/battles.py."""

import numpy as np
import pytest

from benchmaker.errors import DisconnectedBattles
from benchmaker.stats.ratings import Battles, bradley_terry, rank_intervals
from tests.draws import draws

MODELS, BATTLES = 8, 1_500
NAMES = tuple(f"m{i}" for i in range(MODELS))


def equals(random, clusters, sd):
    """Battles between equal models; each cluster favours some of them."""
    a = random.integers(0, MODELS, BATTLES)
    b = (a + random.integers(1, MODELS, BATTLES)) % MODELS
    label = random.integers(0, clusters, BATTLES)
    taste = sd * random.standard_normal((clusters, MODELS))
    won = random.random(BATTLES) < 1 / (1 + np.exp(taste[label, b] - taste[label, a]))
    tied = random.random(BATTLES) < 0.2
    outcome = np.where(tied, 1, np.where(won, 2, 0)).astype(np.int8)
    return Battles(NAMES, a.astype(np.int32), b.astype(np.int32), outcome), label.tolist()


@pytest.mark.parametrize("clusters", [25, 100, 500])
def test_clustered_intervals_cover_and_plain_ones_do_not(clusters):
    random = np.random.default_rng(clusters)
    plain, grouped = [], []
    for _ in range(draws(40, 120)):
        battles, label = equals(random, clusters, 0.8)
        one, two = bradley_terry(battles), bradley_terry(battles, clusters=label)
        plain.append((np.abs(one.score - 1000) <= one.high - one.score).mean())
        grouped.append((np.abs(two.score - 1000) <= two.high - two.score).mean())
    error = np.std(grouped, ddof=1) / np.sqrt(len(grouped))

    assert abs(np.mean(grouped) - 0.95) < 3 * error + 0.005
    assert np.mean(grouped) > np.mean(plain)
    if clusters == 25:
        assert np.mean(plain) < 0.85


def votes(random, voters, prompts, models, sd):
    """A vote of every voter on each prompt; both favour some of the equal models."""
    voter, prompt = (it.ravel() for it in np.meshgrid(np.arange(voters), np.arange(prompts)))
    a = random.integers(0, models, len(voter))
    b = (a + random.integers(1, models, len(voter))) % models
    gap = np.zeros(len(voter))
    for label, number in ((voter, voters), (prompt, prompts)):
        taste = sd * random.standard_normal((number, models))
        gap += taste[label, a] - taste[label, b]
    outcome = np.where(random.random(len(voter)) < 1 / (1 + np.exp(-gap)), 2, 0).astype(np.int8)
    rows = Battles(NAMES[:models], a.astype(np.int32), b.astype(np.int32), outcome)
    return rows, voter.tolist(), prompt.tolist()


@pytest.mark.parametrize("sd", [0.0, 0.6])
@pytest.mark.parametrize(
    ("voters", "prompts", "models"), [(6, 6, 2), (6, 6, 3), (6, 20, 2), (10, 10, 3), (10, 10, 5)]
)
def test_few_voters_and_prompts_make_no_false_certainty(voters, prompts, models, sd):
    random = np.random.default_rng(voters * prompts + models)
    covered, false, tries = [], 0, draws(60, 200)
    for _ in range(tries):
        battles, voter, prompt = votes(random, voters, prompts, models, sd)
        try:
            got = bradley_terry(battles, clusters=voter, crossed_with=prompt)
        except DisconnectedBattles:
            continue
        covered.append((np.abs(got.score - 1000) <= got.high - got.score).mean())
        found = rank_intervals(got, draws=500)
        false += bool((found.best > 1).any() or (found.worst < models).any())

    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.0475 / len(covered))
    assert false <= 0.05 * tries + 3 * np.sqrt(0.0475 * tries)


@pytest.mark.parametrize("sizes", [(100, *[1] * 4), (100, *[5] * 20), (50, *[5] * 20)])
def test_a_voter_with_many_votes_makes_no_false_certainty(sizes):
    random = np.random.default_rng(sum(sizes))
    label = np.repeat(np.arange(len(sizes)), sizes)
    false, covered, tries = 0, [], draws(80, 300)
    for _ in range(tries):
        taste = 0.6 * random.standard_normal((len(sizes), 3))
        a = random.integers(0, 3, len(label))
        b = (a + random.integers(1, 3, len(label))) % 3
        chance = 1 / (1 + np.exp(taste[label, b] - taste[label, a]))
        outcome = np.where(random.random(len(label)) < chance, 2, 0).astype(np.int8)
        battles = Battles(NAMES[:3], a.astype(np.int32), b.astype(np.int32), outcome)
        got = bradley_terry(
            battles, clusters=label.tolist(), at_least="battles", degrees="effective"
        )
        covered.extend((np.abs(got.score - 1000) <= got.high - got.score)[np.isfinite(got.low)])
        found = rank_intervals(got, draws=500)
        false += bool((found.best > 1).any() or (found.worst < 3).any())

    assert false <= 0.05 * tries + 3 * np.sqrt(0.0475 * tries)
    assert not covered or np.mean(covered) > 0.95 - 3 * np.sqrt(0.0475 / tries)
    assert bool(covered) == (len(sizes) > 5)


def test_simultaneous_ranks_tell_equal_models_apart_in_one_of_twenty_draws():
    random = np.random.default_rng(1)
    false, tries = 0, draws(80, 200)
    for _ in range(tries):
        battles, _ = equals(random, 1, 0.0)
        found = rank_intervals(bradley_terry(battles), draws=1_000)
        false += bool((found.best > 1).any() or (found.worst < MODELS).any())

    assert 1 <= false <= 0.05 * tries + 3 * np.sqrt(0.0475 * tries)
