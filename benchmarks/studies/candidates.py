"""Intervals for the mean of scores in [0, 1] that were compared with the default.

Each takes samples × values and returns the lower and the upper ends.
"""

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from benchmaker.stats.means.bounded import bounded_mean

Ends = tuple[np.ndarray, np.ndarray]

TAIL = 0.025
GRID = np.linspace(0.005, 0.995, 100)
RESAMPLES = 300
ROUNDING = 1e-9


def default(x: np.ndarray) -> Ends:
    ends = np.array([bounded_mean(sample).require_interval() for sample in x])
    return ends[:, 0], ends[:, 1]


def students_t(x: np.ndarray) -> Ends:
    n = x.shape[1]
    half = stdtrit(n - 1, 1 - TAIL) * x.std(axis=1, ddof=1) / np.sqrt(n)
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def wilson_of_sums(x: np.ndarray) -> Ends:
    """Wilson with the sum of the scores as if it were a count of hits."""
    n, m = x.shape[1], x.mean(axis=1)
    c = ndtri(TAIL) ** 2 / n
    middle, half = m + c / 2, np.sqrt(c * m * (1 - m) + c * c / 4)
    return (middle - half) / (1 + c), (middle + half) / (1 + c)


def beta_of_moments(x: np.ndarray) -> Ends:
    """A beta posterior with mean and variance of the scores, half a 0 and half a 1 added."""
    return _beta(x, 0.5, 0.5, TAIL), _beta(x, 0.5, 0.5, 1 - TAIL)


def gaffke(x: np.ndarray) -> Ends:
    """Gaffke 2005 by two moments: below with a 0 added, above with a 1; the exact one for 0/1."""
    return _beta(x, 1.0, 0.0, TAIL), _beta(x, 0.0, 1.0, 1 - TAIL)


def empirical_bernstein(x: np.ndarray) -> Ends:
    """Maurer and Pontil 2009; sure for every law in [0, 1]."""
    n, m = x.shape[1], x.mean(axis=1)
    log = np.log(2 / TAIL)
    half = np.sqrt(2 * x.var(axis=1, ddof=1) * log / n) + 7 * log / (3 * (n - 1))
    return m - half, m + half


def betting(x: np.ndarray) -> Ends:
    """Hedged capital, predictable bets (Waudby-Smith and Ramdas 2024); sure for every law."""
    samples, n = x.shape
    up, down = np.zeros((2, samples, len(GRID)))
    total, squares = np.full(samples, 0.5), np.full(samples, 0.25)
    spread = squares.copy()
    for step in range(n):
        bet = np.sqrt(2 * np.log(1 / TAIL) / (n * spread))[:, None]
        gap = x[:, step, None] - GRID
        up += np.log1p(np.minimum(bet, 0.75 / GRID) * gap)
        down += np.log1p(-np.minimum(bet, 0.75 / (1 - GRID)) * gap)
        total = total + x[:, step]
        squares = squares + (x[:, step] - total / (step + 2)) ** 2
        spread = squares / (step + 2)
    kept = np.maximum(up, down) + np.log(0.5) < np.log(1 / (2 * TAIL))
    step = GRID[1] - GRID[0]
    return GRID[kept.argmax(axis=1)] - step, GRID[::-1][kept[:, ::-1].argmax(axis=1)] + step


def bootstrap_t(x: np.ndarray) -> Ends:
    """Studentised bootstrap; resamples of equal scores are left out."""
    random = np.random.default_rng(1)
    ends = np.array([_bootstrap_t(sample, random) for sample in x])
    return ends[:, 0], ends[:, 1]


def _bootstrap_t(sample: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    n, m = len(sample), sample.mean()
    se = sample.std(ddof=1) / np.sqrt(n)
    again = sample[random.integers(0, n, (RESAMPLES, n))]
    errors = again.std(axis=1, ddof=1) / np.sqrt(n)
    vary = errors > ROUNDING
    if not vary.any():
        return m, m
    t = (again.mean(axis=1)[vary] - m) / errors[vary]
    below, above = np.quantile(t, [TAIL, 1 - TAIL])
    return m - above * se, m - below * se


def _beta(x: np.ndarray, zeros: float, ones: float, tail: float) -> np.ndarray:
    size = x.shape[1] + zeros + ones
    mean = (x.sum(axis=1) + ones) / size
    variance = (((x**2).sum(axis=1) + ones) / size - mean**2) / (size + 1)
    worth = mean * (1 - mean) / np.maximum(variance, 1e-300) - 1
    a, b = np.maximum(mean * worth, 1e-9), np.maximum((1 - mean) * worth, 1e-9)
    return betaincinv(a, b, tail)


CANDIDATES = {
    "default": default,
    "Student's t": students_t,
    "Wilson on Σx": wilson_of_sums,
    "beta of moments": beta_of_moments,
    "Gaffke": gaffke,
    "betting": betting,
    "empirical Bernstein": empirical_bernstein,
    "bootstrap t": bootstrap_t,
}
