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
@click.option("--task", metavar="TASK", required=True, help="A task's folder, or its id.")
@click.option(
    "--workspace", type=FILE, metavar="DIR", help="Verify what lies there; an archive will do."
)
@click.option(
    "--isolation",
    type=click.Choice(("none", "process", "namespace", "container")),
    help="The walls to verify in; the task says which it needs at least.",
)
@click.option("--unsafe-local", is_flag=True, help="Verify without walls, if the task allows it.")
@click.option(
    "--judge", "judges", metavar="MODEL", multiple=True, help="Judges by rubrics; repeatable."
)
@moved_judge_option
@executor_option
@profile_option
@click.option("--submitter", metavar="NAME", help="Who hands it in; default is local.")
@click.option("--attempt", metavar="ID", help="The registered attempt that it is the result of.")
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
    """Hand in one session for a task, with the workspace it left behind.

    The session's log is imported. The workspace is never changed: its outputs are graded by the
    task's criteria in a fresh place, in isolation, and the result is verified. Without a workspace
    the verdict is the one that the log carries, if any. Criteria of the kind llm_rubric are
    skipped unless a judge is named or its recorded replies are given. What every criterion came to
    is printed below the row; one that was skipped waits, and is no fail.
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
