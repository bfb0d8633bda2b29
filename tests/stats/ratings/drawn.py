"""Battles to test with, and slow roads to the same figures."""

import math

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import minimize

from benchmaker.stats.ratings import Battles

OUTCOMES = ("b", "tie", "a")
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from(OUTCOMES)),
    min_size=1,
    max_size=60,
).map(lambda rows: [(f"m{i}", f"m{(i + k) % 4}", outcome) for i, k, outcome in rows])


def connecting(names):
    """A round in which everybody beats the next, so that all are connected."""
    return [(name, names[(i + 1) % len(names)], "a") for i, name in enumerate(names)]


def columns(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


def drawn(seed, *, models=5, n=300, tied=0.25, weighted=False, spread=1.0):
    """Random battles between models of falling strength."""
    random = np.random.default_rng(seed)
    a = random.integers(0, models, n)
    b = (a + random.integers(1, models, n)) % models
    theta = np.linspace(spread, -spread, models)
    won = random.random(n) < 1 / (1 + np.exp(theta[b] - theta[a]))
    outcome = np.where(random.random(n) < tied, 1, np.where(won, 2, 0)).astype(np.int8)
    weight = random.uniform(0.2, 3.0, n) if weighted else None
    names = tuple(f"m{i}" for i in range(models))
    return Battles(names, a.astype(np.int32), b.astype(np.int32), outcome, weight)


def log_p(outcome, gap, ties, eta):
    """Of one battle, literally from the definition."""
    up, down = math.exp(gap / 2), math.exp(-gap / 2)
    if ties == "half":
        p = up / (up + down)
        return {2: math.log(p), 0: math.log(1 - p), 1: (math.log(p) + math.log(1 - p)) / 2}[outcome]
    if ties == "davidson":
        total = up + down + math.exp(eta)
        return math.log({2: up, 0: down, 1: math.exp(eta)}[outcome] / total)
    kappa = math.exp(eta)
    won, lost = up / (up + kappa * down), down / (down + kappa * up)
    return math.log({2: won, 0: lost, 1: 1 - won - lost}[outcome])


def literal(battles, at, ties):
    """The log-likelihood, battle by battle."""
    m = len(battles.names)
    theta, eta = at[:m], at[-1]
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    rows = zip(battles.a, battles.b, battles.outcome, weight, strict=True)
    return math.fsum(w * log_p(int(o), theta[a] - theta[b], ties, eta) for a, b, o, w in rows)


def slow_fit(battles, ties):
    """Strengths and η by a general maximiser."""
    m = len(battles.names)
    more = 0 if ties == "half" else 1

    def loss(free):
        theta = np.append(free[: m - 1], -free[: m - 1].sum())
        return -literal(battles, np.concatenate([theta, free[m - 1 :], [0.0][more:]]), ties)

    start = np.append(np.zeros(m - 1), [0.5] * more)
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-7})
    return np.append(found.x[: m - 1], -found.x[: m - 1].sum()), found.x[m - 1 :], -found.fun


def numeric_scores(battles, at, ties):
    """The slope of each battle's log-likelihood by each parameter, by central differences."""
    size = len(at)
    result = np.zeros((len(battles), size))
    for row in range(len(battles)):
        one = battles.take(np.arange(len(battles)) == row)
        for k in range(size):
            step = np.eye(size)[k] * 1e-6
            result[row, k] = (literal(one, at + step, ties) - literal(one, at - step, ties)) / 2e-6
    return result
