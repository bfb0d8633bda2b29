"""Submissions in files, and what an evaluation of them came to."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.evaluation.profiles import profiles_by_id
from benchmaker.record.submissions.submission import (
    Cost,
    OutcomeOf,
    Status,
    Submission,
    System,
    TaskRef,
    TimeSpent,
    TokenUsage,
)
from benchmaker.store import Store
from tests.arenas.agentic.current_evaluations import evaluations_of_task

TASKS = (("t", "debugging"), ("u", "debugging"), ("v", None))


def the_id(number: int) -> str:
    return f"cli-{number:020x}"


def a_submission(number: int, *, task: str | None = "t", category: str | None = None, **given):
    """A success with every figure, unless said otherwise."""
    usage = TokenUsage(input_uncached=1_000 + 37 * number, output=200 + 11 * (number % 5))
    usual = {
        "id": the_id(number),
        "system": System(harness="cli", model=f"m{number % 3}"),
        "task": TaskRef(id=task, category=category) if task else None,
        "started_at": "2026-02-10T12:00:00.000Z",
        "finished_at": f"2026-02-10T12:{number % 60:02d}:30.000Z",
        "usage": usage,
        "total_tokens": usage.total,
        "tool_calls": 3 + number % 7,
        "iterations": 1 + number % 3,
        "time": TimeSpent(wall_s=30.0 + 7 * number),
        "cost": Cost(reported_usd=0.01 + 0.003 * number),
        "outcome": OutcomeOf(status=Status.COMPLETED, success=number % 4 > 0),
    }
    return Submission(**(usual | given))


def many(count: int):
    """So many submissions to three tasks, two of them of one category."""
    return [
        a_submission(number, task=TASKS[number % 3][0], category=TASKS[number % 3][1])
        for number in range(count)
    ]


def write_submissions(path: Path, submissions: Iterable[Submission]) -> Path:
    """A file with one submission a line."""
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in submissions))
    return path


def rest(home: Path, profile: str):
    """What counts in the end, whatever way led there: snapshots, scores, notices, flags."""
    with Store.open(home / "benchmaker.db") as store:
        rooms = store.agentic
        snapshots = {
            task: found.hash
            for task in rooms.metric_tasks()
            if (found := rooms.snapshot(profile, task))
        }
        scores = {
            one.submission_id: (one.snapshot, one.input_hash, one.overall_score, one.reason)
            for task in rooms.metric_tasks()
            for one in evaluations_of_task(store, profiles_by_id(store)[profile], task)
        }
        notices = sorted(one.message.dedupe_key for one in store.pending_messages(10_000))
        return snapshots, scores, notices
