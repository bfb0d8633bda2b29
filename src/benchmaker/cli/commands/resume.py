"""``benchmaker resume``: resume an interrupted run."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.actions.gate import gate_of_options, refuse_unknown_metric
from benchmaker.cli.base_command import FILE, run_argument
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store, refuse_without_store
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.garbage_collection import collect_seldom
from benchmaker.cli.options.applicable import refuse_unused_options
from benchmaker.cli.options.options import (
    LIVE_MODELS,
    gate_metric_option,
    run_options,
    verdict_options,
)
from benchmaker.cli.output.output import tell
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.spec import Suite

_MOVED = "Remove it. To give the new place of recorded answers, use --recorded."


@declare(
    "resume",
    examples=(
        "benchmaker resume latest",
        "benchmaker resume 20261120-7f3k2m --retry-failed",
        "benchmaker resume latest --max-cost 5",
        "benchmaker resume latest --model mistral/mistral-small-latest --runs 5",
    ),
)
@run_argument
@click.option("--recorded", metavar="FILE", type=FILE, help="New location of the recorded answers.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help=f"Model to add: {LIVE_MODELS}. Repeatable.",
)
@run_options(
    Calls.RESUME,
    runs="Total number of runs, existing ones included.",
    prompts="Prompt of the suite to add, by its id.",
    efforts="Reasoning effort to add: none, minimal, low, medium, high or xhigh.",
)
@verdict_options
@gate_metric_option
def command(
    context: Context,
    *,
    run: str,
    recorded: Path | None,
    models: tuple[str, ...],
    threshold: float | None,
    gate: str | None,
    gate_metric: str | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Resume a run, or add models or runs to it.

    Stored answers are not requested again. The run keeps its settings (streaming, cache, budget,
    retries, total time of a request) unless you change them. RUN is a run id, a prefix of one, a
    series, or latest.

    A paused run is resumed, too, if no process works on it. To end the pause of a process that
    waits, use benchmaker control RUN --resume.
    """
    collect_seldom()
    from benchmaker.arenas.standard import resume
    from benchmaker.cli.options.run_options import options_of
    from benchmaker.cli.progress.live import perform

    refuse_without_store(context)
    is_recorded = _is_recorded(context, run)
    if recorded is not None and not is_recorded:
        raise SpecError(
            "--recorded has no effect: the answers of this run are not from a file.", hint=_MOVED
        )
    refuse_unused_options(options, recorded=is_recorded, judged=_is_judged(context, run))
    again = partial(
        resume,
        run,
        recorded=recorded,
        add_models=models,
        environ=context.environ,
        options=options_of(context, options),
    )
    held_to = gate_of_options(threshold, gate, gate_metric)
    if gate_metric is not None:
        refuse_unknown_metric(gate_metric, _suite_of(context, run))
    spent_usd = _tell_stored(context, run, retry_failed=bool(options["retry_failed"]), quiet=quiet)
    return perform(
        context, again, action="run.resume", gate=held_to, quiet=quiet, spent_usd=spent_usd
    )


def _suite_of(context: Context, run: str) -> "Suite":
    """The suite of the run, with all its cases."""
    with open_store(context) as store:
        stored = store.suite(store.run(store.resolve(run).run_ids[0]).suite_hash)
        return replace(stored, cases=tuple(stored.cases))


def _is_judged(context: Context, run: str) -> bool:
    """True if the run uses judges."""
    with open_store(context) as store:
        return any(store.run(run_id).judge for run_id in store.resolve(run).run_ids)


def _is_recorded(context: Context, run: str) -> bool:
    """True if the run's answers come from a file."""
    with open_store(context) as store:
        first = store.run(store.resolve(run).run_ids[0])
    return first.provider.get("kind") == "recorded"


def _tell_stored(context: Context, run: str, *, retry_failed: bool, quiet: bool) -> float:
    """Print the numbers of stored trials and of those to be retried; return the known cost."""
    from benchmaker.record.counts import count

    with open_store(context) as store:
        runs = [store.run(run_id) for run_id in store.resolve(run).run_ids]
        stored = sum(store.count_trials(one.id) for one in runs)
        done = sum(store.count_done(one.id, retry_failed=retry_failed) for one in runs)
        spent_usd = store.spent_usd([one.id for one in runs])
    if not quiet:
        planned = count(sum(one.planned for one in runs), "trial")
        again = f", {stored - done:,} of them to be retried" if stored > done else ""
        tell(f"{runs[0].suite_name}: {stored:,} of {planned} stored{again}.")
    return spent_usd
