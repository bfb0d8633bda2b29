"""``benchmaker verify``: the workspaces of stored submissions, verified as one batch."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.database import refuse_without_store
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.options import executor_option
from benchmaker.cli.output.output import tell
from benchmaker.cli.output.table_formats import profile_option
from benchmaker.cli.server.audit_log import written_down

if TYPE_CHECKING:
    from benchmaker.arenas.agentic import Verified
    from benchmaker.record.submissions.evaluation import Verification


@declare(
    "verify",
    examples=(
        "benchmaker verify workspaces --task tasks/parse-dates",
        "benchmaker verify workspaces --task tasks/parse-dates --executor head:6379",
        "benchmaker verify workspaces --task tasks/parse-dates --again --json",
        "benchmaker verify trial-8a13f0c2d9e4b7561f00 --task tasks/parse-dates",
    ),
)
@click.argument("workspaces", metavar="FOLDER|SUBMISSION", type=FILE)
@click.option("--task", metavar="TASK", required=True, help="Task folder or task id.")
@click.option("--again", is_flag=True, help="Include submissions that are already verified.")
@click.option(
    "--isolation",
    type=click.Choice(("none", "process", "namespace", "container")),
    help="Isolation for verification. The task sets the minimum.",
)
@click.option(
    "--unsafe-local", is_flag=True, help="Verify without isolation, if the task allows it."
)
@profile_option
@executor_option
def command(
    context: Context,
    *,
    workspaces: Path,
    task: str,
    again: bool,
    isolation: str | None,
    unsafe_local: bool,
    profile: str,
    executor: str | None,
) -> ExitCode:
    """Verify the workspaces of stored submissions for one task.

    FOLDER contains a folder or an archive for each submission, named by its id. Each is graded by
    the task's criteria in a fresh, isolated folder, and each result is stored at once. Submissions
    already verified for this exact task are skipped, so the same command continues an interrupted
    batch. Criteria that need a judge are skipped; only benchmaker submit calls judges.

    Instead of a folder, give the id of a submission of benchmaker agents run: the workspace that
    the agent left is verified, for example with a newer version of the task.
    """
    from benchmaker.arenas.agentic import verify_all
    from benchmaker.cli.actions.evaluations import Printer, tell_end

    refuse_without_store(context)
    if unsafe_local:
        from benchmaker.arenas.agentic.verify import UNSAFE_RISK

        tell(UNSAFE_RISK)
    with written_down(context, "submission.verify", str(workspaces), f"task {task}") as ids:
        made = verify_all(
            workspaces if workspaces.exists() else _find_kept(context, str(workspaces)),
            task=task,
            again=again,
            isolation=isolation,
            unsafe_local=unsafe_local,
            executor=executor,
            profile=profile,
            home=context.home,
            store=context.store_url,
            on_verified=_tell_one,
        )
        ids.extend(made.made)
    printer = Printer(context, made.evaluated.profile)
    if made.evaluated.rows:
        printer.task(made.evaluated.rows)
    printer.end(made.evaluated)
    _tell_unverified(made)
    return ExitCode.PARTIAL if made.refused else tell_end(context, made.evaluated)


def _find_kept(context: Context, text: str) -> "Path | dict[str, Path]":
    """The kept workspace by its submission, which an agent left; a folder as it is given."""
    from benchmaker.arenas.agentic.series.workspaces import find_kept_workspace
    from benchmaker.cli.database import open_store
    from benchmaker.errors import SpecError
    from benchmaker.store.home import Home

    with open_store(context) as store:
        try:
            submission = store.find_submission(text)
        except SpecError:
            return Path(text)
    home = Home.of(context.home, context.store_url).home
    kept = find_kept_workspace(home, submission)
    if kept is None:
        raise SpecError(
            f"the workspace of {submission} is not kept.",
            hint="Give a folder with a folder named by the submission.",
        )
    return {submission: kept}


def _tell_one(made: "Verification") -> None:
    words = {True: "verified", False: "failed", None: "no verdict"}
    tell(f"{made.submission_id}: {words[made.success]}")


def _tell_unverified(made: "Verified") -> None:
    if made.known:
        tell(f"Skipped {len(made.known):,} already verified. To verify them again, add --again.")
    for name, why in made.refused.items():
        tell(f"{name} was not verified: {why}")
