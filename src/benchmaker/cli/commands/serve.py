"""``benchmaker serve``: the workbench in a browser."""

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
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
        "benchmaker serve --link",
        "benchmaker serve --allow-host bench.example.org --trust-proxy 127.0.0.1 --https",
    ),
)
@click.option(
    "--port",
    metavar="N",
    type=WholeNumber(0, 65535),
    default=8600,
    help="Port; 0 picks a free one. Default: 8600.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    help="Address to listen on. Default: 127.0.0.1. Any but a loopback address requires accounts.",
)
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    help="Host name for browsers on other machines; requires accounts. Repeatable.",
)
@click.option(
    "--preview-host",
    "preview",
    metavar="NAME",
    default="",
    help="Second host name of the server, only for previews of generated pages.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Address or network of a trusted proxy; its X-Forwarded-For and X-Forwarded-Proto "
    "headers are used. Repeatable.",
)
@click.option(
    "--https",
    "is_https",
    is_flag=True,
    help="Browsers connect only over HTTPS, through a proxy; cookies are limited to HTTPS.",
)
@click.option(
    "--requests-a-minute",
    metavar="N",
    type=WholeNumber(1, 1_000_000),
    default=_USUAL_RATE,
    help="Rate limit for each person, token or address, with accounts. Default: 1,200.",
)
@click.option(
    "--allow-private",
    is_flag=True,
    help="With accounts: allow models at private addresses, as in a company's own network.",
)
@click.option("--open", "opens", is_flag=True, help="Open the address in the default browser.")
@click.option(
    "--link",
    "is_link",
    is_flag=True,
    help="Start no server: print another address for the running one, valid for 5 minutes and one "
    "session, such as a second browser.",
)
@click.option("--no-worker", is_flag=True, help="Execute no runs; leave them to another worker.")
@click.option(
    "--metrics", is_flag=True, help="Serve /metrics for Prometheus, to this machine only."
)
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
    is_link: bool,
    no_worker: bool,
    metrics: bool,
    pages: tuple[str, ...],
    oidc: OidcOptions,
    log_format: str,
    log_level: str | None,
) -> None:
    """Serve the workbench, for use in a browser.

    The workbench has every feature of the command line, as pages on the same data folder. It
    listens on this machine only and prints an address whose token opens one session in one browser.

    With accounts (benchmaker user add), people sign in instead, and other machines can connect.
    Ctrl-C stops the server; its unfinished runs continue when it or a worker starts again.
    """
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.cli.server.reachability import Reach
    from benchmaker.cli.server.serving import listen_on, new_link, prepare_server

    if is_link:
        link = new_link(context, host, port)
        _say_address(context, link, "The address opens one session, within 5 minutes.")
        _launch(link, opens=opens)
        return
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
        _say_address(context, address.url, f"{address.says} Press Ctrl-C to stop the server.")
        if reach.is_in_the_clear and not context.use_json:
            say("Passwords are sent unencrypted. Put an HTTPS proxy in front, and add --https.")
        _launch(address.url, opens=opens)
        address.run()


def _say_address(context: Context, url: str, note: str) -> None:
    if context.use_json:
        say_json({"address": url})
        return
    say(f"Benchmaker is running at {url}")
    say(note)


def _launch(url: str, *, opens: bool) -> None:
    """Open the address in the default browser, if wanted."""
    if opens and not click.launch(url) == 0:
        raise PrerequisiteError("no browser found to open.", hint=f"Open {url}")
