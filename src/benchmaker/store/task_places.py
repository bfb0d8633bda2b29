"""The place of one submission within its task, counted by the database."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, case, func, not_, or_, select

from benchmaker.store.agentic_tables import evaluations, metric_rows
from benchmaker.store.body import decode
from benchmaker.store.database import Database
from benchmaker.store.text import escape

MOST = 20_000
"""In a task of more submissions no place is counted: that takes too long for a page."""


MOST_PARTS = 2_000
"""In a task of more submissions their parts are not read for a page."""


class RankedParts(msgspec.Struct, frozen=True):
    """The scores of a ranked submission by its parts, and the upper ends of those with a range."""

    submission_id: str
    overall_score: float | None = None
    efficiency_score: float | None = None
    speed_score: float | None = None
    cost_score: float | None = None
    upper: dict[str, float] = {}


class _End(msgspec.Struct):
    finished_us: int | None = None


class TaskPlace(NamedTuple):
    """How many of a task are ranked, and the rank of one of them; None where it is not ranked."""

    rank: int | None
    ranked: int


def place_in_task(
    database: Database,
    submission_id: str,
    profile: str,
    task_id: str,
    *,
    evidence: Iterable[str],
    most: int = MOST,
) -> TaskPlace | None:
    """The place that a submission has now by its overall score; equal scores share the best.

    Ranked is what has a score, a level of evidence among these and no quarantine, as in
    :func:`benchmaker.arenas.agentic.placing.placed`, which makes every place of a task.

    Args:
        database: where evaluations and figures are.
        submission_id: which.
        profile: whose evaluations.
        task_id: within which.
        evidence: the levels that the profile ranks.
        most: None is returned for a task of more.
    """
    newest = _newest(profile, task_id).limit(most + 1).subquery("newest")
    ranked = (
        select(newest.c.submission_id, newest.c.overall)
        .join(metric_rows, metric_rows.c.submission_id == newest.c.submission_id)
        .where(newest.c.overall.is_not(None), *_is_ranked(task_id, evidence))
        .subquery("ranked")
    )
    own = ranked.c.submission_id == escape(submission_id)
    with database.read() as connection:
        if (connection.scalar(select(func.count()).select_from(newest)) or 0) > most:
            return None
        score = connection.scalar(select(ranked.c.overall).where(own))
        is_above = case((ranked.c.overall > score, 1), else_=0) if score is not None else 0
        counted = select(func.count(), func.coalesce(func.sum(is_above), 0)).select_from(ranked)
        count, above = connection.execute(counted).one()
    return TaskPlace(None if score is None else int(above) + 1, int(count))


def ranked_parts_of_task(
    database: Database,
    profile: str,
    task_id: str,
    *,
    evidence: Iterable[str],
    most: int = MOST_PARTS,
) -> tuple[RankedParts, ...]:
    """The ranked submissions of a task, by the end of their work; none of a task of more.

    Args:
        database: where evaluations and figures are.
        profile: whose evaluations.
        task_id: of which task.
        evidence: the levels that the profile ranks.
        most: nothing is returned for a task of more.
    """
    wanted = (
        select(evaluations.c.body, metric_rows.c.body.label("figures"))
        .join(metric_rows, metric_rows.c.submission_id == evaluations.c.submission_id)
        .where(
            evaluations.c.task_id == escape(task_id),
            evaluations.c.profile == escape(profile),
            evaluations.c.is_newest == 1,
            evaluations.c.overall.is_not(None),
            *_is_ranked(task_id, evidence),
        )
        .limit(most + 1)
    )
    with database.read() as connection:
        rows = connection.execute(wanted).all()
    if len(rows) > most:
        return ()
    found = [(decode(row.figures, _End).finished_us, decode(row.body, RankedParts)) for row in rows]
    found.sort(key=lambda it: (it[0] is None, it[0] or 0, it[1].submission_id))
    return tuple(one for _, one in found)


def _is_ranked(task_id: str, evidence: Iterable[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        metric_rows.c.task_id == escape(task_id),
        _says_any("evidence_level", evidence),
        not_(_says("quarantined", "true")),
    )


def _newest(profile: str, task_id: str) -> Select[tuple[str, float]]:
    return select(evaluations.c.submission_id, evaluations.c.overall).where(
        evaluations.c.task_id == escape(task_id),
        evaluations.c.profile == escape(profile),
        evaluations.c.is_newest == 1,
    )


def _says_any(name: str, words: Iterable[str]) -> ColumnElement[bool]:
    return or_(*(_says(name, f'"{word}"') for word in words))


def _says(name: str, value: str) -> ColumnElement[bool]:
    """Whether the figures have this; quotes inside texts are escaped there."""
    return metric_rows.c.body.contains(f'"{name}":{value}', autoescape=True)
