"""The share of solved attempts at tasks, with an interval for other tasks and attempts."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import SpecError
from benchmaker.stats.columns import Floats, check_level, finite_column
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.means import Mean, bare_mean
from benchmaker.stats.means.proportions import wilson
from benchmaker.stats.means.sample import Sample
from benchmaker.stats.quantiles import t_quantile

_PRIOR_DF: Final = 4
"""Degrees of freedom of the prior of the design effect, whose mean is 1."""

_LEAST_EFFECT: Final = 0.5


def mean_of_attempts(
    solved: ArrayLike,
    tasks: Iterable[Hashable],
    weights: ArrayLike | None = None,
    *,
    level: float = 0.95,
) -> Mean:
    """Return the share of solved attempts with Wilson's interval, for attempts that share tasks.

    ``n_eff`` is (Σw)²/Σw² over the design effect of the tasks: the variance of the mean with tasks
    as clusters, over that with independent attempts. The effect d that K tasks show is uncertain;
    six tasks often show half or twice the true one. It is replaced by the posterior mean under a
    scaled inverse chi-squared prior of 4 degrees of freedom and mean 1, the effect of independent
    attempts:

        ((K - 1)·d + 2) / (K - 1 + 2)

    The quantile is Student's t with the K - 1 + 4 degrees of freedom of both together (Gelman et
    al. 2013, Bayesian Data Analysis, sections 2.6 and 3.2; Smyth 2004, Statistical Applications in
    Genetics and Molecular Biology 3, for t with added degrees of freedom). Attempts at one task are
    not less alike than independent ones, so that a small effect is chance: it is taken as at least
    ½, and ``n_eff`` is at most twice the number of attempts.

    If attempts do not vary, or there is one task, or one attempt at each, nothing is known about
    their likeness within tasks. The share of each task is then one value of
    :func:`~benchmaker.stats.means.bounded.bounded_mean`.

    Args:
        solved: one verdict per attempt: 1 or true, 0 or false.
        tasks: as many labels, of any hashable kind.
        weights: as many, finite and at least 0; None for equal ones.
        level: confidence level of the interval, between 0 and 1.

    Raises:
        SpecError: an unusable verdict, label or weight; the message names its row (from 1).
        NotEnoughData: no attempt of positive weight.

    >>> m = mean_of_attempts([1, 1, 0, 1, 0, 0], ["a", "a", "b", "b", "c", "c"])
    >>> m.mean, [round(end, 4) for end in m.require_interval()], m.n, m.clusters
    (0.5, [0.1222, 0.8778], 6, 3)
    """
    check_level(level)
    sample = Sample.of(_verdicts(solved), weights, tasks)
    if sample.is_constant or sample.units in {1, sample.n}:
        return _over_tasks(sample, level)
    return _over_attempts(sample, level)


def _over_attempts(sample: Sample, level: float) -> Mean:
    bare = bare_mean(sample, level)
    n_eff = sample.kish / _design_effect(sample)
    df = sample.units - 1 + _PRIOR_DF
    low, high = wilson(sample.mean, n_eff, t_quantile(df, level))
    missing = (f"no standard error: {bare.reason}",) if bare.reason else ()
    return replace(
        bare,
        low=low,
        high=high,
        df=df,
        n_eff=n_eff,
        method=bare.method.replace("Student's t", "Wilson").replace("CR1", "shrunk design effect"),
        reason="",
        warnings=bare.warnings + missing,
    )


def _design_effect(sample: Sample) -> float:
    """That of the sample, shrunk towards 1."""
    found, prior = sample.units - 1, _PRIOR_DF - 2
    shrunk = (found * sample.design_effect() + prior) / (found + prior)
    return max(shrunk, _LEAST_EFFECT)


def _over_tasks(sample: Sample, level: float) -> Mean:
    """The mean of attempts with the interval of the shares of their tasks."""
    shares, weights = sample.cluster_means()
    over = bounded_mean(shares, weights, level=level)
    return replace(
        bare_mean(sample, level),
        low=over.low,
        high=over.high,
        n_eff=over.n_eff,
        method=over.method,
        reason=over.reason,
        warnings=over.warnings,
    )


def _verdicts(solved: ArrayLike) -> Floats:
    x = finite_column(solved, "verdict")
    graded = (x != 0.0) & (x != 1.0)
    if graded.any():
        row = int(np.argmax(graded))
        message = f"The verdict in row {row + 1} is {x[row]:g}; a verdict is 0 or 1."
        raise SpecError(message, hint="Use bounded_mean for graded scores.")
    return x
