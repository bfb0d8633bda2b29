"""The workspace that a submission left behind, verified against its task."""

from pathlib import Path

from benchmaker.arenas.agentic.jury import WantedJury, seated
from benchmaker.record.evaluation import Verification
from benchmaker.record.submission import Submission
from benchmaker.sandbox import Isolation
from benchmaker.spec.task import TaskFolder
from benchmaker.store import Store


async def verified(
    store: Store,
    task: TaskFolder,
    workspace: Path,
    *,
    submission: Submission,
    isolation: str | None = None,
    unsafe_local: bool = False,
    wanted: WantedJury | None = None,
) -> Verification:
    """The task's criteria, run over the workspace.

    Raises:
        PrerequisiteError: the isolation that the task asks for is not to be had.
        SpecError: a weaker isolation was asked for than the task does.
    """
    from benchmaker.arenas.agentic.verify import averify  # noqa: PLC0415  only with a workspace

    async with seated(store, task.task, wanted or WantedJury()) as jury:
        return await averify(
            task,
            workspace,
            submission=submission,
            isolation=Isolation(isolation) if isolation else None,
            unsafe_local=unsafe_local,
            jury=jury,
        )
