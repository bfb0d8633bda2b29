"""Every submission of a task with its place, from what the store holds."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from benchmaker.analysis.composed import WORDS, Reason
from benchmaker.analysis.places import Places, places
from benchmaker.arenas.agentic.evaluated import EvaluatedRow
from benchmaker.record.evaluation import Evaluation, Flag, Review
from benchmaker.record.metrics import Metrics
from benchmaker.spec.agentic_profile import AgenticProfile


def placed(
    rows: Sequence[Metrics],
    evaluations: Mapping[str, Evaluation],
    *,
    profile: AgenticProfile,
    snapshot: int | None,
    flags: Mapping[str, Sequence[Flag]],
    reviews: Mapping[str, Review],
) -> tuple[EvaluatedRow, ...]:
    """The rows of one task, by rank; equal ones by the end of their work, then by id.

    Percentiles are the published ones in classic, mid-rank ones in robust. Quarantined rows and
    those whose evidence the profile doesn't rank have no place, and move nobody.
    """
    known = [row for row in rows if row.submission_id in evaluations]
    order = sorted(known, key=lambda row: row.order)
    found = _places(order, evaluations, profile)
    made = [
        _row(
            row,
            evaluations[row.submission_id],
            rank=int(found.rank[at]),
            percentile=float(found.percentile[at]),
            snapshot=snapshot,
            flags=flags.get(row.submission_id, ()),
            review=reviews.get(row.submission_id),
        )
        for at, row in enumerate(order)
    ]
    return tuple(sorted(made, key=lambda row: row.rank or len(made) + 1))


def _places(
    rows: Sequence[Metrics], evaluations: Mapping[str, Evaluation], profile: AgenticProfile
) -> Places:
    scores = [evaluations[row.submission_id].overall_score for row in rows]
    is_ranked = [not row.quarantined and row.evidence_level in profile.evidence for row in rows]
    return places(
        np.array([np.nan if one is None else one for one in scores], np.float64),
        np.zeros(len(rows), np.int64),
        1,
        is_ranked=np.array(is_ranked, np.bool_),
        percentile="published" if profile.family == "classic" else "mid",
    )


def _row(
    row: Metrics,
    one: Evaluation,
    *,
    rank: int,
    percentile: float,
    snapshot: int | None,
    flags: Iterable[Flag],
    review: Review | None,
) -> EvaluatedRow:
    detail: dict[str, Any] = one.detail
    return EvaluatedRow(
        submission_id=one.submission_id,
        task_id=one.task_id,
        system=one.system,
        overall_score=one.overall_score,
        efficiency_score=one.efficiency_score,
        speed_score=one.speed_score,
        cost_score=one.cost_score,
        correctness_score=one.correctness_score,
        adjusted_score=one.adjusted_score,
        rank=rank or None,
        percentile=None if isnan(percentile) else percentile,
        evidence_level=str(row.evidence_level),
        isolation=row.isolation,
        flags=tuple(sorted({flag.kind for flag in flags})),
        review=str(review.state) if review else "",
        reason=one.reason,
        words=_words(one),
        warnings=tuple(detail.get("warnings", ())),
        stand_ins=tuple(detail.get("stand_ins", ())),
        snapshot=snapshot,
    )


def _words(one: Evaluation) -> str:
    told = (WORDS[Reason(one.reason)], one.detail.get("detail", ""))
    return ": ".join(part for part in told if part)
