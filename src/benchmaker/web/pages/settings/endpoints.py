"""Endpoints, and the keys that are set; never a key itself."""

from typing import ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.errors import BenchmakerError
from benchmaker.plugins import web_page
from benchmaker.providers.endpoints.endpoint_file import FILE, endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, with_base_url
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.web.listing import Column, csv_response, json_response
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="endpoints")
class EndpointsPage:
    """Endpoints and the presence of their keys."""

    routes: ClassVar = router
    title: ClassVar = "Endpoints and keys"


class EndpointRow(NamedTuple):
    """An endpoint with its address, its variables and their presence, and its fault."""

    endpoint: Endpoint
    keys: tuple[tuple[str, bool], ...]
    fault: str = ""

    @property
    def is_ready(self) -> bool:
        """True if all required keys are set."""
        return not self.endpoint.needs_key or any(is_set for _, is_set in self.keys)


COLUMNS: tuple[Column[EndpointRow], ...] = (
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
        rows=list(endpoint_rows(bench)),
        file=FILE,
        dotenv=bench.settings.dotenv is not None,
    )


@router.get("/settings/endpoints.csv")
def endpoints_csv(bench: Bench) -> Response:
    """The same for a spreadsheet."""
    return csv_response(COLUMNS, iter(endpoint_rows(bench)), "endpoints")


@router.get("/settings/endpoints.json")
def endpoints_json(bench: Bench) -> Response:
    """The same as objects."""
    return json_response(COLUMNS, iter(endpoint_rows(bench)), "endpoints")


def endpoint_rows(bench: Workbench) -> list[EndpointRow]:
    """Every endpoint that is known."""
    variables = Keys(bench.settings.environ, bench.settings.dotenv).variables
    reach = EgressPolicy.of(bench.settings.environ)
    rows = []
    for endpoint in endpoints_of(bench.home).values():
        keys = tuple((name, bool(variables.get(name, "").strip())) for name in endpoint.keys)
        try:
            found = with_base_url(endpoint, variables)
        except BenchmakerError as exc:  # a variable with a wrong address spoils no other row
            rows.append(EndpointRow(endpoint, keys, f"{exc.where}: no base URL."))
        else:
            rows.append(EndpointRow(found, keys, _out_of_reach(found, reach)))
    return rows


def _out_of_reach(endpoint: Endpoint, reach: EgressPolicy) -> str:
    """Return the message for an address outside the egress policy of a server with accounts."""
    try:
        reach.check_literal(endpoint.base_url)
    except BenchmakerError:
        return "blocked: private address"
    return ""
