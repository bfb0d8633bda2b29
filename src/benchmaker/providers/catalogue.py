"""The models that an endpoint offers."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from benchmaker.errors import BadResponse, ProviderError
from benchmaker.providers.endpoints.advice import Advice
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, resolve_model, unknown_endpoint_error
from benchmaker.providers.endpoints.keys import Key, Keys
from benchmaker.providers.live import dialect_of
from benchmaker.providers.network.transport import HttpLimits, Transport
from benchmaker.providers.prices.costs import Prices
from benchmaker.providers.prices.rates import RateCard
from benchmaker.providers.protocols.classify import failure
from benchmaker.providers.protocols.json_body import decode_plain

_OK = 200
_MOST_PAGES = 50
_NO_LIST = frozenset({404, 405})
_CONTEXT = ("context_length", "context_window", "max_context_length", "max_model_len",
            "max_input_tokens", "inputTokenLimit")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """One model of an endpoint: its name there, its context size, its rates if known."""

    id: str
    context_tokens: int | None = None
    rates: RateCard | None = None


async def offers(
    name: str,
    *,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = None,
    home: Path | None = None,
    limits: HttpLimits | None = None,
    transport: Transport | None = None,
) -> tuple[Offer, ...]:
    """The models of the endpoint of that name (or at that base URL), sorted by name.

    Raises:
        SpecError: there is no such endpoint.
        PrerequisiteError: its key is missing.
        ProviderError: it does not answer, or not with a list.
    """
    keys = Keys(environ or {}, dotenv)
    is_url = name.startswith(("http://", "https://"))
    address = f"{name}#any" if is_url else f"{name}/any"
    known = endpoints_of(home)
    if not is_url and name.partition("/")[0] not in known:
        raise unknown_endpoint_error(name, known)
    endpoint, _ = resolve_model(address, known, keys.variables)
    key = keys.key(endpoint)
    head = {"Accept": "application/json", "User-Agent": "benchmaker",
            **dialect_of(endpoint, "any").headers(key.reveal() if key else None)}  # fmt: skip
    network = transport or _network(limits, environ or {})
    try:
        listed = [item async for item in _list_items(endpoint, head, network)]
    except ProviderError as exc:
        exc.message = keys.redactor().text(exc.message)
        exc.args = (exc.message,)
        exc.hint = _hint(exc, endpoint, key)
        raise
    finally:
        if transport is None:
            await network.close()
    prices = Prices(home, keep=False)  # so many models that the file would only grow
    return tuple(sorted((_offer(it, endpoint, prices) for it in listed), key=lambda it: it.id))


def _hint(error: ProviderError, endpoint: Endpoint, key: Key | None) -> str:
    """Return the hint for a failure, without hints about models."""
    if error.status in _NO_LIST and urlsplit(endpoint.base_url).path:
        return "Check the base URL; the endpoint may not list models."
    return Advice(endpoint, "", key.variable if key else None).hint_for(error)


def _network(limits: HttpLimits | None, environ: Mapping[str, str]) -> Transport:
    from benchmaker.providers.network.http import Http  # noqa: PLC0415  aiohttp is slow to load

    return Http(limits, environ=environ)


async def _list_items(
    endpoint: Endpoint, head: Mapping[str, str], network: Transport
) -> AsyncIterator[Mapping[str, Any]]:
    """The items of every page; Anthropic's lists come in pages, the others whole."""
    is_paged = endpoint.protocol == "anthropic"
    path, after = ("/v1/models?limit=1000", "") if is_paged else ("/models", "")
    for _ in range(_MOST_PAGES):
        page = await _page(endpoint.url(path + after), endpoint.host, head, network)
        for item in _items(page):
            yield item
        if not (is_paged and isinstance(page, Mapping) and page.get("has_more")):
            return
        after = f"&after_id={quote(str(page.get('last_id')), safe='')}"


async def _page(url: str, host: str, head: Mapping[str, str], network: Transport) -> Any:  # noqa: ANN401  any JSON
    async with network.request(url, headers=head) as reply:
        if reply.status != _OK:
            raise failure(reply.status, await reply.read_start(), reply.headers, host=host)
        page = decode_plain(await reply.read())
    if not isinstance(page, (list, Mapping)):
        raise BadResponse(f"{host} sent no list of models.")
    return page


def _items(page: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401  any JSON
    found = page if isinstance(page, list) else page.get("data") or page.get("models") or ()
    for item in found if isinstance(found, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("id") or item.get("name"), str):
            yield item


def _offer(item: Mapping[str, Any], endpoint: Endpoint, prices: Prices) -> Offer:
    name = str(item.get("id") or item.get("name")).removeprefix("models/")
    tariff = prices.tariff(endpoint, name, requested=f"{endpoint.name}/{name}")
    said = next((item[field] for field in _CONTEXT if _is_count(item.get(field))), None)
    return Offer(name, said or tariff.context_tokens, tariff.card())


def _is_count(value: Any) -> bool:  # noqa: ANN401  any JSON
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
