"""The rate at which at least one of k attempts passes, or all of them do."""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Codes, finite_column
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import Mean


@dataclass(frozen=True, slots=True)
class PassRate:
    """The mean over tasks of pass@k or pass^k, with its interval.

    ``tasks`` holds one value per task, None where it has fewer than k attempts. ``mean`` and its
    interval are None if one is missing, since a mean over the others would cover different tasks;
    ``reason`` states how many are missing. The standard error is over tasks: attempts at one task
    are not independent evidence about others.
    """

    mean: float | None
    se: float | None
    low: float | None
    high: float | None
    k: int
    tasks: tuple[float | None, ...]
    n: int
    n_eff: float
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def pass_at_k(
    passed: ArrayLike,
    attempts: ArrayLike,
    k: int,
    *,
    weights: ArrayLike | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> PassRate:
    """Return the chance that at least one of k attempts at a task passes, and its mean.

    Per task 1 - C(n-c, k) / C(n, k), unbiased with c of n attempts passed (Chen et al. 2021,
    Evaluating Large Language Models Trained on Code, equation 1), in whole numbers and rounded
    once. The interval of the mean is that of :func:`~benchmaker.stats.means.bounded.bounded_mean`.

    Args:
        passed: attempts that passed, one number per task, or a single one.
        attempts: attempts made, as many, each at least as large; or a single one for all.
        k: attempts allowed, at least 1.
        weights: one per task, for the mean; None for equal ones.
        clusters: one label per task, for dependent tasks.
        level: of the interval, between 0 and 1.

    Raises:
        SpecError: a number that is no count; the message names the task's row (from 1).
        NotEnoughData: there is no task.

    >>> pass_at_k([1, 4, 0], [5, 5, 5], 2).tasks
    (0.4, 1.0, 0.0)
    """
    return _mean_over_tasks(_any_pass, "pass@", passed, attempts, k, weights, clusters, level)


def pass_hat_k(
    passed: ArrayLike,
    attempts: ArrayLike,
    k: int,
    *,
    weights: ArrayLike | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> PassRate:
    """The chance that all of k attempts at a task pass, and its mean over tasks.

    Per task C(c, k) / C(n, k), unbiased with c of n attempts passed (Yao et al. 2024, τ-bench).
    Arguments, interval and errors as in :func:`pass_at_k`.

    >>> pass_hat_k([1, 4, 0], [5, 5, 5], 2).tasks
    (0.0, 0.6, 0.0)
    """
    return _mean_over_tasks(_all_pass, "pass^", passed, attempts, k, weights, clusters, level)


@lru_cache(maxsize=4096)
def _any_pass(c: int, n: int, k: int) -> float:
    every = math.comb(n, k)
    return (every - math.comb(n - c, k)) / every


@lru_cache(maxsize=4096)
def _all_pass(c: int, n: int, k: int) -> float:
    return math.comb(c, k) / math.comb(n, k)


def _mean_over_tasks(  # noqa: PLR0917  private, called twice
    share: Callable[[int, int, int], float],
    name: str,
    passed: ArrayLike,
    attempts: ArrayLike,
    k: int,
    weights: ArrayLike | None,
    clusters: Iterable[Hashable] | None,
    level: float,
) -> PassRate:
    if k != int(k) or k < 1:
        raise SpecError(f"k = {k!r} is not a count of at least 1.")
    c, n = _counts(passed, attempts)
    pairs = zip(c.tolist(), n.tolist(), strict=True)
    tasks = tuple(share(won, made, int(k)) if made >= k else None for won, made in pairs)
    present = [task for task in tasks if task is not None]
    if len(present) == len(tasks):
        mean = bounded_mean(present, weights, clusters=clusters, level=level)
        return _to_pass_rate(mean, name, k, tasks)
    fewest = f"the fewest is {n.min()}, in row {int(n.argmin()) + 1}"
    short = len(tasks) - len(present)
    return PassRate(
        mean=None,
        se=None,
        low=None,
        high=None,
        k=int(k),
        tasks=tasks,
        n=len(tasks),
        n_eff=float(len(tasks)),
        clusters=None,
        level=level,
        method=f"{name}{k}",
        reason=f"{short} of {len(tasks)} tasks have fewer than {k} attempts; {fewest}",
    )


def _to_pass_rate(mean: Mean, name: str, k: int, tasks: tuple[float | None, ...]) -> PassRate:
    return PassRate(
        mean=mean.mean,
        se=mean.se,
        low=mean.low,
        high=mean.high,
        k=int(k),
        tasks=tasks,
        n=mean.n,
        n_eff=mean.n_eff,
        clusters=mean.clusters,
        level=mean.level,
        method=f"{name}{k}, {mean.method} over tasks",
        reason=mean.reason,
        warnings=mean.warnings,
    )


def _counts(passed: ArrayLike, attempts: ArrayLike) -> tuple[Codes, Codes]:
    """Both as columns of whole numbers, one row per task."""
    c = _whole_counts(np.atleast_1d(np.asarray(passed, dtype=np.float64)), "number passed")
    n = _whole_counts(np.atleast_1d(np.asarray(attempts, dtype=np.float64)), "number of attempts")
    if len(n) == 1:
        n = np.repeat(n, len(c))
    if not len(c):
        raise NotEnoughData("There is no task.", needed=1, got=0)
    if len(c) != len(n):
        raise SpecError(f"There are {len(c)} numbers passed and {len(n)} of attempts.")
    if (c > n).any():
        row = int(np.argmax(c > n))
        raise SpecError(f"In row {row + 1} {c[row]} of {n[row]} attempts passed.")
    return c, n


def _whole_counts(numbers: ArrayLike, noun: str) -> Codes:
    column = finite_column(numbers, noun)
    bad = (column < 0) | (column != np.floor(column))
    if bad.any():
        row = int(np.argmax(bad))
        raise SpecError(f"The {noun} in row {row + 1} is {column[row]:g}, which is no count.")
    return column.astype(np.int64)
