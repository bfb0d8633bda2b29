"""The rating of a calibration in a word: the published one, and the supported one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from benchmaker.analysis.judges.calibration import (
    CalibrationResult,
    CalibrationSample,
    CalibrationSummary,
)
from benchmaker.analysis.judges.scale_check import scale_warnings
from benchmaker.stats.agreement.correlation import Correlation
from benchmaker.stats.means.means import Mean

Rating = Literal["Excellent", "Good", "Fair", "Poor"]

RATINGS: tuple[Rating, ...] = ("Excellent", "Good", "Fair", "Poor")
"""Best first."""

SCREENING = 24
"""Samples below which a calibration only screens: one sample more or less changes the rating."""

_ROUNDING = 1e-9


class RatingBounds(NamedTuple):
    """The requirements of a rating: all three."""

    rating: Rating
    pass_rate: float
    mean_absolute_error: float
    correlation: float


THRESHOLDS = (
    RatingBounds("Excellent", 0.9, 0.1, 0.9),
    RatingBounds("Good", 0.75, 0.15, 0.8),
    RatingBounds("Fair", 0.5, 0.25, 0.6),
)
"""The published table, best first; below all of them the rating is Poor."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A calibration in words.

    ``rating`` is by the published table. ``supported`` is the rating by the ends of the 95%
    intervals that are unfavourable to the judge, which the data support. ``sentence`` states both,
    ``reasons`` lists the figures that limit ``supported``, ``warnings`` the remarks.
    """

    rating: Rating
    supported: Rating
    sentence: str
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


def interpret_calibration(result: CalibrationResult) -> Interpretation:
    """Return the published rating, the one supported by the sample, and the reasons.

    The rating needs a pass rate, a mean absolute error and a correlation. A judge with constant
    scores has no correlation, and a failing one has none of them: both are Poor.
    """
    summary = result.summary
    published = rate(summary.pass_rate, summary.mean_absolute_error, summary.correlation)
    bounds = worst_case(summary)
    supported = max(rate(*bounds), published, key=RATINGS.index)
    return Interpretation(
        rating=published,
        supported=supported,
        sentence=_sentence(result, published, supported),
        reasons=tuple(_reasons(bounds, supported)),
        warnings=tuple(_warnings(result)),
    )


def rate(pass_rate: float | None, mae: float | None, correlation: float | None) -> Rating:
    """The rating by the published table; a figure that is missing meets no threshold.

    >>> rate(0.75, 0.1, 0.949)
    'Good'
    >>> rate(0.5, 0.2, None)
    'Poor'
    """
    if pass_rate is None or mae is None or correlation is None:
        return "Poor"
    for it in THRESHOLDS:
        if (
            pass_rate >= it.pass_rate - _ROUNDING
            and mae <= it.mean_absolute_error + _ROUNDING
            and correlation >= it.correlation - _ROUNDING
        ):
            return it.rating
    return "Poor"


class Bounds(NamedTuple):
    """The unfavourable ends of the intervals; None without one."""

    pass_rate: float | None
    mean_absolute_error: float | None
    correlation: float | None


def worst_case(summary: CalibrationSummary) -> Bounds:
    """Return the lower end for pass rate and correlation, the upper one for the error.

    If all errors are equal, or the correlation is exactly 1, there is no spread for an interval;
    then the value itself is used, and only the pass rate reflects the number of samples.
    """
    at = summary.intervals
    return Bounds(
        at.pass_rate.low, _upper_bound(at.mean_absolute_error), _lower_bound(at.correlation)
    )


def _upper_bound(mae: Mean | None) -> float | None:
    if mae is None or mae.n < 2:  # noqa: PLR2004  one value has no spread
        return None
    return mae.mean if mae.high is None else mae.high


def _lower_bound(r: Correlation | None) -> float | None:
    if r is None or r.value is None or r.n <= 3:  # noqa: PLR2004  Fisher's interval takes four
        return None
    return r.value if r.low is None else r.low


def _sentence(result: CalibrationResult, published: Rating, supported: Rating) -> str:
    n = result.summary.total_samples
    screening = " (screening only)" if n < SCREENING else ""
    if published == supported:
        return f"{published} by the published table, supported by {n} samples{screening}."
    return f"{published} by the published table; {n} samples support only {supported}{screening}."


def _reasons(bounds: Bounds, supported: Rating) -> list[str]:
    """Return the requirements of the next better rating."""
    if supported == "Excellent":
        return []
    wanted = THRESHOLDS[RATINGS.index(supported) - 1]
    said = []
    if bounds.pass_rate is None or bounds.pass_rate < wanted.pass_rate:
        said.append(f"pass rate at least {_percent(bounds.pass_rate)} of {wanted.pass_rate:.0%}")
    if bounds.mean_absolute_error is None:
        said.append("error unknown")
    elif bounds.mean_absolute_error > wanted.mean_absolute_error:
        found = _percent(bounds.mean_absolute_error)
        said.append(f"error up to {found}, limit {wanted.mean_absolute_error:.0%}")
    if bounds.correlation is None:
        said.append("correlation undefined")
    elif bounds.correlation < wanted.correlation:
        found = f"{bounds.correlation:.2f}"
        said.append(f"correlation at least {found} of {wanted.correlation:.2g}")
    return [f"for {wanted.rating}: {'; '.join(said)}"] if said else []


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.1%}"


def _warnings(result: CalibrationResult) -> list[str]:
    summary, said = result.summary, list(scale_warnings(result.calibration))
    if summary.failed:
        said.append(
            f"{summary.failed} of {summary.total_samples} samples have no judgment: they count as "
            "not passed and are excluded from error, bias and correlation"
        )
    if summary.judged and summary.correlation is None:
        said.append(_undefined_correlation(result.samples))
    nulls = result.nulls
    if nulls and nulls.rewarded.k:
        said.append(
            f"{nulls.rewarded.k} of {nulls.rewarded.n} empty answers were rewarded, "
            f"{nulls.worst!r} with {nulls.highest:.2f}"
        )
    won = result.injection.moved
    if won and won.k:
        said.append(f"{won.k} of {won.n} instructions to the judge raised the score")
    for name, effect in (("length", result.verbosity), ("an instruction", result.injection)):
        if effect.mean and effect.mean.mean > 0 and not _holds_zero(effect.mean):
            said.append(f"{name} alone adds {effect.mean.mean:+.2f} on average")
    place = result.position
    if place and not _holds_zero(place.first):
        where = "first" if place.first.mean > 0 else "second"
        said.append(f"the answer shown {where} wins more often in pairs")
    return said


def _holds_zero(mean: Mean) -> bool:
    """Or, where all are alike and so without an interval, whether that is 0."""
    if mean.low is None or mean.high is None:
        return mean.n < 2 or mean.mean == 0  # noqa: PLR2004  one says nothing of others
    return mean.low <= 0 <= mean.high


def _undefined_correlation(samples: Sequence[CalibrationSample]) -> str:
    judged = [sample for sample in samples if sample.score is not None]
    if len({sample.score for sample in judged}) == 1:
        return "the judge gives every answer the same score"
    if len({sample.expected for sample in judged}) == 1:
        return "all samples have the same expected score, so the correlation is undefined"
    return f"{len(judged)} judged samples are too few for a correlation"
