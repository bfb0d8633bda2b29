"""``benchmaker serve``: the workbench in a browser."""

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.log_lines import level_of, log_options, logs_written
from benchmaker.cli.output import say, say_json
from benchmaker.errors import PrerequisiteError, SpecError

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@declare("serve", examples=("benchmaker serve", "benchmaker serve --port 8600 --open"))
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8600,
    help="Default 8600; 0 takes a free one.",
)
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", help="A loopback address; default 127.0.0.1."
)
@click.option("--open", "opens", is_flag=True, help="Open the address in the default browser.")
@click.option("--no-worker", is_flag=True, help="Carry out no runs here; another worker does.")
@click.option("--metrics", is_flag=True, help="Answer /metrics to this machine, for Prometheus.")
@log_options
def command(
    context: Context,
    *,
    port: int,
    host: str,
    opens: bool,
    no_worker: bool,
    metrics: bool,
    log_format: str,
    log_level: str | None,
) -> None:
    """Open the workbench in a browser.

    Everything that the command line does, as pages over the same data folder. It listens on this
    machine alone, and prints an address with a token that opens one session in one browser. Ctrl-C
    ends it; runs that it carries out go on when it, or a worker, is started again.
    """
    if host not in _LOOPBACK:
        raise SpecError(
            f"{host} can be reached from other machines, and there are no accounts.",
            hint=f"Serve on one of {', '.join(_LOOPBACK)}, and reach it through a tunnel.",
        )
    from benchmaker.cli.hiding import redactor_of  # noqa: PLC0415
    from benchmaker.cli.serving import listening, served  # noqa: PLC0415  loads the web's parts

    logs = logs_written(redactor_of(context), form=log_format, level=log_level)
    with logs, listening(host, port) as socket:
        least = level_of(log_format, log_level)
        address = served(context, socket, works=not no_worker, metrics=metrics, log_level=least)
        if context.use_json:
            say_json({"address": address.url})
        else:
            say(f"Benchmaker is at {address.url}")
            say("The token opens one session. Ctrl-C ends the server.")
        if opens and not click.launch(address.url) == 0:
            raise PrerequisiteError("no browser could be opened.", hint=f"Open {address.url}")
        address.run()
