"""``benchmaker evaluate``: submissions of coding tools, scored against their tasks' baselines."""

from pathlib import Path

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell
from benchmaker.cli.output.table_formats import profile_option
from benchmaker.cli.server.audit_log import written_down


@declare(
    "evaluate",
    examples=(
        "benchmaker evaluate",
        "benchmaker evaluate trials.csv --profile classic --json",
        "benchmaker evaluate runs/ --task tasks/parse-dates --profile my-profile.yaml",
    ),
)
@click.argument("path", metavar="[FILE|FOLDER]", type=FILE, required=False)
@profile_option
@click.option("--task", metavar="TASK", help="Task for logs and rows that name none.")
@click.option("--submitter", metavar="NAME", help="Name of the submitter. Default: local.")
@click.option(
    "--source",
    metavar="NAME",
    default="",
    help="Name that keeps rows apart from those of other sources.",
)
@click.option("--quiet", is_flag=True, help="Hide progress.")
def command(
    context: Context,
    *,
    path: Path | None,
    profile: str,
    task: str | None,
    submitter: str | None,
    source: str,
    quiet: bool,
) -> ExitCode:
    """Score submissions of coding tools against their tasks' baselines.

    Logs, rows and submissions in FILE or FOLDER are imported first; with neither, everything stored
    is evaluated. Repeating the command changes nothing and continues an
    interrupted evaluation. A table that has grown or was corrected never counts twice.

    All submissions to the affected tasks are printed, with their rank or the reason for a missing
    score, and the numbers of new, unchanged and revised submissions among them. The exit code is
    4 if part of the input is unreadable. It is 2 if all of it is, or if it is empty, such as a
    table with only a header.
    """
    from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, batch, profile_of
    from benchmaker.cli.actions.evaluations import EvaluationProgress, Printer, tell_end
    from benchmaker.cli.options.variables import variables
    from benchmaker.store.home import Home

    place = Home.of(context.home, context.store_url)
    document = profile_of(place, profile)
    order = EvaluationOptions(
        profile=document,
        place=place,
        environ=variables(context),
    )
    printer = Printer(context, document.id)
    try:
        with written_down(context, "submission.evaluate", str(path or "all"), document.id):
            made = batch(
                order,
                path,
                task=task,
                submitter=submitter,
                source=source,
                on_task=printer.task,
                on_step=EvaluationProgress(quiet=quiet).update,
            )
    except KeyboardInterrupt:
        words = ("evaluate", *((path,) if path else ()), "--profile", profile)
        tell(f"Interrupted; finished evaluations are kept. Continue with: {context.line(*words)}")
        return ExitCode.INTERRUPTED
    printer.end(made)
    return tell_end(context, made)
