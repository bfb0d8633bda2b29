"""``benchmaker worker``: carry out the runs that pages asked for."""

import asyncio
import logging

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.log_lines import log_options, logs_written
from benchmaker.cli.output import say_json, tell
from benchmaker.cli.spans import otel_option, spans_told

_LOG = logging.getLogger("benchmaker.otel")


@declare("worker", examples=("benchmaker worker", "benchmaker worker --once"))
@click.option("--once", is_flag=True, help="End when no job is waiting.")
@otel_option
@log_options
def command(
    context: Context,
    *,
    once: bool,
    otel_endpoint: str | None,
    log_format: str,
    log_level: str | None,
) -> None:
    """Carry out runs that were begun in the workbench.

    `benchmaker serve` has one worker of its own; each further one carries out another run at the
    same time, from another machine too where the store is PostgreSQL. Where a worker is killed,
    the next goes on with its run. Ctrl-C finishes what is in flight and leaves the rest to others.
    """
    from benchmaker.arenas.standard.working import Standard  # noqa: PLC0415  loads the engine
    from benchmaker.cli.database import place_of  # noqa: PLC0415
    from benchmaker.cli.hiding import redactor_of  # noqa: PLC0415
    from benchmaker.engine.jobs import Worker  # noqa: PLC0415
    from benchmaker.engine.signals import stopping  # noqa: PLC0415
    from benchmaker.report.numbers import count  # noqa: PLC0415

    is_read, redactor = log_format == "text", redactor_of(context)
    standard = Standard(context.home, context.store_url, context.environ, context.dotenv)

    async def work() -> int:
        leaving = asyncio.Event()
        with place_of(context).opened() as store, stopping(leaving):
            worker = Worker(store, standard.works(), redactor=redactor)
            if not once and is_read:
                tell("Waiting for runs. Ctrl-C ends the worker.")
            return await worker.work(leaving, once=once)

    logs = logs_written(redactor, form=log_format, level=log_level)
    with logs, spans_told(otel_endpoint, _LOG.warning):
        ended = asyncio.run(work())
    if context.use_json:
        say_json({"ended": ended})
    elif is_read:
        tell(f"{count(ended, 'job')} ended.")
