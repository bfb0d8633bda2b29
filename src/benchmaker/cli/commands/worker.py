"""``benchmaker worker``: execute the runs started from pages."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from benchmaker.cli.actions.spans import otel_option, span_export
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.log_lines import log_options, logs_written
from benchmaker.cli.output.output import say_json, tell

if TYPE_CHECKING:
    from benchmaker.arenas.standard.job_handlers import Standard
    from benchmaker.redact import Redactor
    from benchmaker.store import Store

_LOG = logging.getLogger("benchmaker.otel")


@declare("worker", examples=("benchmaker worker", "benchmaker worker --once"))
@click.option("--once", is_flag=True, help="Exit when no job is waiting.")
@click.option("--team", metavar="TEAM", default="main", help="Team to work for, with accounts.")
@click.option(
    "--allow-private",
    is_flag=True,
    help="With accounts: allow models at private addresses, as in a company's own network.",
)
@otel_option
@log_options
def command(
    context: Context,
    *,
    once: bool,
    team: str,
    allow_private: bool,
    otel_endpoint: str | None,
    log_format: str,
    log_level: str | None,
) -> None:
    """Execute runs started in the workbench.

    `benchmaker serve` includes one worker. A worker executes up to 16 runs in parallel; those with
    the same endpoint share its limits evenly, so that a small run does not wait for a long one.
    Further workers have limits of their own; they also run on other machines if the store is
    PostgreSQL. If a worker is killed, the next one resumes its runs. Ctrl-C finishes the requests
    in flight and leaves the rest to other workers. With accounts, a worker serves one team and uses
    that team's secrets.
    """
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.engine.jobs.worker import JobWorker
    from benchmaker.engine.runs.signals import stop_on_signals
    from benchmaker.record.counts import count

    is_read, redactor = log_format == "text", redactor_of(context)

    async def work(standard: "Standard", store: "Store") -> int:
        leaving = asyncio.Event()
        with stop_on_signals(leaving):
            worker = JobWorker(store, standard.job_handlers(), redactor=redactor)
            if not once and is_read:
                tell("Waiting for runs. Ctrl-C ends the worker.")
            return await worker.work(leaving, once=once)

    logs = logs_written(redactor, form=log_format, level=log_level)
    bench = _worker_backend(context, team, redactor, allow_private=allow_private)
    with logs, span_export(otel_endpoint, _LOG.warning), bench as (standard, store):
        ended = asyncio.run(work(standard, store))
    if context.use_json:
        say_json({"ended": ended})
    elif is_read:
        tell(f"{count(ended, 'job')} ended.")


@contextmanager
def _worker_backend(
    context: Context, team: str, redactor: "Redactor", *, allow_private: bool
) -> "Iterator[tuple[Standard, Store]]":
    """Open the executor of jobs and its store: with accounts, those of one team."""
    from benchmaker.arenas.standard.job_handlers import Standard
    from benchmaker.cli.database import home_of

    with home_of(context).open_store() as store:
        if not store.accounts.has_users() and team == "main":
            standard = Standard(context.home, context.store_url, context.environ, context.dotenv)
            yield standard, store
            return
    from benchmaker.web import Settings
    from benchmaker.web.accounts.workbenches import Benches
    from benchmaker.web.workbench import Workbench

    settings = Settings(
        home=context.home,
        store_url=context.store_url,
        environ=context.environ,
        dotenv=context.dotenv,
        works=False,
        allow_private=allow_private,
        hides=redactor,
    )
    root = Workbench(settings, opener=Benches)
    try:
        bench = root.of_team(team)
        yield bench.standard, bench.store
    finally:
        root.close()
