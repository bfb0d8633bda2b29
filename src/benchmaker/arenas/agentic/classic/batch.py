"""The published batch: every task's submissions under one baseline."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from benchmaker.arenas.agentic.classic.scores import Plain, calculate_overall_score
from benchmaker.arenas.agentic.classic.time import Now, stamp, utc_now


async def process_evaluation_batch(
    submissions: Sequence[Plain],
    *,
    get_task: Callable[[str], Awaitable[Plain]],
    get_task_baseline: Callable[[str], Awaitable[Plain]],
    update_task_baseline: Callable[[str, list[Plain]], Awaitable[object]],
    now: Now = utc_now,
) -> list[dict[str, Any]]:
    """Evaluate all submissions, task by task in the order of first appearance.

    The baseline of a task is fetched once, before its submissions, and updated after them with this
    batch's submissions only: scores depend on the size of the batches, as published.

    Args:
        submissions: each with ``id`` and ``task_id``.
        get_task: returns the task of an id.
        get_task_baseline: returns the baseline of a task's id.
        update_task_baseline: called with a task's id and its submissions.
        now: the time of ``evaluated_at``, or a function that returns it.
    """
    by_task: dict[str, list[Plain]] = {}
    for submission in submissions:
        by_task.setdefault(submission["task_id"], []).append(submission)
    results = []
    for task_id, group in by_task.items():
        task, baseline = await get_task(task_id), await get_task_baseline(task_id)
        for submission in group:
            evaluation = calculate_overall_score(submission, task, baseline)
            evaluation["submission_id"] = submission["id"]
            evaluation["task_id"] = task_id
            evaluation["evaluated_at"] = stamp(now)
            results.append(evaluation)
        await update_task_baseline(task_id, group)
    return results
