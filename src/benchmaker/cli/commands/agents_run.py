"""``benchmaker agents run``, ``resume`` and ``show``: series of agent trials."""

from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import SECONDS, Number, WholeNumber
from benchmaker.cli.options.options import combine, executor_option
from benchmaker.cli.output.output import reader_may_leave, tell
from benchmaker.cli.output.table_formats import profile_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmaker.arenas.agentic.series.series_results import AgentSeriesResult

_jobs = click.option("--jobs", metavar="N", type=WholeNumber(1, 256), help="Parallel trials.")
_quiet = click.option("--quiet", is_flag=True, help="Hide progress and hints.")
_series = click.argument("series", metavar="[SERIES]", default="latest")
_recording = combine(
    [
        click.option(
            "--record", metavar="FOLDER", type=FILE, help="Record the models' replies to a folder."
        ),
        click.option(
            "--replay",
            metavar="FOLDER",
            type=FILE,
            help="Give the replies recorded in a folder; no model is queried.",
        ),
    ]
)

_isolation = click.option(
    "--isolation",
    type=click.Choice(("namespace", "container")),
    help="Isolation of the agents. Default: namespace where the task allows it, else container; "
    "with harbor:NAME always container.",
)

_plan_options = combine(
    [
        click.option(
            "--agent",
            "agents",
            metavar="AGENT",
            multiple=True,
            required=True,
            help="Agent: a bundled one by name, an adapter file (.toml), command:LINE, "
            "harbor:NAME, oracle, nop or cheat. Repeatable.",
        ),
        click.option(
            "--model",
            "models",
            metavar="NAME",
            multiple=True,
            help="Model, as endpoint/model. Each agent runs with each model. Repeatable.",
        ),
        click.option(
            "--effort",
            "efforts",
            metavar="NAME",
            multiple=True,
            help="Reasoning effort, as the agents name it. Repeatable.",
        ),
        click.option(
            "--attempts",
            metavar="N",
            type=WholeNumber(1, 1000),
            default=1,
            help="Attempts of each system at each task. Default: 1.",
        ),
        click.option(
            "--budget", metavar="USD", type=Number(min=0), help="Maximum cost of the series."
        ),
        click.option(
            "--trial-budget",
            metavar="USD",
            type=Number(min=0),
            help="Maximum cost of each trial, over all its tries.",
        ),
        click.option(
            "--max-requests", metavar="N", type=WholeNumber(1), help="Maximum requests per trial."
        ),
        click.option(
            "--max-tokens", metavar="N", type=WholeNumber(1), help="Maximum tokens per trial."
        ),
        click.option(
            "--max-context",
            metavar="N",
            type=WholeNumber(1),
            help="Maximum tokens of one request with its answer.",
        ),
        click.option(
            "--max-time",
            metavar="S",
            type=SECONDS,
            help="Time limit of each trial in seconds. Default: 1800.",
        ),
    ]
)


@declare(
    "run",
    examples=(
        "benchmaker agents run room-calendar --agent oracle --agent nop",
        (
            "benchmaker agents run tasks/parse-dates --agent claude-code "
            "--model anthropic/claude-opus-4-6 --attempts 5 --budget 20 --trial-budget 0.5 --jobs 4"
        ),
        "benchmaker agents run room-calendar --agent codex --model openai/gpt-5 --dry-run",
    ),
)
@click.argument("tasks", metavar="TASK...", nargs=-1, required=True)
@_plan_options
@_jobs
@_isolation
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    help="Judge model for rubrics, paid for out of --budget. Repeatable.",
)
@executor_option
@profile_option
@_recording
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print the trials, the maximum cost and missing parts; run nothing.",
)
@_quiet
def run(
    context: Context,
    *,
    tasks: tuple[str, ...],
    dry_run: bool,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Run agents on tasks, verify the results and compare the systems.

    A system is an agent with a model and an effort. Each tries each task in the sandbox; its only
    network is a gateway to the model, which meters tokens and cost and enforces the budgets. The
    key never enters the sandbox. Results are verified in a fresh copy of the task, stored as
    submissions and ranked on the boards.

    All systems have their first attempt at all tasks before any has its second. Failures of the
    infrastructure are tried again and never scored. TASK is a task folder or the id of a bundled
    task.
    """
    from benchmaker.arenas.agentic.series.api import propose, run_agents, setting_of
    from benchmaker.arenas.agentic.series.plan import PlannedCaps
    from benchmaker.arenas.agentic.series.readiness import unread_variables
    from benchmaker.cli.actions.agent_series import jobs_note, say_proposal

    caps = PlannedCaps(
        requests=options.pop("max_requests"),
        tokens=options.pop("max_tokens"),
        context_tokens=options.pop("max_context"),
        wall_s=options.pop("max_time"),
    )
    given = {**options, "tasks": tasks, "caps": caps}
    given |= {"jobs": options["jobs"] or 1, "executor": options["executor"] or "local"}
    if dry_run:
        place = (context.home, context.store_url, context.environ, context.dotenv, None)
        folders = {name: given.pop(name) for name in ("record", "replay")}
        setting = setting_of(*place, **folders)
        return say_proposal(context, propose(setting, **given))
    hints = unread_variables(given["models"], context.environ, context.home)
    for note in (*hints, jobs_note(given["jobs"], given["budget"], given["trial_budget"])):
        if note and not quiet:
            tell(note)
    return _perform(context, run_agents, given, action="agents.run", quiet=quiet)


@declare(
    "resume",
    examples=(
        "benchmaker agents resume latest",
        "benchmaker agents resume agents-20261120-7f3k2m --budget 40 --jobs 8",
    ),
)
@_series
@_jobs
@click.option(
    "--budget",
    metavar="USD",
    type=Number(min=0),
    help="Another maximum cost of the series, earlier trials included.",
)
@_recording
@_quiet
def resume_series(
    context: Context,
    *,
    series: str,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Run the trials of a series that are not finished.

    Finished trials are not run again. A killed trial is tried again as the same attempt; the cost
    of earlier tries counts under its caps, the maximum where it is unknown. A trial whose cap is
    used up is not run again. SERIES is an id, the start of one, or
    latest, the default.
    """
    from benchmaker.arenas.agentic.series.api import resume_agents
    from benchmaker.cli.database import refuse_without_series

    refuse_without_series(context)
    given = {"series": series, **options}
    return _perform(context, resume_agents, given, action="agents.resume", quiet=quiet)


@declare(
    "show",
    examples=(
        "benchmaker agents show",
        "benchmaker agents show latest",
        "benchmaker agents show agents-20261120-7f3k2m --json",
    ),
)
@click.argument("series", metavar="[SERIES]", default="")
def show(context: Context, *, series: str) -> None:
    """Show the figures of a series, or list all series.

    With --json, every trial is included: task, system, attempt, tries, outcome, reward, tokens,
    cost and requests. SERIES is an id, the start of one, or latest.
    """
    from benchmaker.arenas.agentic.series.api import agent_series
    from benchmaker.cli.actions.agent_series import say_list, say_result, tell_stops
    from benchmaker.cli.database import open_store, refuse_without_series

    refuse_without_series(context)
    if series:
        made = agent_series(series, home=context.home, store=context.store_url)
        say_result(context, made)
        tell_stops(made)
        return
    with open_store(context) as store:
        say_list(context, store, store.agent_trials.every_series())


def _perform(
    context: Context,
    begin: "Callable[..., AgentSeriesResult]",
    given: dict[str, Any],
    *,
    action: str,
    quiet: bool,
) -> ExitCode:
    """Run a series with its progress, print its figures and the next step."""
    from benchmaker.cli.actions.agent_series import (
        SeriesRelay,
        end_code,
        say_result,
        tell_end,
        tell_stops,
    )
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.cli.output.logs import warnings_on_stderr
    from benchmaker.cli.progress.live import Stop
    from benchmaker.cli.progress.series import series_display
    from benchmaker.cli.server.audit_log import written_down

    relay, record = SeriesRelay(), given["record"]
    recording = () if record is None else ("--record", str(record))
    place: dict[str, Any] = {"home": context.home, "store": context.store_url}
    place |= {"environ": context.environ, "dotenv": context.dotenv}
    try:
        with (
            written_down(context, action, lambda: relay.series),
            warnings_on_stderr(redactor_of(context)),
            series_display(context, quiet=quiet) as show_progress,
        ):
            relay.show = show_progress
            stop = Stop(relay.tell_stop if not quiet else lambda: None)
            made = begin(**given, **place, on_progress=relay, stop=stop)
    except KeyboardInterrupt:
        if relay.series:
            again = context.line("agents", "resume", relay.series, *recording)
            tell(f"Stopped immediately; finished trials are kept. Resume with: {again}")
        return ExitCode.INTERRUPTED
    with reader_may_leave():
        say_result(context, made)
    if quiet:
        tell_stops(made)
    else:
        tell_end(context, made, was_stopped=stop.is_set(), options=recording)
    return end_code(made, was_stopped=stop.is_set())
