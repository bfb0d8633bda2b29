"""The reliability of a judge: the published figures, each with its interval.

A calibration is read on the first reply to each sample, like a run without repeats. Further repeats
measure the judge's self-agreement. A sample without a judgment has not passed; it is excluded from
errors and correlation, and the number of such samples is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmaker.analysis.judges.calibration_effects import Effect, Nulls, Position, SelfPreference
from benchmaker.analysis.judges.calibration_effects import injection as injection_effect
from benchmaker.analysis.judges.calibration_effects import nulls as null_answers
from benchmaker.analysis.judges.calibration_effects import position as position_effect
from benchmaker.analysis.judges.calibration_effects import self_preference as own_answers
from benchmaker.analysis.judges.calibration_effects import verbosity as verbosity_effect
from benchmaker.analysis.judges.drift import Drift, drift
from benchmaker.analysis.judges.reliability import Bin, reliability
from benchmaker.errors import NotEnoughData
from benchmaker.record.calibration import Calibration, CalibrationItem
from benchmaker.stats.agreement.coefficient import Coefficient
from benchmaker.stats.agreement.correlation import Correlation, pearson
from benchmaker.stats.agreement.icc import Intraclass, icc
from benchmaker.stats.agreement.krippendorff import krippendorff_alpha
from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.means.proportions import Proportion, proportion

_TWO = 2


@dataclass(frozen=True, slots=True)
class RepeatAgreement:
    """Repeats of the same question.

    ``within_sd`` is the standard deviation of the repeats of one sample. ``one`` is ICC(1,1), the
    reliability of a single reply, and ``mean`` ICC(1,k), that of the mean of all k. ``flips`` are
    the samples that passed in some repeats and not in others. ``left_out`` counts the samples with
    a failed repeat.
    """

    repeats: int
    within_sd: float
    one: Intraclass
    mean: Intraclass
    flips: Proportion
    left_out: int


def repeat_agreement(items: Sequence[CalibrationItem]) -> RepeatAgreement | None:
    """Return the agreement of repeats; None for single replies or too few complete samples."""
    k = max((len(item.units) for item in items), default=0)
    rows = [_known_units(item) for item in items]
    whole = [(item, row) for item, row in zip(items, rows, strict=True) if len(row) == k]
    if k < _TWO or len(whole) < _TWO:
        return None
    table = [row for _, row in whole]
    one = icc(table, "1,1")
    return RepeatAgreement(
        repeats=k,
        within_sd=one.within_sd,
        one=one,
        mean=icc(table, "1,k"),
        flips=proportion(sum(_flips(item, row) for item, row in whole), len(whole)),
        left_out=len(items) - len(whole),
    )


def _known_units(item: CalibrationItem) -> list[float]:
    return [unit for unit in item.units if unit is not None]


def _flips(item: CalibrationItem, units: Sequence[float]) -> bool:
    if item.expected is None or item.tolerance is None:
        return False
    return len({abs(unit - item.expected) <= item.tolerance + _ROUNDING for unit in units}) > 1


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Krippendorff's alpha among people, and of the judge with their mean, both on intervals.

    ``judge`` is None if the judge has too few scores to compare.
    """

    people: Coefficient
    judge: Coefficient | None


def ceiling(items: Sequence[CalibrationItem]) -> Ceiling | None:
    """Return the agreement of people, and of the judge with them; None without two ratings."""
    width = max((len(item.ratings) for item in items), default=0)
    rows = [[*item.ratings, *(None,) * (width - len(item.ratings))] for item in items]
    try:
        people = krippendorff_alpha(rows, scale="interval")
    except NotEnoughData:
        return None
    return Ceiling(people, _judge_agreement(items))


def _judge_agreement(items: Sequence[CalibrationItem]) -> Coefficient | None:
    rows = [[item.expected, item.units[0] if item.units else None] for item in items]
    try:
        return krippendorff_alpha(rows, scale="interval")
    except NotEnoughData:
        return None


_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CalibrationSample:
    """One sample: the expected score and the judge's, from 0 to 1.

    ``score`` and ``error`` (score minus expected) are None without a judgment; ``failure`` then
    explains why, and the sample has not passed.
    """

    id: str
    kind: str
    expected: float
    tolerance: float
    score: float | None
    error: float | None
    passed: bool
    failure: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationSummary:
    """The published figures, from 0 to 1, each with its 95% interval if there is one.

    ``judged`` is the number of samples used for errors and correlation, ``failed`` that of the
    others. Positive ``bias`` is overscoring. ``correlation`` is Pearson's, None if the judge gives
    all samples the same score. ``intervals`` names their methods.
    """

    total_samples: int
    passed_samples: int
    pass_rate: float
    mean_absolute_error: float | None
    max_error: float | None
    bias: float | None
    correlation: float | None
    judged: int
    failed: int
    intervals: "Intervals"


@dataclass(frozen=True, slots=True)
class Intervals:
    """The interval of each figure; None for too little data."""

    pass_rate: Proportion
    mean_absolute_error: Mean | None
    bias: Mean | None
    correlation: Correlation | None


@dataclass(frozen=True)
class CalibrationResult:
    """All results of a judge's calibration; every figure is derived from ``calibration``.

    ``drift`` is the change since the previous one, on the same texts under the same prompt.
    ``halted`` is the reason why the judge was stopped early: then there are no results, and the
    calibration is not stored.
    """

    calibration: Calibration
    samples: tuple[CalibrationSample, ...]
    summary: CalibrationSummary
    drift: Drift | None = None
    halted: str = ""

    @property
    def judge_model_id(self) -> str:
        """The judge."""
        return self.calibration.judge

    @property
    def timestamp(self) -> str:
        """When, in UTC, ISO 8601."""
        return self.calibration.created_at

    @property
    def failures(self) -> tuple[CalibrationSample, ...]:
        """The samples without a judgment."""
        return tuple(sample for sample in self.samples if sample.score is None)

    @cached_property
    def repeat_agreement(self) -> RepeatAgreement | None:
        """The agreement of repeats; None if each sample was judged once."""
        return repeat_agreement(self.calibration.of_role("sample"))

    @cached_property
    def verbosity(self) -> Effect:
        """The effect of double length on the score, with equal content."""
        return verbosity_effect(self.calibration)

    @cached_property
    def injection(self) -> Effect:
        """The effect on the score of an instruction to the judge in the same answer."""
        return injection_effect(self.calibration)

    @cached_property
    def position(self) -> Position | None:
        """The effect of being shown first in pairs; None without pairs."""
        return position_effect(self.calibration)

    @cached_property
    def self_preference(self) -> SelfPreference:
        """The difference between the judge's errors on its own answers and on others'."""
        return own_answers(self.calibration)

    @cached_property
    def nulls(self) -> Nulls | None:
        """The scores of answers without content; None without such answers."""
        return null_answers(self.calibration)

    @cached_property
    def reliability(self) -> tuple[Bin, ...]:
        """The expected score by the judge's score."""
        return reliability([(s.score, s.expected) for s in self.samples if s.score is not None])

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """The agreement among people; None without two of them."""
        return ceiling(self.calibration.of_role("sample"))


def calibration_result(
    calibration: Calibration, *, before: Calibration | None = None
) -> CalibrationResult:
    """Return the result of a calibration's replies; the same digits each time.

    Args:
        calibration: the judge's replies.
        before: an earlier calibration of this judge, on the same texts under the same prompt.

    Raises:
        NotEnoughData: the calibration holds no sample.
    """
    samples = _samples(calibration)
    if not samples:
        raise NotEnoughData("The calibration has no samples.", needed=1, got=0)
    changed = drift(samples, _samples(before), since=before.created_at) if before else None
    return CalibrationResult(calibration, samples, summarise_samples(samples), changed)


def _samples(calibration: Calibration) -> tuple[CalibrationSample, ...]:
    return tuple(_sample(item) for item in calibration.of_role("sample"))


def summarise_samples(samples: Sequence[CalibrationSample]) -> CalibrationSummary:
    """The published figures of these samples, with their intervals."""
    judged = [sample for sample in samples if sample.score is not None]
    errors = [sample.error for sample in judged if sample.error is not None]
    sizes = [abs(error) for error in errors]
    passed = sum(sample.passed for sample in samples)
    share = proportion(passed, len(samples))
    mae = within_scale(weighted_mean(sizes)) if sizes else None
    bias = within_scale(weighted_mean(errors), -1.0) if errors else None
    r = _correlation(judged)
    return CalibrationSummary(
        total_samples=len(samples),
        passed_samples=passed,
        pass_rate=share.share,
        mean_absolute_error=mae.mean if mae else None,
        max_error=max(sizes, default=None),
        bias=bias.mean if bias else None,
        correlation=r.value if r else None,
        judged=len(judged),
        failed=len(samples) - len(judged),
        intervals=Intervals(share, mae, bias, r),
    )


def _sample(item: CalibrationItem) -> CalibrationSample:
    if item.expected is None or item.tolerance is None:
        raise NotEnoughData(f"Sample {item.id!r} has no expected score.", needed=1, got=0)
    score = item.units[0] if item.units else None
    error = None if score is None else score - item.expected
    return CalibrationSample(
        id=item.id,
        kind=item.kind,
        expected=item.expected,
        tolerance=item.tolerance,
        score=score,
        error=error,
        passed=error is not None and abs(error) <= item.tolerance + _ROUNDING,
        failure="" if score is not None else next(iter(item.failures), "") or "no reply",
    )


def _correlation(judged: Sequence[CalibrationSample]) -> Correlation | None:
    """None below three samples."""
    given = [sample.score for sample in judged if sample.score is not None]
    try:
        return pearson([sample.expected for sample in judged], given)
    except NotEnoughData:
        return None
