"""``benchmaker control``: pause, resume or change a run in progress."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.base_command import run_argument
from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store, refuse_without_store
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import Number, WholeNumber
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.audit_log import ACTOR, write_down

if TYPE_CHECKING:
    from benchmaker.arenas.standard.controlling import ControlResult


@declare(
    "control",
    examples=(
        "benchmaker control latest --pause",
        "benchmaker control latest --resume --concurrency 20",
        "benchmaker control 20261120-7f3k2m --max-cost 5",
        "benchmaker control latest --drop-model openai/gpt-4o-mini",
        "benchmaker control latest --retry-failed",
    ),
)
@run_argument
@click.option("--pause", is_flag=True, help="Send no new requests; those in flight finish.")
@click.option("--resume", is_flag=True, help="End a pause.")
@click.option(
    "--concurrency",
    metavar="N",
    type=WholeNumber(1, 1_000),
    help="Maximum number of parallel requests over all models.",
)
@click.option(
    "--max-cost",
    "max_cost_usd",
    metavar="USD",
    type=Number(0),
    help="Spending limit in dollars. A limit below the amount spent ends the run.",
)
@click.option(
    "--drop-model",
    "drop_models",
    metavar="NAME",
    multiple=True,
    help="Setup or model that gets no more requests. Repeatable.",
)
@click.option("--retry-failed", is_flag=True, help="Request failed trials of the run again.")
def command(
    context: Context,
    *,
    run: str,
    pause: bool,
    resume: bool,
    concurrency: int | None,
    max_cost_usd: float | None,
    drop_models: tuple[str, ...],
    retry_failed: bool,
) -> ExitCode:
    """Pause, resume or change a run while it is in progress.

    The process that works on the run, such as benchmaker run in another terminal or a server,
    obeys within a second. The command waits up to 5 s for it. Without such a process, the command
    is stored for the next resume. RUN is a run id, a prefix of one, a series, or latest; a command
    to one run of a series applies to the series.

    A paused run keeps its process, which waits. It stays paused if that process ends: workers do
    not start it, and benchmaker resume does.
    """
    from benchmaker.arenas.standard.controlling import send_commands, wanted_commands

    wanted = wanted_commands(
        pause=pause,
        resume=resume,
        concurrency=concurrency,
        max_cost_usd=max_cost_usd,
        drop_models=drop_models,
        retry_failed=retry_failed,
    )
    refuse_without_store(context)
    with open_store(context, read_only=False) as store:
        done = send_commands(store, run, wanted, actor=ACTOR)
    name = done.series_id or done.run_id
    write_down(context, "run.control", name, " ".join(action for action, _ in wanted))
    if context.use_json:
        say_json(done.to_dict())
    else:
        _say(context, done)
    return _exit_code(done)


def _say(context: Context, done: "ControlResult") -> None:
    from benchmaker.report.sentences.sentence import capitalise

    for one in done.commands:
        say(f"{capitalise(one.result, [str(one.value)]).rstrip('.')}.")
    name = done.series_id or done.run_id
    if done.state == "paused":
        tell(f"End the pause with: {context.line('control', name, '--resume')}")
    if not done.is_held:
        tell(f"Resume the run with: {context.line('resume', name)}")


def _exit_code(done: "ControlResult") -> ExitCode:
    if done.is_refused:
        return ExitCode.PREREQUISITE
    return ExitCode.PARTIAL if done.is_unheard else ExitCode.OK
