"""p-values adjusted for having made several tests."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import SpecError

Floats = NDArray[np.float64]

Correction: TypeAlias = Literal["holm", "bh", "by", "max_t"]
"""Holm, Benjamini-Hochberg, Benjamini-Yekutieli, or the largest |t| of all pairs."""


def holm(p_values: Sequence[float], *, true_at_most: int | None = None) -> tuple[float, ...]:
    """Return Holm's step-down p-values: family-wise error control under any dependence.

    The i-th smallest of m is multiplied by m - i + 1, never below the one before it (Holm 1979,
    Scandinavian Journal of Statistics 6). Where no more than ``true_at_most`` of the hypotheses can
    be true together, no factor is larger (Shaffer 1986, Journal of the American Statistical
    Association 81).

    Raises:
        SpecError: a p-value outside [0, 1]; its row is named.

    >>> holm([0.01, 0.04, 0.03]), holm([0.01, 0.04, 0.03], true_at_most=2)
    ((0.03, 0.06, 0.06), (0.02, 0.06, 0.06))
    """
    p, order = _sort(p_values)
    most = len(p) if true_at_most is None else true_at_most
    factors = np.minimum(np.arange(len(p), 0, -1), most)
    return _restore_order(np.maximum.accumulate(p * factors), order)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini and Hochberg's step-up p-values: the expected share of false claims.

    The i-th smallest of m is multiplied by m/i, never above the one after it (Benjamini and
    Hochberg 1995, Journal of the Royal Statistical Society B 57). Holds when the tests are
    independent or positively dependent. Errors as in :func:`holm`.

    >>> [round(p, 6) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini and Yekutieli's: the same under any dependence.

    Benjamini-Hochberg times 1 + 1/2 + … + 1/m (Benjamini and Yekutieli 2001, Annals of Statistics
    29). Errors as in :func:`holm`.
    """
    return _step_up(p_values, sum(1 / i for i in range(1, len(p_values) + 1)))


STEPWISE: dict[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
}
"""The corrections that need nothing but p-values."""


def adjust_p_values(
    p_values: Sequence[float | None], correction: Correction | None
) -> tuple[float | None, ...]:
    """Return adjusted p-values; a missing one stays missing and does not count as a test.

    A test without a p-value could not have found anything, so the others need not be adjusted for
    it (Tarone 1990, Biometrics 46).
    """
    if correction is None:
        return tuple(p_values)
    made = iter(STEPWISE[correction]([p for p in p_values if p is not None]))
    return tuple(None if p is None else next(made) for p in p_values)


def _step_up(p_values: Sequence[float], factor: float) -> tuple[float, ...]:
    p, order = _sort(p_values)
    scaled = factor * p * len(p) / np.arange(1, len(p) + 1)
    return _restore_order(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _sort(p_values: Sequence[float]) -> tuple[Floats, NDArray[np.intp]]:
    p = np.asarray(p_values, dtype=np.float64)
    sound = (p >= 0) & (p <= 1)
    if not sound.all():
        row = int(np.argmin(sound))
        raise SpecError(f"The p-value in row {row + 1} is {p[row]}; it must lie in [0, 1].")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _restore_order(made: Floats, order: NDArray[np.intp]) -> tuple[float, ...]:
    back = np.empty_like(made)
    back[order] = np.minimum(made, 1.0)
    return tuple(back.tolist())
