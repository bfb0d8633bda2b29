"""Models to choose from: used ones, those of the price list, those of an endpoint."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmaker.errors import BenchmakerError
from benchmaker.providers.catalogue import Offer, offers
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, resolve_model
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.prices.costs import Prices
from benchmaker.providers.prices.price_list import PriceList
from benchmaker.providers.prices.rates import Rate, RateCard
from benchmaker.providers.registered import is_registered, registered_ids
from benchmaker.report.tables import numbers
from benchmaker.store.runs.change_feed import has_words
from benchmaker.web.workbench import Workbench

MOST = 30
_FIRST = 8
_PATIENCE_S = 8.0


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """An available model, by its model string."""

    name: str
    context: str = ""
    price: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelMatches:
    """The models found, with remarks.

    ``recorded`` are models of recorded answers alone, which cannot be queried by that name for
    sure.
    """

    choices: tuple[ModelChoice, ...] = ()
    more: int = 0
    error: str = ""
    recorded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """An endpoint in a list of choices: its name, and whether its key is set."""

    name: str
    key: str


def doors(bench: Workbench) -> tuple[EndpointChoice, ...]:
    """The endpoints with the state of their keys, never a key."""
    variables = _keys(bench).variables
    known = endpoints_of(bench.home).values()
    return tuple(EndpointChoice(one.name, _key(one, variables)) for one in known)


def missing_keys(bench: Workbench, models: tuple[str, ...]) -> tuple[str, ...]:
    """Return the variables to set for endpoints of these models without a key."""
    keys, known = _keys(bench), endpoints_of(bench.home)
    missing: dict[str, str] = {}
    for model in models:
        try:
            endpoint, _ = resolve_model(model, known, keys.variables)
        except BenchmakerError:
            continue  # said when the run is put together
        if endpoint.needs_key and not any(keys.variables.get(name) for name in endpoint.keys):
            missing[endpoint.name] = f"{endpoint.name}: set {' or '.join(endpoint.keys)}"
    return tuple(missing.values())


def describe_models(
    bench: Workbench, models: tuple[str, ...], *, keep: bool = True
) -> tuple[ModelChoice, ...]:
    """Return models with known facts; without ``keep`` their prices are not written to a file."""
    prices, known = Prices(bench.home, keep=keep), endpoints_of(bench.home)
    return tuple(_describe_model(model, known, prices) for model in models)


def _describe_model(model: str, known: dict[str, Endpoint], prices: Prices) -> ModelChoice:
    try:
        if is_registered(model, known):
            return ModelChoice(model)
        endpoint, name = resolve_model(model, known)
    except BenchmakerError as exc:
        return ModelChoice(model, note=f"{exc.message} {exc.hint}".strip())
    tariff = prices.tariff(endpoint, name, requested=model)
    return ModelChoice(model, _context(tariff.context_tokens), _price(tariff.card()))


def name_fault(bench: Workbench, model: str) -> str:
    """Return why a name with a slash is no model, in a sentence; empty if it may be one."""
    try:
        if "/" in model and not is_registered(model, known := endpoints_of(bench.home)):
            resolve_model(model, known)
    except BenchmakerError as exc:
        return f"{exc.message[:1].upper()}{exc.message[1:]}"
    return ""


def find_models(bench: Workbench, text: str, endpoint: str) -> ModelMatches:
    """Return the models whose names contain every word of the text.

    Without an endpoint, models come from earlier runs, the lists of the user's own endpoints, and
    the installed price list. With one, only its list of models is requested.
    """
    if endpoint:
        return _endpoint_models(bench, text, endpoint)
    recent = bench.store.change_feed.recent_models()
    known = endpoints_of(bench.home)
    used = [it for it in recent.requested if has_words(it, text) and _is_reachable(it, known)]
    only = [it for it in recent.recorded if has_words(it, text)]
    if not text:
        found = describe_models(bench, tuple(used[:_FIRST]))
        return ModelMatches(found, recorded=tuple(only[:_FIRST]))
    own = {name: it for name, it in _own_models(bench).items() if has_words(name, text)}
    names = list(dict.fromkeys([*used, *own, *_listed_models(bench, text)]))
    found = _describe_found(bench, names[:MOST], own)
    only = [it for it in only if it not in names][:_FIRST]
    return ModelMatches(found, max(0, len(names) - MOST), recorded=tuple(only))


def _own_models(bench: Workbench) -> dict[str, Offer]:
    settings = bench.settings
    return bench.own_models.find(bench.home, environ=settings.environ, dotenv=settings.dotenv)


def _describe_found(
    bench: Workbench, names: Sequence[str], own: Mapping[str, Offer]
) -> tuple[ModelChoice, ...]:
    """Return the models with the facts of their endpoint's list, else those of the price list."""
    others = describe_models(bench, tuple(it for it in names if it not in own), keep=False)
    found = {it.name: it for it in others}
    return tuple(_describe_offer(name, own[name]) if name in own else found[name] for name in names)


def _is_reachable(model: str, known: dict[str, Endpoint]) -> bool:
    try:
        if not is_registered(model, known):
            resolve_model(model, known)
    except BenchmakerError:
        return False
    return True


def _listed_models(bench: Workbench, text: str) -> Iterator[str]:
    listed = PriceList(bench.home)
    known = endpoints_of(bench.home)
    yield from (name for name in registered_ids(known) if has_words(name, text))
    for endpoint in known.values():
        if endpoint.prices:
            for model in listed.models(endpoint.prices):
                name = f"{endpoint.name}/{model}"
                if has_words(name, text):
                    yield name


def _endpoint_models(bench: Workbench, text: str, endpoint: str) -> ModelMatches:
    settings = bench.settings
    limits = HttpLimits(total_s=_PATIENCE_S, first_byte_s=_PATIENCE_S)
    listing = offers(
        endpoint,
        environ=settings.environ,
        dotenv=settings.dotenv,
        home=bench.home,
        limits=limits,
    )
    try:
        all_of_them = asyncio.run(listing)
    except BenchmakerError as exc:
        return ModelMatches(
            error=bench.redactor.text(f"{endpoint}: {exc.message} {exc.hint}".strip())
        )
    is_url = endpoint.startswith(("http://", "https://"))
    join = f"{endpoint}{'#' if is_url else '/'}"
    fitting = [one for one in all_of_them if has_words(f"{join}{one.id}", text)]
    choices = tuple(_describe_offer(f"{join}{one.id}", one) for one in fitting[:MOST])
    return ModelMatches(choices, max(0, len(fitting) - MOST))


def _describe_offer(name: str, offer: Offer) -> ModelChoice:
    return ModelChoice(name, _context(offer.context_tokens), _price(offer.rates))


def _context(tokens: int | None) -> str:
    return "" if tokens is None else f"{numbers.tokens(tokens)} tokens"


def _price(rates: RateCard | None) -> str:
    if rates is None:
        return ""
    return f"{_usd(rates.input)} in, {_usd(rates.output)} out"


def _usd(rate: Rate | None) -> str:
    return "unknown" if rate is None else numbers.money(rate.usd)


def _key(endpoint: Endpoint, variables: Mapping[str, str]) -> str:
    set_one = next((name for name in endpoint.keys if variables.get(name, "").strip()), None)
    if set_one:
        return f"{set_one} is set"
    return f"{endpoint.keys[0]} is not set" if endpoint.needs_key else "no key needed"


def _keys(bench: Workbench) -> Keys:
    return Keys(bench.settings.environ, bench.settings.dotenv)
