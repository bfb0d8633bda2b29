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
@click.option("--task", metavar="TASK", help="The task of logs and rows that name none.")
@click.option("--submitter", metavar="NAME", help="Who submits them; default is local.")
@click.option("--source", metavar="NAME", default="", help="Keep rows apart from other sources'.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
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

    Logs, rows and submissions in a file or a folder are taken in first; without one, everything
    that is stored is evaluated. Doing it again changes nothing, and goes on where it was
    interrupted; a table that has grown or was corrected never counts twice. Printed are all
    submissions to the tasks that were touched, each with its rank and, where a score is missing,
    the reason, and how many submissions of PATH are new, unchanged and revised.
    The exit code is 4 where something of PATH could not be read, and 2 where nothing of it could,
    or where it is empty, such as a table with a header only.
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
        tell(f"Interrupted; what is done is kept. Go on with: {context.line(*words)}")
        return ExitCode.INTERRUPTED
    printer.end(made)
    return tell_end(context, made)
