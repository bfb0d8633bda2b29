"""Endpoints: where models answer, and which keys are present; never a key."""

from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.errors import BenchmakerError
from benchmaker.providers.endpoints.endpoint_file import FILE, endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, located
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.network.egress import Reach
from benchmaker.web.listing import Column, as_csv, as_json
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


class Row(NamedTuple):
    """An endpoint at its address, its variables with whether each is set, and what is wrong."""

    endpoint: Endpoint
    keys: tuple[tuple[str, bool], ...]
    fault: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked as far as keys go."""
        return not self.endpoint.needs_key or any(is_set for _, is_set in self.keys)


COLUMNS: tuple[Column[Row], ...] = (
    Column("endpoint", "Endpoint", lambda row: row.endpoint.name),
    Column("host", "Host", lambda row: row.endpoint.host),
    Column("protocol", "Protocol", lambda row: row.endpoint.protocol),
    Column("key_variables", "Key variables", lambda row: [name for name, _ in row.keys]),
    Column("key_present", "Key present", lambda row: any(is_set for _, is_set in row.keys)),
    Column("needs_key", "Needs a key", lambda row: row.endpoint.needs_key),
    Column("local", "Local", lambda row: row.endpoint.local),
)


@router.get("/settings/endpoints")
def endpoints(request: Request, bench: Bench) -> Response:
    """Each endpoint with its host and the state of its keys."""
    return page(
        request,
        "settings/endpoints",
        title="Endpoints",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Endpoints")),
        rows=list(rows_of(bench)),
        file=FILE,
        dotenv=bench.settings.dotenv is not None,
    )


@router.get("/settings/endpoints.csv")
def endpoints_csv(bench: Bench) -> Response:
    """The same for a spreadsheet."""
    return as_csv(COLUMNS, iter(rows_of(bench)), "endpoints")


@router.get("/settings/endpoints.json")
def endpoints_json(bench: Bench) -> Response:
    """The same as objects."""
    return as_json(COLUMNS, iter(rows_of(bench)), "endpoints")


def rows_of(bench: Workbench) -> list[Row]:
    """Every endpoint that is known."""
    variables = Keys(bench.settings.environ, bench.settings.dotenv).variables
    reach = Reach.of(bench.settings.environ)
    rows = []
    for endpoint in endpoints_of(bench.home).values():
        keys = tuple((name, bool(variables.get(name, "").strip())) for name in endpoint.keys)
        try:
            found = located(endpoint, variables)
        except BenchmakerError as exc:  # a variable with a wrong address spoils no other row
            rows.append(Row(endpoint, keys, f"{exc.where}: no base URL."))
        else:
            rows.append(Row(found, keys, _out_of_reach(found, reach)))
    return rows


def _out_of_reach(endpoint: Endpoint, reach: Reach) -> str:
    """What a server with accounts says of an address that it reaches for nobody."""
    try:
        reach.check_literal(endpoint.base_url)
    except BenchmakerError:
        return "private address, not asked from here"
    return ""
