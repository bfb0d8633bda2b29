"""Evaluations that are computed when they are asked for, from figures and a stored baseline.

Only the evaluation on arrival is written. Any other, that which counts now among them, is the same
function of figures, baseline and profile.
"""

from collections.abc import Iterator

from benchmaker.arenas.agentic.evaluating import ProfileAtWork
from benchmaker.arenas.agentic.profiles import profiles_by_id
from benchmaker.arenas.agentic.tasks import Tasks
from benchmaker.record.evaluation import Evaluation
from benchmaker.record.metrics import Metrics
from benchmaker.spec.agentic_profile import AgenticProfile
from benchmaker.store import Store


def evaluation_of(
    store: Store, submission_id: str, profile: AgenticProfile, *, snapshot: str | None = None
) -> Evaluation | None:
    """The evaluation of a submission that counts now, or the one under an earlier baseline.

    Args:
        store: where figures and baselines lie.
        submission_id: the full id.
        profile: whose evaluation.
        snapshot: the hash of a baseline of its task; the newest without.

    Returns:
        None where the submission was not evaluated under the profile, or there is no such baseline.
    """
    row = store.agentic.metrics_of(submission_id)
    if row is None or not store.agentic.evaluated(profile.id, [submission_id]):
        return None
    return _computed(store, row, ProfileAtWork(profile, Tasks(store).weights()), snapshot)


def evaluations_of_submission(store: Store, submission_id: str) -> dict[str, Evaluation]:
    """The evaluations of a submission that count now, by profile.

    Under a profile that is not at hand it is the last that was written.
    """
    row = store.agentic.metrics_of(submission_id)
    stored = store.agentic.evaluations_of(submission_id)
    if row is None:
        return stored
    known, own = profiles_by_id(store), Tasks(store).weights()
    found = dict(stored)
    for name in stored:
        if name in known:
            found[name] = _computed(store, row, ProfileAtWork(known[name], own)) or stored[name]
    return found


def evaluations_of_task(
    store: Store, profile: AgenticProfile, task_id: str
) -> Iterator[Evaluation]:
    """The evaluations of a task that count now, in the order in which submissions came."""
    rooms = store.agentic
    snapshot = rooms.snapshot(profile.id, task_id)
    if snapshot is None:
        return
    at_work = ProfileAtWork(profile, Tasks(store).weights())
    waiting = {one.submission_id for page in rooms.arrivals(profile.id, [task_id]) for one in page}
    for row in rooms.metrics(task_id):
        if row.submission_id not in waiting:
            yield at_work.evaluate(row, snapshot)


def _computed(
    store: Store, row: Metrics, at_work: ProfileAtWork, snapshot: str | None = None
) -> Evaluation | None:
    found = store.agentic.snapshot(at_work.profile, row.task_id, digest=snapshot)
    return None if found is None else at_work.evaluate(row, found)
