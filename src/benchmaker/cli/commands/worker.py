"""``benchmaker worker``: carry out the runs that pages asked for."""

import asyncio

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output import say_json, tell


@declare("worker", examples=("benchmaker worker", "benchmaker worker --once"))
@click.option("--once", is_flag=True, help="End when no job is waiting.")
def command(context: Context, *, once: bool) -> None:
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

    standard = Standard(context.home, context.store_url, context.environ, context.dotenv)

    async def work() -> int:
        leaving = asyncio.Event()
        with place_of(context).opened() as store, stopping(leaving):
            worker = Worker(store, standard.works(), redactor=redactor_of(context))
            if not once:
                tell("Waiting for runs. Ctrl-C ends the worker.")
            return await worker.work(leaving, once=once)

    ended = asyncio.run(work())
    if context.use_json:
        say_json({"ended": ended})
    else:
        tell(f"{count(ended, 'job')} ended.")
