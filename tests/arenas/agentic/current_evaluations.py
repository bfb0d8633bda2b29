"""The evaluations of a whole task, computed one by one."""

from collections.abc import Iterator

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.verify.stored_tasks import Tasks
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store


def evaluations_of_task(
    store: Store, profile: AgenticProfile, task_id: str
) -> Iterator[Evaluation]:
    """The current evaluations of a task, in the order in which its submissions arrived."""
    rooms = store.agentic
    snapshot = rooms.snapshot(profile.id, task_id)
    if snapshot is None:
        return
    at_work = ProfileAtWork(profile, Tasks(store).weights())
    waiting = {one.submission_id for page in rooms.arrivals(profile.id, [task_id]) for one in page}
    for row in rooms.metrics(task_id):
        if row.submission_id not in waiting:
            yield at_work.evaluate(row, snapshot)
