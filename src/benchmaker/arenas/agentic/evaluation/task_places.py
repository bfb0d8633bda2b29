"""Places of submissions within their task, under its newest baseline."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.analysis.composite.composite_rows import CompositeRow, composite_rows
from benchmaker.analysis.composite.counting_figures import is_ranked
from benchmaker.analysis.composite.percentiles import Places, part_ranks, places
from benchmaker.analysis.composite.rank_spans import RankSpans, rank_spans
from benchmaker.analysis.composite.row_groups import RowGroups, by_time
from benchmaker.arenas.agentic.evaluation.profile import snapshot_figures
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, of_one_task
from benchmaker.arenas.agentic.evaluation.rows import RANKED_PARTS, EvaluatedRow
from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation, Flag, Review
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store
from benchmaker.structs import shared_fields

MOST = 20_000
"""Maximum number of a task's submissions for showing places; more would take too long."""


class TaskPlace(NamedTuple):
    """The place of one submission among the ``ranked`` ones; None if it has none.

    ``interval`` has the best and the worst place that its composite and those of the others can
    have within their ranges, ``rankings`` the places by part.
    """

    rank: int | None
    interval: tuple[int, int] | None
    percentile: float | None
    rankings: dict[str, int]
    ranked: int


@dataclass(frozen=True, slots=True)
class TaskPlaces:
    """The submissions of a task by finish time, each with its rank.

    Percentiles are as published in classic, mid-rank in robust. Rankings by part give each rank
    once in classic, as published; in robust equal scores share the best rank. Quarantined rows and
    those whose evidence the profile doesn't rank have no rank, and do not affect others.
    ``has_total_alone`` marks rows whose tokens the profile cannot use, since they have a total
    without kinds.
    """

    columns: MetricColumns
    snapshot: BaselineSnapshot
    scores: CompositeColumns
    overall: Places
    spans: RankSpans
    by_part: Mapping[str, NDArray[np.int64]]
    ranked: int
    correctness_weights: NDArray[np.float64] | None
    has_total_alone: NDArray[np.bool_]

    @classmethod
    def of(
        cls, columns: MetricColumns, snapshot: BaselineSnapshot, ranking: ProfileRanking
    ) -> "TaskPlaces":
        """The places of all submissions of one task."""
        ends = by_time(columns.task, len(columns.tasks), columns.finished_us, columns.ids)
        in_order = columns.take(ends.order)
        scores = ranking.composites_under(in_order, snapshot)
        can_rank = is_ranked(in_order, ranking.rules.evidence) & ~in_order.quarantined
        spans = rank_spans(
            in_order,
            scores,
            can_rank,
            lambda names: ranking.composites_under(in_order, snapshot, at_best=names),
        )
        weights = ranking.correctness_weights(of_one_task(in_order, snapshot.task_id))
        alone = in_order.has_total_alone(ranking.rules.tokens)
        return cls._of_scores(in_order, snapshot, scores, can_rank, spans, weights, alone)

    @classmethod
    def _of_scores(  # noqa: PLR0917  private, called once
        cls,
        columns: MetricColumns,
        snapshot: BaselineSnapshot,
        scores: CompositeColumns,
        can_rank: NDArray[np.bool_],
        spans: RankSpans,
        correctness_weights: NDArray[np.float64] | None,
        has_total_alone: NDArray[np.bool_],
    ) -> "TaskPlaces":
        is_classic = scores.family == "classic"
        kind: Literal["mid", "published"] = "published" if is_classic else "mid"
        group = np.zeros(len(columns), np.int64)
        overall = places(scores.overall, group, 1, is_ranked=can_rank, percentile=kind)
        return cls(
            columns=columns,
            snapshot=snapshot,
            scores=scores,
            overall=overall,
            spans=spans,
            by_part={
                name: part_ranks(scores.part(name), can_rank, shared=not is_classic)
                for name in RANKED_PARTS
            },
            ranked=int((overall.rank > 0).sum()),
            correctness_weights=correctness_weights,
            has_total_alone=has_total_alone,
        )

    def numbers(self, ids: Collection[str] | None) -> list[int]:
        """The row numbers of these submissions; of all if None."""
        if ids is None:
            return list(range(len(self.columns)))
        wanted = set(ids)
        return [at for at, one in enumerate(self.columns.ids) if one in wanted]

    def place(self, at: int) -> TaskPlace:
        """The place of the row of that number."""
        rank, best, worst = (int(ranks[at]) for ranks in self.spans)
        percentile = float(self.overall.percentile[at])
        by_part = {name: int(ranks[at]) for name, ranks in self.by_part.items() if ranks[at]}
        if not rank:
            return TaskPlace(None, None, None, by_part, self.ranked)
        return TaskPlace(rank, (best, worst), percentile, by_part, self.ranked)


def places_in_task(
    store: Store, profile: AgenticProfile, task_id: str, *, most: int | None = None
) -> TaskPlaces | None:
    """The places of a task's submissions; None if there are none, or more than ``most``."""
    if most is not None and store.agentic.size_of_task(task_id) > most:
        return None
    columns = store.agentic.task_columns([task_id])
    ranking = ProfileRanking.of_store(store, profile)
    return next(places_in_tasks(store, ranking, columns, [task_id]), None)


def places_in_tasks(
    store: Store, ranking: ProfileRanking, columns: MetricColumns, task_ids: Sequence[str]
) -> Iterator[TaskPlaces]:
    """The places of all submissions to each task that has any; ``columns`` are those of all."""
    snapshots = store.agentic.newest_snapshots(ranking.profile, task_ids)
    by_task = RowGroups.of(columns.task, len(columns.tasks))
    for task_id, start, count in zip(columns.tasks, by_task.start, by_task.count, strict=True):
        if count and task_id in snapshots:
            own = columns.take(by_task.order[start : start + count])
            yield TaskPlaces.of(own, snapshots[task_id], ranking)


def place_in_task(store: Store, profile: AgenticProfile, one: Evaluation) -> TaskPlace | None:
    """The place of a submission within its task; None if the task has more than ``MOST``."""
    found = places_in_task(store, profile, one.task_id, most=MOST)
    own = found.numbers([one.submission_id]) if found is not None else []
    return found.place(own[0]) if found is not None and own else None


def evaluated_rows(
    found: TaskPlaces,
    *,
    ids: Collection[str] | None = None,
    flags: Mapping[str, Iterable[Flag]],
    reviews: Mapping[str, Review],
    row_ids: Mapping[str, str | None],
) -> tuple[EvaluatedRow, ...]:
    """These submissions of a task, by score; equal ones by the end of their work, then by id."""
    order = found.overall.rank.tolist()
    numbers = sorted(found.numbers(ids), key=lambda at: order[at] or len(order) + 1)
    return tuple(_rows(found, numbers, flags, reviews, row_ids))


def _rows(
    found: TaskPlaces,
    numbers: Iterable[int],
    flags: Mapping[str, Iterable[Flag]],
    reviews: Mapping[str, Review],
    row_ids: Mapping[str, str | None],
) -> Iterator[EvaluatedRow]:
    columns, weights = found.columns, found.correctness_weights
    composite = composite_rows(columns, found.scores, snapshot_figures(found.snapshot))
    for at in numbers:
        submission_id = columns.ids[at]
        made, place, review = composite(at), found.place(at), reviews.get(submission_id)
        yield EvaluatedRow(
            submission_id=submission_id,
            row_id=row_ids.get(submission_id),
            task_id=found.snapshot.task_id,
            system=columns.label("system", at) or "",
            rank=place.rank,
            percentile=place.percentile,
            evidence_level=str(EVIDENCE_LEVELS[columns.evidence[at]]),
            isolation=columns.label("isolation", at),
            flags=tuple(sorted({flag.kind for flag in flags.get(submission_id, ())})),
            review=str(review.state) if review else "",
            snapshot=found.snapshot.number,
            rankings=place.rankings,
            rank_interval=place.interval,
            correctness_weight=None if weights is None else float(weights[at]),
            has_total_alone=bool(found.has_total_alone[at]),
            **_scored_fields(made),
        )


def _scored_fields(made: CompositeRow) -> dict[str, Any]:
    """The fields of a row that its composite decides."""
    scores = {f"{name}_score": score for name, score in made.scores.items()}
    return (
        shared_fields(EvaluatedRow, made)
        | scores
        | {"reason": str(made.reason)}
        | {"provisional": made.provisional}
    )
