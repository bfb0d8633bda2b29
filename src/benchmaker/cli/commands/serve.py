"""``benchmaker serve``: the workbench in a browser."""

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.log_lines import level_of, log_options, logs_written
from benchmaker.cli.output.output import say, say_json
from benchmaker.cli.server.oidc import OidcOptions, oidc_options
from benchmaker.errors import PrerequisiteError

_USUAL_RATE = 1_200


@declare(
    "serve",
    examples=(
        "benchmaker serve",
        "benchmaker serve --port 8600 --open",
        "benchmaker serve --allow-host bench.example.org --trust-proxy 127.0.0.1 --https",
    ),
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8600,
    help="Default 8600; 0 takes a free one.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    help="Where it listens; default 127.0.0.1. Any but a loopback address takes accounts.",
)
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    help="A name under which browsers of other machines reach it; takes accounts. Repeatable.",
)
@click.option(
    "--preview-host",
    "preview",
    metavar="NAME",
    default="",
    help="A second name of the same server, for previews of generated pages alone.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="A proxy or a network of them; X-Forwarded-For and -Proto are believed. Repeatable.",
)
@click.option(
    "--https",
    "is_https",
    is_flag=True,
    help="Browsers reach it over HTTPS alone, by a proxy; cookies are kept to that.",
)
@click.option(
    "--requests-a-minute",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    default=_USUAL_RATE,
    help="Of each person, token or address, where there are accounts; default 1,200.",
)
@click.option(
    "--allow-private",
    is_flag=True,
    help="Where there are accounts, ask models at private addresses, too: a company's own network.",
)
@click.option("--open", "opens", is_flag=True, help="Open the address in the default browser.")
@click.option("--no-worker", is_flag=True, help="Carry out no runs here; another worker does.")
@click.option("--metrics", is_flag=True, help="Answer /metrics to this machine, for Prometheus.")
@click.option(
    "--page",
    "pages",
    metavar="MODULE:CLASS",
    multiple=True,
    help="Also serve a page that is not installed, such as outcomes:Outcomes. Repeatable.",
)
@oidc_options
@log_options
def command(
    context: Context,
    *,
    port: int,
    host: str,
    names: tuple[str, ...],
    preview: str,
    proxies: tuple[str, ...],
    is_https: bool,
    requests_a_minute: int,
    allow_private: bool,
    opens: bool,
    no_worker: bool,
    metrics: bool,
    pages: tuple[str, ...],
    oidc: OidcOptions,
    log_format: str,
    log_level: str | None,
) -> None:
    """Open the workbench in a browser.

    Everything that the command line does, as pages over the same data folder. It listens on this
    machine alone, and prints an address with a token that opens one session in one browser. Where
    there are accounts (benchmaker user add), people sign in instead, and other machines may reach
    it. Ctrl-C ends it; runs that it carries out go on when it, or a worker, is started again.
    """
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.cli.server.reachability import Reach
    from benchmaker.cli.server.serving import listen_on, prepare_server

    reach = Reach(host, names, preview=preview, proxies=proxies, is_https=is_https)
    reach.refuse_odd(context)
    hides = redactor_of(context)
    provider = oidc.settings(context)
    if provider is not None:
        hides.learn([provider.client_secret])
    logs = logs_written(hides, form=log_format, level=log_level)
    with logs, listen_on(host, port) as socket:
        least = level_of(log_format, log_level)
        address = prepare_server(
            context,
            socket,
            reach=reach,
            works=not no_worker,
            metrics=metrics,
            pages=pages,
            requests_a_minute=requests_a_minute,
            allow_private=allow_private,
            oidc=provider,
            hides=hides,
            log_level=least,
        )
        if context.use_json:
            say_json({"address": address.url})
        else:
            say(f"Benchmaker is running at {address.url}")
            say(f"{address.says} Press Ctrl-C to stop the server.")
            if reach.is_in_the_clear:
                say("Passwords are sent unencrypted. Put an HTTPS proxy in front, and add --https.")
        if opens and not click.launch(address.url) == 0:
            raise PrerequisiteError("no browser found to open.", hint=f"Open {address.url}")
        address.run()
