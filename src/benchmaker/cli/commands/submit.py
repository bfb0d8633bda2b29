"""``benchmaker submit``: one session for a task, with the workspace that it left behind."""

from pathlib import Path

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.options import executor_option, moved_judge_option
from benchmaker.cli.output.output import tell
from benchmaker.cli.output.table_formats import profile_option
from benchmaker.cli.server.audit_log import written_down


@declare(
    "submit",
    examples=(
        "benchmaker submit session.jsonl --task tasks/parse-dates --workspace work",
        "benchmaker submit session.jsonl --task parse-dates --profile classic --json",
    ),
)
@click.argument("path", metavar="PATH", type=FILE)
@click.option("--task", metavar="TASK", required=True, help="Task folder or task id.")
@click.option(
    "--workspace", type=FILE, metavar="DIR", help="Workspace to verify: a folder or an archive."
)
@click.option(
    "--isolation",
    type=click.Choice(("none", "process", "namespace", "container")),
    help="Isolation for verification. The task sets the minimum.",
)
@click.option(
    "--unsafe-local", is_flag=True, help="Verify without isolation, if the task allows it."
)
@click.option(
    "--judge", "judges", metavar="MODEL", multiple=True, help="Judge model for rubrics. Repeatable."
)
@moved_judge_option
@executor_option
@profile_option
@click.option("--submitter", metavar="NAME", help="Name of the submitter. Default: local.")
@click.option("--attempt", metavar="ID", help="Registered attempt that this session results from.")
def command(
    context: Context,
    *,
    path: Path,
    task: str,
    workspace: Path | None,
    isolation: str | None,
    unsafe_local: bool,
    judges: tuple[str, ...],
    recorded_judge: Path | None,
    executor: str | None,
    profile: str,
    submitter: str | None,
    attempt: str | None,
) -> ExitCode:
    """Submit a session and its workspace for a task.

    The session's log is imported. The workspace is never changed: its outputs are graded by the
    task's criteria in a fresh, isolated folder, and the result is verified. Without a workspace,
    the verdict is taken from the log, if it has one.

    Criteria of the kind llm_rubric are skipped unless you name a judge or give its recorded
    replies. The result of every criterion is printed below the row. A skipped criterion is pending,
    not failed.
    """
    from benchmaker.arenas.agentic import submit
    from benchmaker.cli.actions.evaluations import Printer, tell_end
    from benchmaker.cli.options.variables import variables

    if unsafe_local:
        from benchmaker.arenas.agentic.verify import UNSAFE_RISK

        tell(UNSAFE_RISK)
    with written_down(context, "submission.add", str(path)) as ids:
        made = submit(
            path,
            task=task,
            workspace=workspace,
            isolation=isolation,
            unsafe_local=unsafe_local,
            executor=executor,
            judges=judges,
            recorded_judge=recorded_judge,
            submitter=submitter,
            attempt=attempt,
            profile=profile,
            home=context.home,
            store=context.store_url,
            environ=variables(context),
        )
        if made.imported:
            ids.extend(it.id for it in made.imported.submissions)
    printer = Printer(context, made.profile)
    printer.task(made.rows)
    printer.end(made)
    return tell_end(context, made)
