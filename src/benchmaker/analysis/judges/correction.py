"""Estimates of mean human labels: all judged answers, corrected by the few labelled ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.judges.label_map import LabelMap, MapName, learn_map
from benchmaker.analysis.judges.labelled_scores import (
    LEAST_LABELS,
    Floats,
    LabelBasis,
    LabelledRows,
    LabelledScores,
    labels_of,
)
from benchmaker.documents import INLINE, Document, Key, NullIfEmpty
from benchmaker.errors import NotEnoughData
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.corrected import PpiEstimate
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.means.ppi import Lambda, PpiSample, ppi_difference, ppi_mean

Interval = tuple[float, float]

_UNLABELLED = 2
"""So many rows without a label are needed to learn from them."""

_TRUSTS: tuple[Lambda, Lambda] = ("optimal", 0.0)
"""λ of the corrected figure, and of that of the labels alone."""


@dataclass(frozen=True, slots=True)
class CorrectedEstimate(Document):
    """A figure corrected by labels, with the figures by the judge alone and the labels alone.

    All are from 0 to 1, or -1 to 1 for a difference; a figure beyond that is its end. ``value`` and
    ``ci`` are None for too few labels, with the numbers in ``reason``. ``raw`` is the judge's over
    all ``n_judged`` answers, ``labels_only`` the mean of the ``n_labelled`` labels, ``bias`` judge
    minus label. ``trust`` is λ, the weight of the judge. ``narrower`` is the share by which ``ci``
    is narrower than ``labels_only_ci``; below 0 it is wider.
    """

    raw: float | None
    value: Annotated[float | None, Key("corrected")]
    ci: Interval | None
    labels_only: float | None
    labels_only_ci: Interval | None
    bias: float | None
    bias_ci: Interval | None
    trust: float | None
    narrower: Annotated[float | None, Key(after="labels_only_ci")]
    n_labelled: int
    n_judged: int
    n_eff: float | None
    level: Annotated[float, Key(after="ci")]
    method: NullIfEmpty
    reason: NullIfEmpty = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrectedMean(Document):
    """One model's mean."""

    model: str
    estimate: Annotated[CorrectedEstimate, INLINE]


@dataclass(frozen=True, slots=True)
class CorrectedDifference(Document):
    """One model's mean minus another's, over the answers scored for both."""

    model_a: str
    model_b: str
    estimate: Annotated[CorrectedEstimate, INLINE]


@dataclass(frozen=True, slots=True)
class CorrectedMeans(Document):
    """The models' means, best first, with the labels used.

    ``label_map`` describes the prior mapping of scores, None without one.
    """

    models: tuple[CorrectedMean, ...]
    basis: Annotated[LabelBasis, Key("labels")]
    label_map: LabelMap | None = None

    @property
    def is_empty(self) -> bool:
        """True if no model has enough labels."""
        return all(one.estimate.value is None for one in self.models)

    def mean(self, model: str) -> CorrectedEstimate | None:
        """Return one model's mean; None for a model without answers."""
        return next((one.estimate for one in self.models if one.model == model), None)


@dataclass(frozen=True, slots=True)
class CorrectedDifferences(Document):
    """Differences between models, with the labels used; each interval is separate."""

    pairs: tuple[CorrectedDifference, ...]
    basis: Annotated[LabelBasis, Key("labels")]

    @property
    def is_empty(self) -> bool:
        """True if no pair has enough labels."""
        return all(one.estimate.value is None for one in self.pairs)


def corrected_means(
    source: Scored | Iterable[ScoreColumns | HasColumns],
    labels: Iterable[Label] | None = None,
    *,
    cases: CaseWeights | None = None,
    label_map: MapName | None = None,
    level: float = 0.95,
) -> CorrectedMeans:
    """Return estimates of each model's mean label by :func:`~benchmaker.stats.ppi_mean`.

    Only labels of answers drawn at random count; the others are left out and counted. An answer
    that several people labelled has their mean. Cases that share a group, and runs of one case,
    are taken together.

    Args:
        source: the scores: a run's result, columns, or trials.
        labels: labels by people; None for those that are stored with the result.
        cases: the cases to count, with their weights; None for all as they were run.
        label_map: ``linear`` (from 50 labels) or ``isotonic`` (from 200): take scores to people's
            scale before, by a map learnt on other cases.
        level: of the intervals.

    Raises:
        NotEnoughData: no model has ten labels of answers drawn at random; or too few for the map.
        SpecError: there are no labels to take.
    """
    table = columns_of(source, cases)
    made = means_of(table, labels_of(source, labels), label_map=label_map, level=level)
    if made.is_empty:
        most = max((one.estimate.n_labelled for one in made.models), default=0)
        raise NotEnoughData(
            f"Too few labels: no model has more than {count(most, 'labelled answer')} drawn at "
            f"random; {LEAST_LABELS} are needed.",
            needed=LEAST_LABELS,
            got=most,
            hint="Label more with: benchmaker label RUN --share-random 1",
        )
    return made


def means_of(
    columns: ScoreColumns,
    labels: Iterable[Label],
    *,
    label_map: MapName | None = None,
    level: float = 0.95,
) -> CorrectedMeans:
    """The same, a model with too few labels having the reason in place of its mean."""
    raw = mapped = LabelledScores(columns, labels)
    found = None
    if label_map is not None:
        found, scores = learn_map(raw, label_map)
        mapped = raw.with_scores(scores)
    models = [
        CorrectedMean(name, _estimate_mean(mapped.rows_of(name), raw.rows_of(name), level))
        for name in columns.models
    ]
    models.sort(key=lambda one: (-_place(one.estimate), one.model))
    return CorrectedMeans(tuple(models), raw.basis, found)


def corrected_differences(
    source: Scored | Iterable[ScoreColumns | HasColumns],
    labels: Iterable[Label] | None = None,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    cases: CaseWeights | None = None,
    level: float = 0.95,
) -> CorrectedDifferences:
    """Return estimates of differences in labels between models, by PPI++ of paired differences.

    Args:
        source: the scores: a run's result, columns, or trials.
        labels: human labels; None for those stored with the result.
        pairs: pairs of models, the one to subtract second; None for every pair.
        cases: the cases to count, with their weights; None for all, as in the runs.
        level: level of each separate interval.

    Raises:
        SpecError: there are no labels.
    """
    table = columns_of(source, cases)
    side = LabelledScores(table, labels_of(source, labels))
    names = table.models
    wanted = pairs or [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    made = (
        CorrectedDifference(a, b, _estimate_difference(*side.common_rows(a, b), level))
        for a, b in wanted
    )
    return CorrectedDifferences(tuple(made), side.basis)


def _place(one: CorrectedEstimate) -> float:
    """Return the sort key: the corrected figure, or else the judge's."""
    if one.value is not None:
        return one.value
    return -1.0 if one.raw is None else one.raw


class _Sides(NamedTuple):
    """Labels and judge of the labelled rows, and the judge of the others."""

    judged: PpiSample
    weights: tuple[Floats, Floats]
    clusters: tuple[list[int], list[int]] | None


def _sides(rows: LabelledRows) -> _Sides:
    has, share = rows.is_labelled, rows.share
    clusters = (rows.cluster[has].tolist(), rows.cluster[~has].tolist())
    judged = PpiSample(rows.label[has], rows.judge[has], rows.judge[~has])
    return _Sides(judged, (share[has], share[~has]), clusters if rows.is_clustered else None)


def _estimate_mean(rows: LabelledRows, raw: LabelledRows, level: float) -> CorrectedEstimate:
    """A mean; ``raw`` are the same rows before scores were mapped."""
    n = int(rows.is_labelled.sum())
    mean = _mean(raw.judge * raw.share)
    if n < LEAST_LABELS:
        return _too_few_labels(mean, n, len(rows.judge), level, "labelled answers")
    if len(rows.judge) - n < _UNLABELLED:
        has = rows.is_labelled
        return _estimate_from_labels(rows, mean, rows.label[has], rows.judge[has], level, 0.0)
    judged, weights, clusters = _sides(rows)
    found, alone = (
        ppi_mean(
            *judged,
            lambda_=trust,
            interval="wilson",
            weights=weights,
            clusters=clusters,
            level=level,
        )
        for trust in _TRUSTS
    )
    return _estimate(found, alone, mean, len(rows.judge), 0.0)


def _estimate_difference(one: LabelledRows, two: LabelledRows, level: float) -> CorrectedEstimate:
    has = one.is_labelled & two.is_labelled
    one, two = (rows._replace(label=np.where(has, rows.label, np.nan)) for rows in (one, two))
    n, total = int(has.sum()), len(has)
    raw = _mean((one.judge - two.judge) * one.share)
    if n < LEAST_LABELS:
        return _too_few_labels(raw, n, total, level, "cases labelled for both models")
    if total - n < _UNLABELLED:
        labels, judge = one.label - two.label, one.judge - two.judge
        return _estimate_from_labels(one, raw, labels[has], judge[has], level, -1.0)
    a, weights, clusters = _sides(one)
    b = _sides(two).judged
    found, alone = (
        ppi_difference(
            a, b, lambda_=trust, interval="wilson", weights=weights, clusters=clusters, level=level
        )
        for trust in _TRUSTS
    )
    return _estimate(found, alone, raw, total, -1.0)


def _estimate(
    found: PpiEstimate, alone: PpiEstimate, raw: float | None, total: int, low: float
) -> CorrectedEstimate:
    """The corrected figure beside the labels ``alone``, on a scale from ``low`` to 1."""
    return CorrectedEstimate(
        raw=raw,
        value=min(max(found.value, low), 1.0),
        ci=found.interval,
        labels_only=alone.value,
        labels_only_ci=alone.interval,
        bias=found.bias.mean,
        bias_ci=within_scale(found.bias, low - 1.0, 1.0 - low).interval,
        trust=found.lambda_,
        narrower=_relative_narrowing(found.interval, alone.interval),
        n_labelled=found.n,
        n_judged=total,
        n_eff=found.n_eff,
        level=found.level,
        method=found.method,
        reason=found.reason,
        warnings=found.warnings,
    )


def _estimate_from_labels(  # noqa: PLR0917  rows, what is measured of them, and its scale
    rows: LabelledRows, raw: float | None, labels: Floats, judge: Floats, level: float, low: float
) -> CorrectedEstimate:
    """Return the mean of the labels if (nearly) every answer has one.

    A single row without a label is ignored: a variance needs two.
    """
    has = rows.is_labelled
    shares = rows.share[has]
    clusters = rows.cluster[has].tolist() if rows.is_clustered else None
    mean = within_scale(weighted_mean(labels, shares, clusters=clusters, level=level), low)
    bias = within_scale(
        weighted_mean(judge - labels, shares, clusters=clusters, level=level), low - 1.0, 1.0 - low
    )
    return CorrectedEstimate(
        raw=raw,
        value=mean.mean,
        ci=mean.interval,
        labels_only=mean.mean,
        labels_only_ci=mean.interval,
        bias=bias.mean,
        bias_ci=bias.interval,
        trust=0.0,
        narrower=None,
        n_labelled=len(labels),
        n_judged=len(rows.judge),
        n_eff=mean.n_eff,
        level=level,
        method=f"mean of the labels, {mean.method.split(', ', 1)[1]}",
        reason=mean.reason,
        warnings=mean.warnings,
    )


def _too_few_labels(
    raw: float | None, n: int, total: int, level: float, what: str
) -> CorrectedEstimate:
    return CorrectedEstimate(
        raw=raw,
        value=None,
        ci=None,
        labels_only=None,
        labels_only_ci=None,
        bias=None,
        bias_ci=None,
        trust=None,
        narrower=None,
        n_labelled=n,
        n_judged=total,
        n_eff=None,
        level=level,
        method="",
        reason=f"at least {LEAST_LABELS} {what} drawn at random are needed, {n} available",
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _relative_narrowing(ours: Interval | None, alone: Interval | None) -> float | None:
    if ours is None or alone is None or alone[1] == alone[0]:
        return None
    return 1 - (ours[1] - ours[0]) / (alone[1] - alone[0])


def _as_list(ends: Interval | None) -> list[float] | None:
    return None if ends is None else list(ends)
