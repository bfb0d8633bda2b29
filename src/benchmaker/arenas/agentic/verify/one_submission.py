"""The workspace that a submission left behind, verified against its task."""

from pathlib import Path

from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury, open_jury
from benchmaker.engine.executors.executor_names import worker_source_named
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import Submission
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store


async def verify_workspace(
    store: Store,
    task: TaskFolder,
    workspace: Path,
    *,
    submission: Submission,
    isolation: str | None = None,
    unsafe_local: bool = False,
    wanted: WantedJury | None = None,
    executor: str | None = None,
) -> Verification:
    """Run the task's criteria over the workspace, here or by an executor.

    Raises:
        PrerequisiteError: the isolation required by the task is unavailable at that place.
        SpecError: a weaker isolation than the task's, or judges for a remote verification.
    """
    from benchmaker.arenas.agentic.verify import averify  # noqa: PLC0415  only with a workspace
    from benchmaker.arenas.agentic.verify.workers import VerifyOptions, Work, open_verifier  # noqa: PLC0415  seldom

    level = Isolation(isolation) if isolation else None
    async with worker_source_named(executor) as crew:
        if crew is not None:
            _refuse_judges(wanted)
            options = VerifyOptions(isolation=level, unsafe_local=unsafe_local)
            async with open_verifier(crew, task, options) as there:
                return await there.do(Work(workspace, submission))
    async with open_jury(store, task.task, wanted or WantedJury()) as jury:
        return await averify(
            task,
            workspace,
            submission=submission,
            isolation=level,
            unsafe_local=unsafe_local,
            jury=jury,
        )


def _refuse_judges(wanted: WantedJury | None) -> None:
    if wanted is not None and wanted.is_named:
        raise SpecError("an executor can't query judges.", hint="Remove --executor.")
