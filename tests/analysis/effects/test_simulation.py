"""Planted effects: the intervals cover them, and non-inferiority errs in no more than 5 %."""

import numpy as np
import pytest

from benchmaker.analysis.comparison.pairing import case_table
from benchmaker.analysis.comparison.pairs import ComparisonSettings, compare_pairs
from benchmaker.analysis.effects.dimensions import setup_levels
from benchmaker.analysis.effects.interactions import InteractionSettings, interaction
from benchmaker.analysis.effects.level_tables import LevelTables
from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.stats.pairs.best import compare_with_best
from benchmaker.stats.quantiles import t_quantile
from tests.analysis.effects.designs import a_design, a_run, columns_for
from tests.draws import draws

REPETITIONS = 1_000
CASES = 60
EFFECTS = {
    "prompt": {"few": 0.04},
    "model": {"alpha": 0.03, "gamma": -0.02},
    "effort": {"high": 0.05},
    "interaction": {("alpha", "few"): 0.06},
}
SCENARIOS = ("plain", "expansions", "missing")
FIELDS = {"model": "model", "prompt": "prompt_id", "effort": "effort"}


def scenario(random, design, name):
    """Scores and groups of one repetition."""
    expansions = 3 if name == "expansions" else 1
    scores = design.scores(random, CASES, expansions=expansions)
    groups = np.repeat(np.arange(CASES), expansions) if expansions > 1 else None
    if name == "missing":
        scores[random.random(scores.shape) < 0.03] = np.nan
    return scores, groups


def tables_of(design, scores, groups):
    """The scores by setup and their levels, as compare_levels has them."""
    table = case_table(columns_for(design.setups, scores, groups=groups))
    return table, setup_levels([a_run(design.setups)], table.models)


def paired(table, levels, by):
    """The pairs of compare_levels, without interactions."""
    tables = LevelTables(table, levels, by)
    how = ComparisonSettings(None, None, 0.95, 9_999, 0)
    return compare_pairs(tables.of_levels(tables.names), how).pairs


@pytest.mark.long
@pytest.mark.parametrize("by", ["prompt", "model", "effort"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_intervals_cover_planted_effects(by, name):
    design, random = a_design(**EFFECTS), np.random.default_rng([1, len(by), len(name)])
    covered = []
    for _ in range(REPETITIONS):
        for pair in paired(*tables_of(design, *scenario(random, design, name)), by):
            levels = (pair.model_a, pair.model_b)
            truth = np.subtract(*(design.average(FIELDS[by], level) for level in levels))
            covered.append(pair.low <= truth <= pair.high)
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_intervals_cover_a_planted_interaction(name):
    design, random = a_design(**EFFECTS), np.random.default_rng([2, len(name)])
    how = InteractionSettings(None, 0.95, 9_999, 0)
    covered = []
    for _ in range(REPETITIONS):
        tables = tables_of(design, *scenario(random, design, name))
        contrasts = interaction(*tables, how, by="prompt", across="model").contrasts
        covered += [one.low <= planted(one) <= one.high for one in contrasts]
    assert 0.93 <= np.mean(covered) <= 0.97


def planted(one):
    """The expected contrast."""
    signs = ((1, one.at, one.a), (-1, one.at, one.b), (-1, one.other, one.a), (1, one.other, one.b))
    known = EFFECTS["interaction"]
    return sum(sign * known.get((model, prompt), 0.0) for sign, model, prompt in signs)


@pytest.mark.long
def test_no_interaction_is_found_in_no_more_than_5_percent():
    design, random = a_design(prompt={"few": 0.04}), np.random.default_rng(3)
    how = InteractionSettings("holm", 0.95, 9_999, 0)
    found = [
        interaction(
            *tables_of(design, *scenario(random, design, "plain")), how, by="prompt", across="model"
        ).is_significant
        for _ in range(REPETITIONS)
    ]
    assert np.mean(found) <= at_most(0.05, REPETITIONS)


def test_the_interval_of_an_effect_covers_it_by_the_plain_formula():
    """The second road, vectorised: the t interval of the case means over the other dimensions."""
    design, random = a_design(**EFFECTS), np.random.default_rng(4)
    repetitions = draws(400, 4_000)
    scores = np.stack([design.scores(random, CASES) for _ in range(repetitions)])
    few = np.array([one.prompt_id == "few" for one in design.setups])
    d = scores[:, :, few].mean(axis=2) - scores[:, :, ~few].mean(axis=2)
    half = t_quantile(CASES - 1, 0.95) * d.std(axis=1, ddof=1) / np.sqrt(CASES)
    truth = design.average("prompt_id", "few") - design.average("prompt_id", "plain")
    assert 0.92 <= (np.abs(d.mean(axis=1) - truth) <= half).mean() <= 0.98
    run = a_run(design.setups)
    for at in range(3):
        pair = compare_levels(columns_for(design.setups, scores[at]), "prompt", [run]).pairs[0]
        sign = 1 if pair.a == "few" else -1
        assert pair.diff == pytest.approx(sign * d[at].mean())
        assert pair.high - pair.low == pytest.approx(2 * half[at])


def graded_scores(random, truth, cases, expansions=1):
    count = len(truth)
    own = random.uniform(-0.2, 0.2, (cases, 1)) + random.uniform(-0.15, 0.15, (cases, count))
    rows = np.repeat(own + truth, expansions, axis=0)
    return rows + random.uniform(-0.1, 0.1, rows.shape)


def right_or_wrong(random, truth, cases, expansions=1):
    """Answers that are right with the given probability, alike within a case."""
    easy = random.beta(4, 4, (cases, 1))
    chance = np.clip(truth + 0.3 * (easy - 0.5), 0, 1)
    return np.repeat(
        (random.random((cases, len(truth))) < chance).astype(float), expansions, axis=0
    )


def error_rate(make, truth, cases, repetitions, seed, *, expansions=1, missing=0.0):
    """The share of repetitions in which a setup that is worse by the margin is called within it."""
    random, truth = np.random.default_rng(seed), np.array(truth)
    margin = round(truth.max() - truth.min(), 9)
    worse = np.flatnonzero(truth <= truth.max() - margin + 1e-12)
    errors = 0
    for _ in range(repetitions):
        table = make(random, truth, cases, expansions)
        groups = np.repeat(np.arange(cases), expansions)
        kept = (random.random(table.shape) >= missing).all(axis=1)
        made = compare_with_best(
            table[kept], margin=margin, clusters=groups[kept] if expansions > 1 else None
        )
        errors += any(made[at].is_within for at in worse)
    return errors / repetitions


def at_most(rate, repetitions):
    """The rate with two standard errors of its estimate: in the worst case it is reached."""
    return rate + 2 * np.sqrt(rate * (1 - rate) / repetitions)


WORST = {
    "two": [0.6, 0.55],
    "one best": [0.6, 0.55, 0.55, 0.55],
    "many best": [0.6, 0.6, 0.6, 0.55],
}


@pytest.mark.long
@pytest.mark.parametrize("truth", WORST.values(), ids=WORST)
@pytest.mark.parametrize("make", [graded_scores, right_or_wrong])
@pytest.mark.parametrize("cases", [30, 60, 200])
def test_non_inferiority_errs_in_no_more_than_5_percent(make, truth, cases):
    is_pair = len(truth) == 2
    rate = error_rate(make, truth, cases, (2 if is_pair else 1) * REPETITIONS, [5, cases])
    assert rate <= at_most(0.05, (2 if is_pair else 1) * REPETITIONS)


@pytest.mark.long
@pytest.mark.parametrize("make", [graded_scores, right_or_wrong])
@pytest.mark.parametrize("cases", [30, 60])
def test_non_inferiority_errs_no_more_with_expansions_and_missing_trials(make, cases):
    seed = [6, cases]
    rate = error_rate(make, WORST["one best"], cases, REPETITIONS, seed, expansions=3, missing=0.03)
    assert rate <= at_most(0.05, REPETITIONS)


def test_non_inferiority_errs_rarely_in_a_few_repetitions():
    assert error_rate(graded_scores, WORST["one best"], 60, draws(60, 600), 7) <= 0.08


def test_an_equal_setup_is_usually_found_within_the_margin():
    random, truth = np.random.default_rng(8), np.array([0.6, 0.6, 0.4])
    made = [
        compare_with_best(graded_scores(random, truth, 100), margin=0.08)
        for _ in range(draws(30, 300))
    ]
    assert np.mean([one[0].is_within and one[1].is_within for one in made]) > 0.9
    assert not any(one[2].is_within for one in made)
