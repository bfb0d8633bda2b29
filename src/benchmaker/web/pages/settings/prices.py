"""Prices of models, and their source."""

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.prices.price_file import FILE, OwnPrices
from benchmaker.providers.prices.price_list import LIST, Entry, PriceList
from benchmaker.providers.prices.rates import RateCard
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.web.accounts.actors import Who, may_see_paths
from benchmaker.web.listing import ROWS, Column, RowPage, all_rows, csv_response, json_response
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="prices")
class PricesPage:
    """Prices of models."""

    routes: ClassVar = router
    title: ClassVar = "Prices"


_LOCK = Lock()


class PriceRow(NamedTuple):
    """A model with its rates, its context size, and the source of its price."""

    model: str
    card: RateCard | None
    context_tokens: int | None
    source: str


def usd(row: PriceRow, kind: str) -> float | None:
    """Return the price of a million tokens of that kind; None if unknown."""
    rate = getattr(row.card, kind) if row.card else None
    return rate.usd if rate else None


COLUMNS: tuple[Column[PriceRow], ...] = (
    Column("model", "Model", lambda row: row.model),
    Column("input", "Input", lambda row: usd(row, "input"), is_number=True),
    Column("output", "Output", lambda row: usd(row, "output"), is_number=True),
    Column("cache_read", "Cache read", lambda row: usd(row, "cache_read"), is_number=True),
    Column("cache_write", "Cache write", lambda row: usd(row, "cache_write"), is_number=True),
    Column("context", "Context", lambda row: row.context_tokens, is_number=True),
    Column("source", "Source", lambda row: row.source),
)


@router.get("/settings/prices")
def prices(request: Request, bench: Bench, who: Who) -> Response:
    """The list, the reader's own file, and models by name; its folder for admins alone."""
    view = read_view(request)
    own = OwnPrices.read(bench.home)
    with _LOCK:
        version = _price_list().version
    return page(
        request,
        "settings/prices",
        title="Prices",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Prices")),
        view=view,
        part=part_of(bench)(view),
        columns=COLUMNS,
        source=LIST,
        version=version,
        file=bench.home / FILE if may_see_paths(who) else FILE,
        own=own,
    )


@router.get("/settings/prices.csv")
def prices_csv(request: Request, bench: Bench) -> Response:
    """The same for a spreadsheet: dollars per million tokens."""
    return csv_response(COLUMNS, all_rows(part_of(bench), read_view(request)), "prices")


@router.get("/settings/prices.json")
def prices_json(request: Request, bench: Bench) -> Response:
    """The same as objects: dollars per million tokens."""
    return json_response(COLUMNS, all_rows(part_of(bench), read_view(request)), "prices")


@cache
def _price_list() -> PriceList:
    return PriceList()


@cache
def _names(providers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str, str], ...]:
    """Return each model string with the list's provider and its own name there, in order."""
    found = (
        (f"{endpoint}/{model}", provider, model)
        for endpoint, provider in providers
        for model in _price_list().models(provider)
    )
    return tuple(sorted(found))


def part_of(bench: Workbench, limit: int = ROWS) -> Callable[[View], RowPage]:
    """Reads a page of models, with their prices, by name."""
    own = OwnPrices.read(bench.home)
    known = endpoints_of(bench.home).values()
    providers = tuple((one.name, one.prices) for one in known if one.prices)

    def part(view: View) -> RowPage:
        place = decode_cursor(view.after)
        last = str(place[0]) if place else ""
        with _LOCK:
            names = [*_names(providers), *((name, "", "") for name in own.cards)]
            fitting = sorted(
                one for one in names if one[0] > last and view.q.lower() in one[0].lower()
            )
            rows = [_row(own, *one) for one in fitting[:limit]]
        return RowPage(rows, encode_cursor(rows[-1].model, 0) if len(fitting) > limit else "")

    return part


def _row(own: OwnPrices, name: str, provider: str, model: str) -> PriceRow:
    entry: Entry | None = _price_list().entry(provider, model) if provider else None
    tokens = entry.context_tokens if entry else None
    if card := own.card(name):
        return PriceRow(name, card, tokens, FILE)
    return PriceRow(name, entry.card() if entry else None, tokens, LIST)
