"""A data folder with many submissions, filled fast: rows go in by thousands, boards are then made.

What lies there is what importing as many sessions would leave, but for traces: submissions, their
figures, the boards of both profiles, and for the first tasks baselines and evaluations, too.
``python crowd.py FOLDER ROWS`` fills one.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from leaderboard import drawn
from sqlalchemy import Table

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import write_boards
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import (
    Cost,
    CriterionResult,
    ModelUsage,
    OutcomeOf,
    Provenance,
    Submission,
    System,
    TaskRef,
    TimeSpent,
    TokenUsage,
)
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store import Store
from benchmaker.store.database.agentic_tables import metric_rows
from benchmaker.store.database.inserts import insert_rows
from benchmaker.store.database.json_values import encode
from benchmaker.store.database.tables import submissions

PROFILES = (OPENING, "classic")
SETTLED = 3
_AT_ONCE = 20_000
_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
_SPAN_S = 300 * 86_400


def fill(home: Path, rows: int, profiles: Sequence[str] = PROFILES) -> None:
    """Fill a data folder that has no store yet, with the boards of these profiles."""
    at_work = ProfileAtWork(BUILT_IN[OPENING])
    with Store.open(home / "benchmaker.db") as store:
        for part in _parts(_within_a_year(drawn(rows).rows(), rows)):
            _insert(store, part, at_work)
        for task in store.agentic.metric_tasks()[:SETTLED]:
            settle_alone(store, at_work, task)
        for name in profiles:
            write_boards(store, ProfileRanking(BUILT_IN[name]))


def fill_task(home: Path, rows: int, task: str, profile: str) -> None:
    """Fill a data folder with submissions to one task, at rest under a profile with its boards."""
    at_work = ProfileAtWork(BUILT_IN[profile])
    with Store.open(home / "benchmaker.db") as store:
        for part in _parts(_within_a_year(drawn(rows).rows(), rows)):
            of_task = [
                msgspec.structs.replace(row, task_id=task, category="debugging") for row in part
            ]
            _insert(store, of_task, at_work)
        settle_tasks(store, at_work, [task])
        write_boards(store, ProfileRanking(BUILT_IN[profile]))


def settle_alone(store: Store, at_work: ProfileAtWork, task: str) -> None:
    """Evaluate a task as if its category had no other."""
    rows = list(store.agentic.metrics(task))
    snapshot = at_work.snapshots(store.agentic.task_columns([task]))[task]
    for at in range(0, len(rows), 1_000):
        made = [at_work.evaluate(row, snapshot) for row in rows[at : at + 1_000]]
        store.agentic.settle(snapshot, made)


def _within_a_year(rows: Iterable[Metrics], count: int) -> Iterator[Metrics]:
    """The same, finished one after the other over most of a year."""
    first = int(_YEAR.timestamp() * 1e6)
    for number, row in enumerate(rows):
        at = first + int(number / count * _SPAN_S * 1e6)
        yield msgspec.structs.replace(row, submission_id=f"{number:032x}", finished_us=at)


def _parts(rows: Iterator[Metrics]) -> Iterator[list[Metrics]]:
    while part := list(islice(rows, _AT_ONCE)):
        yield part


def _insert(store: Store, rows: list[Metrics], at_work: ProfileAtWork) -> None:
    with store.database.write() as connection:
        now = store.database.now_utc()
        insert_rows(connection, submissions, [_submission_row(row, now) for row in rows])
        insert_rows(connection, metric_rows, [_metric_row(row, at_work, now) for row in rows])


def _submission_row(row: Metrics, now: str) -> tuple[Any, ...]:
    it = submission_of(row)
    return _in_order(
        submissions,
        seq=int(row.submission_id, 16) + 1,
        id=it.id,
        revision=1,
        is_newest=1,
        source_sha256=it.source_sha256,
        session_id=it.session_id,
        task_id=row.task_id,
        harness=it.system.harness,
        model=it.system.model,
        started_at=it.started_at,
        finished_at=it.finished_at,
        importer=it.importer,
        importer_version=it.importer_version,
        created_at=now,
        body=encode(it),
    )


def _metric_row(row: Metrics, at_work: ProfileAtWork, now: str) -> tuple[Any, ...]:
    return _in_order(
        metric_rows,
        seq=int(row.submission_id, 16) + 1,
        submission_id=row.submission_id,
        task_id=row.task_id,
        category=row.category,
        input_hash=at_work.input_hash(row),
        updated_at=now,
        body=encode(row),
    )


def _in_order(table: Table, **values: Any) -> tuple[Any, ...]:
    return tuple(values.get(column.name) for column in table.c)


def submission_of(row: Metrics) -> Submission:
    """A session that has these figures."""
    total = int(row.total_tokens or 0)
    usage = TokenUsage(input_uncached=total // 10, cache_read=total * 8 // 10, output=total // 10)
    ended = datetime.fromtimestamp((row.finished_us or 0) / 1e6, UTC)
    passed = row.correctness or 0.0
    criteria = tuple(
        CriterionResult(id=f"check-{n}", result="pass" if n < passed * 4 else "fail", type="tests")
        for n in range(4)
    )
    return Submission(
        id=row.submission_id,
        system=System(harness=row.tool, harness_version="1.4.2", model=row.model),
        task=TaskRef(id=row.task_id, category=row.category, difficulty=row.difficulty),
        session_id=f"session-{row.submission_id}",
        project="shop",
        started_at=_written(ended - timedelta(seconds=row.seconds or 0)),
        finished_at=_written(ended),
        usage=usage,
        usage_by_model=(ModelUsage(model=row.model, usage=usage, llm_calls=12),),
        total_tokens=total,
        llm_calls=12,
        tool_calls=int(row.tool_calls or 0),
        tools_by_name={"bash": 9, "edit": 7, "read": 4},
        iterations=int(row.iterations or 1),
        time=TimeSpent(wall_s=row.seconds),
        cost=Cost(computed_usd=row.cost),
        outcome=OutcomeOf(status=row.outcome, success=row.success, criteria=criteria),
        provenance={"usage": Provenance.IMPORTED, "time": Provenance.IMPORTED},
        evidence_level=row.evidence_level,
        importer="claude-code",
        importer_version="1",
        source_sha256=row.submission_id * 2,
    )


def _written(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    began = time.perf_counter()
    fill(Path(sys.argv[1]), int(sys.argv[2]))
    print(f"{time.perf_counter() - began:.0f} s")
