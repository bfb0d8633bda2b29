"""Every submission of a task with its place, from what the store holds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composed import WORDS, Reason
from benchmaker.analysis.places import Places, best_ranks, part_ranks, places
from benchmaker.arenas.agentic.evaluated import RANKED_PARTS, EvaluatedRow
from benchmaker.record.evaluation import Evaluation, Flag, Review
from benchmaker.record.metrics import Metrics
from benchmaker.spec.agentic_profile import AgenticProfile
from benchmaker.store import Store


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

    Percentiles are the published ones in classic, mid-rank ones in robust. Rankings by a part are
    as published in classic, each place given once; in robust equal scores share the best.
    Quarantined rows and those whose evidence the profile doesn't rank have no place, and move
    nobody.
    """
    known = [row for row in rows if row.submission_id in evaluations]
    order = sorted(known, key=lambda row: row.order)
    found = _Standing.of(order, evaluations, profile)
    made = [
        _row(
            row,
            evaluations[row.submission_id],
            found.place(at),
            snapshot=snapshot,
            flags=flags.get(row.submission_id, ()),
            review=reviews.get(row.submission_id),
        )
        for at, row in enumerate(order)
    ]
    return tuple(sorted(made, key=lambda row: row.rank or len(made) + 1))


class PartPlace(NamedTuple):
    """The places of one submission by its parts, and those of both ends of its composite."""

    rankings: Mapping[str, int]
    interval: tuple[int, int]


def part_place(store: Store, one: Evaluation, profile: AgenticProfile) -> PartPlace | None:
    """The same for one submission; None where it is not ranked, or its task has too many."""
    ranked = store.agentic.ranked_parts(profile.id, one.task_id, evidence=profile.evidence)
    own = [at for at, it in enumerate(ranked) if it.submission_id == one.submission_id]
    if not own:
        return None
    place = _Standing.of_scores(ranked, np.ones(len(ranked), np.bool_), profile).place(own[0])
    return None if place.interval is None else PartPlace(place.rankings, place.interval)


class _Scores(Protocol):
    """The scores by which submissions are ranked."""

    @property
    def overall_score(self) -> float | None:
        """The composite, or its lower end."""

    @property
    def upper(self) -> Mapping[str, float]:
        """The upper ends of those that are ranges."""


class _Place(NamedTuple):
    rank: int | None
    interval: tuple[int, int] | None
    percentile: float | None
    rankings: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Standing:
    """The places of all rows of a task, in their order."""

    overall: Places
    best: NDArray[np.int64]
    by_part: Mapping[str, NDArray[np.int64]]

    @classmethod
    def of(
        cls,
        rows: Sequence[Metrics],
        evaluations: Mapping[str, Evaluation],
        profile: AgenticProfile,
    ) -> "_Standing":
        """Ranked are those with a score, a level of evidence that is ranked and no quarantine."""
        made = [evaluations[row.submission_id] for row in rows]
        can_rank = [not row.quarantined and row.evidence_level in profile.evidence for row in rows]
        return cls.of_scores(made, np.array(can_rank, np.bool_), profile)

    @classmethod
    def of_scores(
        cls, made: Sequence[_Scores], is_ranked: NDArray[np.bool_], profile: AgenticProfile
    ) -> "_Standing":
        """The same from the scores, in the order of their ends."""
        is_classic = profile.family == "classic"
        scores = _column([one.overall_score for one in made])
        highs = _column([one.upper.get("overall", one.overall_score) for one in made])
        kind: Literal["mid", "published"] = "published" if is_classic else "mid"
        group = np.zeros(len(made), np.int64)
        return cls(
            overall=places(scores, group, 1, is_ranked=is_ranked, percentile=kind),
            best=best_ranks(scores, highs, is_ranked),
            by_part={
                name: part_ranks(
                    _column([getattr(one, f"{name}_score") for one in made]),
                    is_ranked,
                    shared=not is_classic,
                )
                for name in RANKED_PARTS
            },
        )

    def place(self, at: int) -> _Place:
        """That of one row."""
        rank, percentile = int(self.overall.rank[at]), float(self.overall.percentile[at])
        by_part = {name: int(ranks[at]) for name, ranks in self.by_part.items() if ranks[at]}
        if not rank:
            return _Place(None, None, None, by_part)
        return _Place(rank, (int(self.best[at]), rank), percentile, by_part)


def _column(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if one is None else one for one in values], np.float64)


def _row(
    row: Metrics,
    one: Evaluation,
    place: _Place,
    *,
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
        rank=place.rank,
        percentile=place.percentile,
        evidence_level=str(row.evidence_level),
        isolation=row.isolation,
        flags=tuple(sorted({flag.kind for flag in flags})),
        review=str(review.state) if review else "",
        reason=one.reason,
        words=_words(one),
        warnings=tuple(detail.get("warnings", ())),
        stand_ins=tuple(detail.get("stand_ins", ())),
        snapshot=snapshot,
        rankings=place.rankings,
        rank_interval=place.interval,
        upper=one.upper,
        provisional=one.provisional,
    )


def _words(one: Evaluation) -> str:
    told = (WORDS[Reason(one.reason)], one.detail.get("detail", ""))
    return ": ".join(part for part in told if part)
