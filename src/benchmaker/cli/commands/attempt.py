"""``benchmaker attempt``: attempts that are registered before the work, so that all count."""

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.group import Subgroup
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.output import say, say_json
from benchmaker.cli.server.audit_log import write_down


class AttemptGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker attempt register parse-dates --harness claude-code --model opus --count 5",
        "benchmaker attempt list --task parse-dates",
    )


command = AttemptGroup(
    "attempt",
    help="""Register attempts before the work, and list them.

    Submit each result with: benchmaker submit LOG --task TASK --attempt ID. On boards, an attempt
    without a result counts as failed once another one of the same person and system has a result.
    Attempts are never deleted.
    """,
)

_team = click.option("--team", metavar="TEAM", default="main", help="Team. Default: main.")


@declare(
    "register",
    examples=(
        "benchmaker attempt register parse-dates --harness claude-code --model opus",
        "benchmaker attempt register parse-dates --harness claude-code --count 5 --json",
    ),
)
@click.argument("task")
@click.option("--harness", metavar="NAME", required=True, help="Coding tool.")
@click.option("--model", metavar="NAME", help="Language model.")
@click.option("--effort", metavar="NAME", help="Effort level, as the tool names it.")
@click.option(
    "--count",
    metavar="N",
    type=WholeNumber(1, 100),
    default=1,
    help="Number of attempts. Default: 1.",
)
@click.option(
    "--by", metavar="NAME", default="local", help="Name of the submitter. Default: local."
)
@_team
def register(
    context: Context,
    *,
    task: str,
    harness: str,
    model: str | None,
    effort: str | None,
    count: int,
    by: str,
    team: str,
) -> None:
    """Register attempts of a system at a task before the work begins.

    Use the names that the log will contain. The ids are printed on stdout, one per line.
    """
    from benchmaker.arenas.agentic.evaluation.registered_attempts import register as announce
    from benchmaker.cli.server.accounts import team_home
    from benchmaker.record.submissions.submission import System
    from benchmaker.store import Store

    place = team_home(context, team, must_be_there=False)
    with Store.open(place.address) as store:
        system = System(harness=harness, model=model, effort=effort)
        made = announce(store, task, system, count=count, by=by)
    ids = ", ".join(it.id for it in made)
    write_down(context, "attempt.register", ids, task, team=team)
    if context.use_json:
        say_json({"attempts": made})
        return
    for it in made:
        say(it.id)


@declare("list", examples=("benchmaker attempt list", "benchmaker attempt list --task parse-dates"))
@click.option("--task", metavar="TASK", help="Only attempts at this task.")
@click.option("--system", metavar="NAME", help="Only attempts of this system, as boards name it.")
@_team
def list_attempts(context: Context, *, task: str | None, system: str | None, team: str) -> None:
    """List registered attempts with their results."""
    from benchmaker.arenas.agentic.evaluation.registered_attempts import attempt_statuses
    from benchmaker.cli.output.table import format_table
    from benchmaker.cli.server.accounts import team_home
    from benchmaker.store import Store

    place = team_home(context, team)
    with Store.open(place.address, read_only=True) as store:
        found = [it.to_dict() for it in attempt_statuses(store, task=task, system=system)]
    if context.use_json:
        say_json({"attempts": found})
        return
    if not found:
        say("No registered attempts.")
        return
    heads = ["attempt", "task", "system", "number", "by", "result"]
    rows = [
        [
            it["attempt"],
            it["task_id"],
            it["system"],
            f"{it['number']} of {it['of']}",
            it["by"],
            (it["submission_id"] or "none")
            + ("" if it["has_result"] or not it["submission_id"] else ", not counted"),
        ]
        for it in found
    ]
    for line in format_table(heads, rows):
        say(line)


for _one in (register, list_attempts):
    command.add_command(_one)
