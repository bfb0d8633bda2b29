"""Evaluations that are computed on demand from figures and a stored baseline.

Only the evaluation on arrival is stored. Every other one, the current one included, is the same
function of figures, baseline and profile.
"""

from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profiles import profiles_by_id
from benchmaker.arenas.agentic.verify.stored_tasks import Tasks
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store


def evaluation_of(
    store: Store, submission_id: str, profile: AgenticProfile, *, snapshot: str | None = None
) -> Evaluation | None:
    """A submission's current evaluation, or the one under an earlier baseline.

    Args:
        store: holds the figures and baselines.
        submission_id: the full id.
        profile: the profile to evaluate under.
        snapshot: the hash of a baseline of its task; the newest by default.

    Returns:
        None where the submission was not evaluated under the profile, or there is no such baseline.
    """
    row = store.agentic.metrics_of(submission_id)
    if row is None or not store.agentic.find_evaluated(profile.id, [submission_id]):
        return None
    return _compute(store, row, ProfileAtWork(profile, Tasks(store).weights()), snapshot)


def evaluations_of_submission(store: Store, submission_id: str) -> dict[str, Evaluation]:
    """Return a submission's current evaluations, by profile.

    For a profile that no longer exists it is the last stored one.
    """
    row = store.agentic.metrics_of(submission_id)
    stored = store.agentic.evaluations_of(submission_id)
    if row is None:
        return stored
    known, own = profiles_by_id(store), Tasks(store).weights()
    found = dict(stored)
    for name in stored:
        if name in known:
            found[name] = _compute(store, row, ProfileAtWork(known[name], own)) or stored[name]
    return found


def _compute(
    store: Store, row: Metrics, at_work: ProfileAtWork, snapshot: str | None = None
) -> Evaluation | None:
    found = store.agentic.snapshot(at_work.profile, row.task_id, digest=snapshot)
    return None if found is None else at_work.evaluate(row, found)
