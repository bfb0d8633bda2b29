"""A person's answer to a criterion that waits for one."""

import time
from collections.abc import Callable
from pathlib import Path

from benchmaker.arenas.agentic.evaluation.evaluate import (
    EvaluationOptions,
    evaluate_submissions,
    profile_of,
    with_pending_criteria,
)
from benchmaker.arenas.agentic.evaluation.rows import Evaluated, EvaluatedRow
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.store.home import Home


def answer(
    submission: str,
    criterion: str,
    *,
    holds: bool,
    note: str = "",
    actor: str = "local",
    profile: str | Path = OPENING,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> tuple[Verification, Evaluated]:
    """Answer a ``human_review`` of a verified submission; its task then settles again.

    A repeated answer is another verification, and the earlier ones are kept.

    Args:
        submission: its id, or a prefix of it.
        criterion: the id of the criterion.
        holds: whether the criterion is met.
        note: the reason.
        actor: the reviewer.
        profile: the profile to settle under; every other that has boards settles, too.
        home: the data folder.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Returns:
        The verification with the answer, and the submission's evaluation.

    Raises:
        SpecError: the submission was not verified, or the criterion does not await a review.
    """
    from benchmaker.arenas.agentic.verify import with_answer  # noqa: PLC0415  loads the sandbox

    place = Home.of(home, store)
    order = EvaluationOptions(profile=profile_of(place, profile), place=place, clock=clock)
    with place.open_store() as opened:
        name = opened.find_submission(submission)
        before = opened.agentic.verification(name)
        if before is None:
            raise SpecError(
                f"{name} has no verification.",
                hint="Submit its workspace: benchmaker submit LOG --task TASK --workspace DIR",
            )
        made = with_answer(
            before, criterion, holds=holds, note=note, actor=actor, at=SystemClock().now_utc()
        )
        opened.agentic.add_verification(made)
        rows: list[EvaluatedRow] = []
        settled = evaluate_submissions(opened, order, [opened.submission(name)], rows.extend, None)
        own = with_pending_criteria(opened, [row for row in rows if row.submission_id == name])
        graded = Graded.from_store(opened, opened.submission(name))
    return made, Evaluated(order.profile.id, own, settled, graded=graded)
