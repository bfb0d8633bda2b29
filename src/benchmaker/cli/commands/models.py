"""``benchmaker models``: endpoints, their models, and prices."""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import SECONDS
from benchmaker.cli.output.output import say, say_json, say_wrapped, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmaker.providers.catalogue import Offer
    from benchmaker.providers.endpoints.endpoints import Endpoint
    from benchmaker.providers.prices.rates import Rate

_ENDPOINT_HEADS = ("endpoint", "key", "base URL")
_MODEL_HEADS = ("model", "context", "input", "output")
_UNKNOWN = "unknown"


@declare(
    "models",
    examples=(
        "benchmaker models",
        "benchmaker models openrouter",
        "benchmaker models http://localhost:8000/v1 --json",
    ),
)
@click.argument("endpoint", metavar="[ENDPOINT]", required=False)
@click.option(
    "--timeout", metavar="S", type=SECONDS, default=30.0, help="Timeout in seconds. Default: 30."
)
def command(context: Context, *, endpoint: str | None, timeout: float) -> None:
    """List endpoints, or the models and prices of one endpoint.

    ENDPOINT is a name or a base URL. Prices are in dollars per million tokens, from prices.yaml in
    the data folder, else from the installed price list.
    """
    if endpoint is None:
        _list_endpoints(context)
    else:
        _list_models(context, endpoint, timeout)


def _list_endpoints(context: Context) -> None:
    from benchmaker.cli.output.table import format_table, window_width
    from benchmaker.providers.endpoints.endpoint_file import FILE, endpoints_of
    from benchmaker.providers.endpoints.endpoints import unread_base_url, with_base_url
    from benchmaker.providers.endpoints.keys import Keys

    variables = Keys(context.environ, context.dotenv).variables
    found = [with_base_url(one, variables) for one in endpoints_of(context.home).values()]
    for hint in filter(None, (unread_base_url(one, variables) for one in found)):
        tell(hint)
    if context.use_json:
        say_json({"endpoints": [_endpoint_data(one, variables) for one in found]})
        return
    rows = [[one.name, _key(one, variables), one.base_url] for one in found]
    lines = format_table(_ENDPOINT_HEADS, rows)
    for line in lines:
        say(line)
    if any(line.endswith("…") for line in lines):
        say_wrapped(f"Base URLs are cut at {window_width()} columns. --json has them in full.")
    names = ", ".join(one.base_urls[0] for one in found if one.base_urls)
    say_wrapped(f"Set a base URL with {names}.")
    tell(f"Your own endpoints: {context.home / FILE}")
    tell(f"List the models of an endpoint with prices: {context.line('models', 'ENDPOINT')}")


def _endpoint_data(endpoint: "Endpoint", variables: Any) -> dict[str, Any]:  # noqa: ANN401  a mapping
    return {
        "name": endpoint.name,
        "protocol": endpoint.protocol,
        "base_url": endpoint.base_url,
        "key_variables": list(endpoint.keys),
        "key_set": _set_variable(endpoint.keys, variables),
        "base_url_variables": list(endpoint.base_urls),
        "base_url_set": _set_variable(endpoint.base_urls, variables),
        "needs_key": endpoint.needs_key,
        "local": endpoint.local,
    }


def _set_variable(names: "Sequence[str]", variables: Any) -> str | None:  # noqa: ANN401  a mapping
    """The first of these variables that is set, never its value."""
    return next((name for name in names if variables.get(name, "").strip()), None)


def _key(endpoint: "Endpoint", variables: Any) -> str:  # noqa: ANN401  a mapping
    name = _set_variable(endpoint.keys, variables)
    if name:
        return f"{name} is set"
    return f"{endpoint.keys[0]} is not set" if endpoint.needs_key else "none needed"


def _list_models(context: Context, endpoint: str, timeout_s: float) -> None:
    from benchmaker.cli.output.table import format_table
    from benchmaker.providers.catalogue import offers
    from benchmaker.providers.network.transport import HttpLimits

    listing = offers(
        endpoint,
        environ=context.environ,
        dotenv=context.dotenv,
        home=context.home,
        limits=HttpLimits(total_s=timeout_s, first_byte_s=timeout_s),
    )
    found = asyncio.run(listing)
    if context.use_json:
        say_json({"endpoint": endpoint, "models": [_offer_data(endpoint, one) for one in found]})
        return
    if not found:
        say(f"{endpoint} lists no models.")
        return
    rows = [_row(one) for one in found]
    for line in format_table(_MODEL_HEADS, rows, right=[1, 2, 3]):
        say(line)
    say_wrapped("Prices in dollars per million tokens.")


def _offer_data(endpoint: str, offer: "Offer") -> dict[str, Any]:
    rates = offer.rates
    is_url = endpoint.startswith(("http://", "https://"))
    return {
        "id": offer.id,
        "model": f"{endpoint}{'#' if is_url else '/'}{offer.id}",
        "context_tokens": offer.context_tokens,
        "price_known": rates is not None,
        "input_usd_per_million": _usd(rates.input if rates else None),
        "output_usd_per_million": _usd(rates.output if rates else None),
        "steps": _steps(rates.input if rates else None),
    }


def _usd(rate: "Rate | None") -> float | None:
    return None if rate is None else rate.usd


def _steps(rate: "Rate | None") -> list[dict[str, float]]:
    """Input rates of requests beyond a number of input tokens."""
    steps = () if rate is None else rate.steps
    return [{"above_tokens": start, "input_usd_per_million": usd} for start, usd in steps]


def _row(offer: "Offer") -> list[str]:
    from benchmaker.report.tables.numbers import tokens

    context = _UNKNOWN if offer.context_tokens is None else tokens(offer.context_tokens)
    rates = offer.rates
    given, made = (rates.input, rates.output) if rates else (None, None)
    return [offer.id, context, _price(given), _price(made)]


def _price(rate: "Rate | None") -> str:
    from benchmaker.report.tables.numbers import money

    if rate is None:
        return _UNKNOWN
    return f"from {money(rate.usd)}" if rate.steps else money(rate.usd)
