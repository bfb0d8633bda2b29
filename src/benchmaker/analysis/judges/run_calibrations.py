"""The calibrations behind judges' scores, and changes since then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Self

import numpy as np

from benchmaker.analysis.judges.drift import Drift
from benchmaker.documents import OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.record.calibration import Calibration
from benchmaker.scoring.judged.panel import log_odds_weight

_TIE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCalibration(Document):
    """The calibration of a run's judge, in the figures that a report needs.

    ``right`` of ``samples`` is the number of samples with known scores ordered correctly, see
    :func:`concordant_samples`; ``weight`` is its weight in a panel, before normalisation to 1. Both
    are None if all samples have the same expected score. Figures are from 0 to 1.
    """

    judge: str
    calibration_id: str
    prompt_hash: str
    tier: str
    created_at: str
    judge_version: str
    samples: int
    failed: int
    rating: str
    supported: str
    pass_rate: float
    mean_absolute_error: float | None
    bias: float | None
    correlation: float | None
    right: float | None
    weight: float | None

    @classmethod
    def of(cls, calibration: Calibration) -> Self:
        """Return the calibration's figures for a judge, as recorded by a run."""
        from benchmaker.analysis.judges.calibration import (  # noqa: PLC0415  most runs have no judge
            calibration_result,
        )
        from benchmaker.analysis.judges.calibration_rating import (  # noqa: PLC0415  as above
            interpret_calibration,
        )

        result = calibration_result(calibration)
        summary, rating = result.summary, interpret_calibration(result)
        right = concordant_samples(calibration)
        n = summary.total_samples
        return cls(
            judge=calibration.judge,
            calibration_id=calibration.id,
            prompt_hash=calibration.prompt_hash,
            tier=calibration.tier,
            created_at=calibration.created_at,
            judge_version=calibration.judge_version,
            samples=n,
            failed=summary.failed,
            rating=rating.rating,
            supported=rating.supported,
            pass_rate=summary.pass_rate,
            mean_absolute_error=summary.mean_absolute_error,
            bias=summary.bias,
            correlation=summary.correlation,
            right=right,
            weight=None if right is None else log_odds_weight(right, n),
        )

    @classmethod
    def read(cls, recorded: Mapping[str, Any]) -> Self:
        """Return the figures recorded by a run; unknown fields are ignored."""
        known: dict[str, Any] = {it.name: recorded.get(it.name) for it in fields(cls)}
        return cls(**known)


@dataclass(frozen=True, slots=True)
class NewerCalibration(Document):
    """A later calibration of the same judge under the same prompt.

    ``drift`` compares it with the one that the run rests on, on the samples of both; None where
    these were shown other samples.
    """

    basis: Annotated[RunCalibration, OMITTED]
    drift: Annotated[Drift | None, OMITTED]

    @property
    @listed()
    def calibration_id(self) -> str:
        """The id of the later calibration."""
        return self.basis.calibration_id

    @property
    @listed()
    def created_at(self) -> str:
        """When it was made."""
        return self.basis.created_at

    @property
    @listed()
    def rating(self) -> str:
        """The rating by the newer calibration."""
        return self.basis.rating

    @property
    @listed()
    def supported(self) -> str:
        """The rating that its interval supports."""
        return self.basis.supported

    @property
    @listed()
    def has_drifted(self) -> bool | None:
        """True if the judge scores differently now; None if it cannot be compared."""
        return self.drift.has_drifted if self.drift else None

    @property
    @listed()
    def bias_change(self) -> float | None:
        """The change of its bias."""
        return self.drift.bias.mean if self.drift else None


@dataclass(frozen=True, slots=True)
class JudgeStatus(Document):
    """One judge of a run, with its calibration or the reason for lacking one.

    ``replied_as`` is the provider's name of the model that replied, if reported; ``share`` is the
    judge's weight in a weighted panel.
    """

    judge: str
    basis: Annotated[RunCalibration | None, Key("calibration", after="reason")]
    reason: Annotated[str, Key(after="calibrated", null_if_empty=True)] = ""
    replied_as: NullIfEmpty = ""
    newer: NewerCalibration | None = None
    share: Annotated[float | None, Key("weight")] = None

    @property
    def is_other_version(self) -> bool:
        """True if another version replied than the calibrated one."""
        known = self.basis.judge_version if self.basis else ""
        return bool(known and self.replied_as) and known != self.replied_as

    @property
    @listed("calibrated", after="judge")
    def is_calibrated(self) -> bool:
        """True if exactly this version of the judge was calibrated under this prompt."""
        return self.basis is not None and not self.is_other_version


def concordant_samples(calibration: Calibration) -> float | None:
    """Return the number of samples that the judge orders as expected.

    Of all pairs of samples with different expected scores, the share in which the better one got
    the higher score (Harrell's C), times the number of samples. A tie and a pair without a judgment
    count half, so that a constant, a guessing and a failing judge all get half the samples. None if
    all expected scores are equal. Only the first reply to each sample is used.
    """
    items = [it for it in calibration.of_role("sample") if it.expected is not None]
    worth = np.array([it.expected for it in items], dtype=float)
    first = [it.units[0] if it.units else None for it in items]
    given = np.array([np.nan if unit is None else unit for unit in first], dtype=float)
    right, pairs = 0.0, 0
    for at in range(len(items)):
        below = worth < worth[at]
        gain = given[at] - given[below]
        right += float(np.where(np.isnan(gain) | (gain == 0), _TIE, gain > 0).sum())
        pairs += int(below.sum())
    return len(items) * right / pairs if pairs else None


def panel_shares(models: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return each judge's weight, as shares of 1; empty if one has none, or all are 0."""
    total = sum(weights.get(model, 0.0) for model in models)
    if total <= 0 or any(model not in weights for model in models):
        return {}
    return {model: weights[model] / total for model in models}


def newer_than(basis: RunCalibration, known: Sequence[Calibration]) -> NewerCalibration | None:
    """The newest calibration, if it is not the one that the run is based on.

    Args:
        basis: the calibration that the run is based on.
        known: the judge's calibrations under the same prompt, the newest first.
    """
    if not known or known[0].id == basis.calibration_id:
        return None
    own = next((at for at, it in enumerate(known) if it.id == basis.calibration_id), None)
    if own is None:  # from another store; which one is newer is told by the dates
        if known[0].created_at <= basis.created_at:
            return None
        return NewerCalibration(RunCalibration.of(known[0]), None)
    from benchmaker.analysis.judges.calibration import (  # noqa: PLC0415  as above
        calibration_result,
    )

    before = known[own] if known[own].samples_hash == known[0].samples_hash else None
    return NewerCalibration(
        RunCalibration.of(known[0]), calibration_result(known[0], before=before).drift
    )
