"""The share of good rows estimated from a yes/no judge with errors in both directions."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Floats, check_level, finite_column
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import z_quantile

_FEW = 10


@dataclass(frozen=True, slots=True)
class Prevalence:
    """The share of good rows by human labels, estimated from the judge's share.

    ``sensitivity`` is the judge's rate of yes for good rows, ``specificity`` its rate of no for the
    others. ``n`` counts labelled rows, ``n_unlabelled`` the others. The value is not clipped and
    may exceed 0 or 1, with a warning. It is None, with a reason, for an uninformative judge.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None
    apparent: float
    sensitivity: float
    specificity: float
    n: int
    n_unlabelled: int
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


def rogan_gladen(
    y_labelled: ArrayLike, f_labelled: ArrayLike, f_unlabelled: ArrayLike, *, level: float = 0.95
) -> Prevalence:
    """Return the share corrected for both kinds of error, (apparent + Sp - 1) / (Se + Sp - 1).

    Rogan & Gladen 1978, American Journal of Epidemiology 107, 71-76; the variance adds those of the
    three shares by the delta method (Lang & Reiczigel 2014, Preventive Veterinary Medicine 113,
    13-22, without their adjustment). Here the labelled rows may be drawn by label, as long as
    within each label they are drawn at random; ``ppi_mean`` is more precise if they are drawn from
    all rows.

    Args:
        y_labelled: labels, 0 or 1.
        f_labelled: the judge on the same rows, 0 or 1.
        f_unlabelled: the judge on all other rows, 0 or 1.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: no labelled row of one kind, or no other row.
        SpecError: a value other than 0 and 1, named by its row.

    >>> found = rogan_gladen([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0])
    >>> round(found.value, 6)
    0.3
    """
    check_level(level)
    y, f = align(y_labelled, f_labelled, noun="label")
    rest = finite_column(f_unlabelled, "unlabelled value")
    for name, numbers in (("label", y), ("second label", f), ("unlabelled value", rest)):
        _check_binary(numbers, name)
    good, bad = int((y == 1).sum()), int((y == 0).sum())
    if not (good and bad and len(rest)):
        message = f"{good} good, {bad} bad and {len(rest)} unlabelled rows; one of each is needed"
        raise NotEnoughData(f"There are {message}.", needed=1, got=min(good, bad, len(rest)))
    sensitivity, specificity = float(f[y == 1].mean()), float(1.0 - f[y == 0].mean())
    apparent = float(rest.mean())
    youden = (int(f[y == 1].sum()) * bad - int(f[y == 0].sum()) * good) / (good * bad)
    value = (apparent + specificity - 1.0) / youden if youden > 0.0 else None
    se = None
    if value is not None:
        noise = [
            _variance(apparent, len(rest)),
            value**2 * _variance(sensitivity, good),
            (1.0 - value) ** 2 * _variance(specificity, bad),
        ]
        se = math.sqrt(math.fsum(noise)) / youden or None
    half = None if se is None else z_quantile(level) * se
    return Prevalence(
        value=value,
        se=se,
        low=None if half is None or value is None else value - half,
        high=None if half is None or value is None else value + half,
        apparent=apparent,
        sensitivity=sensitivity,
        specificity=specificity,
        n=len(y),
        n_unlabelled=len(rest),
        n_eff=float(len(y)),
        clusters=None,
        level=level,
        method="Rogan–Gladen, delta method",
        reason=_reason(value, se),
        warnings=_warnings(value, good, bad),
    )


def _check_binary(numbers: Floats, noun: str) -> None:
    is_other = (numbers != 0) & (numbers != 1)
    if is_other.any():
        row = int(np.argmax(is_other))
        raise SpecError(f"The {noun} in row {row + 1} is {numbers[row]:g}; 0 or 1 is needed.")


def _variance(share: float, n: int) -> float:
    return share * (1.0 - share) / n


def _reason(value: float | None, se: float | None) -> str:
    if value is None:
        return "the judge says yes to the good no more often than to the bad"
    return "" if se is not None else "no share varies"


def _warnings(value: float | None, good: int, bad: int) -> tuple[str, ...]:
    said = []
    if value is not None and not 0.0 <= value <= 1.0:
        said.append(f"the share {value:.3g} is outside 0 to 1: the judge's errors differ here")
    said += [
        f"only {number} {name} labelled rows"
        for name, number in (("good", good), ("bad", bad))
        if number < _FEW
    ]
    return tuple(said)
