"""Intervals for shares: exact coverage, nothing is drawn."""

import numpy as np
from scipy.stats import binom
from studies.study import Study, Table, share

from benchmaker.stats.means.proportions import proportion

SIZES = (5, 10, 20, 50, 100)
SHARES = np.linspace(0.5, 0.99, 99)
METHODS = ("wilson", "clopper_pearson", "jeffreys", "beta", "wald")


def exact(random: np.random.Generator, draws: int) -> Table:
    del random, draws
    rows = [(proportion(1, 2, method=name).method, *cells(name)) for name in METHODS]
    return Table(("n", *map(str, SIZES)), tuple(rows))


def cells(method: str) -> list[str]:
    """Mean and smallest coverage over the shares."""
    found = []
    for n in SIZES:
        each = [covered(method, n, p) for p in SHARES]
        found.append(f"{share(np.mean(each), 1)} ({share(min(each), 1)})")
    return found


def covered(method: str, n: int, p: float) -> float:
    """Summed over the chances of k hits."""
    k = np.arange(n + 1)
    held = [holds(proportion(int(hits), n, method=method).interval, p) for hits in k]
    return float(binom.pmf(k[held], n, p).sum())


def holds(interval: tuple[float, float] | None, p: float) -> bool:
    return interval is not None and interval[0] <= p <= interval[1]


STUDIES = (
    Study(
        name="proportions",
        title="Shares of 0/1 scores",
        words=(
            "Exact coverage of the 95% intervals of `proportion`, from binomial sums: the mean "
            "over true shares from .5 to .99, and in brackets the smallest. Wilson is the "
            "default. Single shares are above and below because k is a whole number. Nothing is "
            "drawn."
        ),
        draws=0,
        run=exact,
    ),
)
