"""How often a gate is wrong, and how often it decides, by simulation with planted differences."""

import math
from collections import Counter

import numpy as np
import pytest

from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.stats.power.power import power
from tests.draws import draws

DRAWS = draws(100, 500)
MOST_WRONG = 0.05
"""The error rate of either kind, at a level of 95%: 2.5% a side, and what simulation adds."""

CHANGED = 0.3
"""The share of answers that change at temperature 0."""


def at_temperature_0(random, side, _, size, drop):
    """Right and wrong answers; of the changed ones some are lost and some are gained."""
    lost, gained = CHANGED / 2 + drop, CHANGED / 2
    kind = random.choice(3, size, p=[lost, gained, 1 - lost - gained])
    same = (random.random(size) < 0.8).astype(float)
    before = np.where(kind == 0, 1.0, np.where(kind == 1, 0.0, same))
    after = np.where(kind == 0, 0.0, np.where(kind == 1, 1.0, same))
    return side({"m": after.tolist()}), side({"m": before.tolist()})


NOISE, SPREAD = 0.1, 0.15


def by_a_judge(random, side, answer, size, drop):
    """Grades with a judge's noise; half of the answers change, the others are judged again."""
    quality = random.uniform(0.45, 0.75, size)
    is_changed = random.random(size) < 0.5
    moved = quality + is_changed * random.normal(-2 * drop, SPREAD, size)
    sides = []
    for name, true in (("new", moved), ("old", quality)):
        grades = np.clip(true + random.normal(0, NOISE, size), 0, 1)
        row = [
            [answer(float(grade), name if change else f"text {at}", judged=True)]
            for at, (grade, change) in enumerate(zip(grades, is_changed, strict=True))
        ]
        sides.append(side({"m": row}))
    return tuple(sides)


def sd_of(world, drop):
    """The standard deviation over cases of the observed difference."""
    if world is at_temperature_0:
        return math.sqrt(CHANGED + drop - drop**2)
    return math.sqrt(0.5 * (SPREAD**2 + 2 * NOISE**2 + 4 * drop**2) - drop**2)


def shares(world, side, answer, *, size, drop, max_drop):
    """The share of each verdict."""
    random = np.random.default_rng([20261129, size, round(1000 * drop), round(1000 * max_drop)])
    counts = Counter(
        str(decide_gate(*world(random, side, answer, size, drop), max_drop=max_drop).verdict)
        for _ in range(DRAWS)
    )
    return {name: counts[name] / DRAWS for name in ("pass", "fail", "undecided")}


WORLDS = pytest.mark.parametrize("world", [at_temperature_0, by_a_judge])


def allowed(rate):
    """The rate, and what so many draws may add by chance (three standard errors)."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / DRAWS)


@WORLDS
@pytest.mark.parametrize("size", [30, 100])
def test_a_drop_of_just_the_limit_is_seldom_decided(world, side, answer, size):
    found = shares(world, side, answer, size=size, drop=0.05, max_drop=0.05)
    assert found["pass"] <= allowed(MOST_WRONG)
    assert found["fail"] <= allowed(MOST_WRONG)


@WORLDS
def test_false_alarms_and_missed_drops_are_rare(world, side, answer):
    none = shares(world, side, answer, size=80, drop=0.0, max_drop=0.02)
    assert none["fail"] <= allowed(MOST_WRONG)
    large = shares(world, side, answer, size=80, drop=0.1, max_drop=0.02)
    assert large["pass"] <= allowed(MOST_WRONG)


@WORLDS
def test_drops_are_found_as_often_as_power_predicts(world, side, answer):
    size, drop, max_drop = 120, 0.14, 0.02
    if world is by_a_judge:
        drop = 0.07
    found = shares(world, side, answer, size=size, drop=drop, max_drop=max_drop)
    want = power(n=size, delta=drop - max_drop, sd_d=sd_of(world, drop), method="t").power
    assert 0.3 < want < 0.95
    assert found["fail"] == pytest.approx(want, abs=allowed(0.03) + 1.5 / math.sqrt(DRAWS))


@WORLDS
def test_too_few_cases_are_undecided(world, side, answer):
    found = shares(world, side, answer, size=8, drop=0.02, max_drop=0.02)
    assert found["undecided"] >= 1 - allowed(MOST_WRONG)


def test_many_models_do_not_raise_false_alarms(side):
    random = np.random.default_rng(20261129)
    wrong = 0
    for _ in range(DRAWS):
        before = {f"m{at}": [1.0] * 60 for at in range(6)}
        after = {name: (random.random(60) >= 0.05).astype(float).tolist() for name in before}
        made = decide_gate(side(after), side(before), max_drop=0.05)
        wrong += made.verdict == "fail"
    assert wrong / DRAWS <= allowed(MOST_WRONG)
