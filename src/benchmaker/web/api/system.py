"""The server, its data folder, endpoints and keys, prices, profiles."""

import platform
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import Query

from benchmaker.arenas.agentic.evaluation.profiles import known_profiles
from benchmaker.plugins import list_plugins
from benchmaker.spec import Family
from benchmaker.spec import profile as profile_of
from benchmaker.version import __version__
from benchmaker.web.api.paging import PagedQuery, QueryModel, SearchQuery, Word, page_data, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import system as shapes
from benchmaker.web.arena import model_choices
from benchmaker.web.faults import Missing
from benchmaker.web.pages.settings import endpoints as keys
from benchmaker.web.pages.settings import prices as priced
from benchmaker.web.pages.settings.about import PARTS, folder_size
from benchmaker.web.pages.settings.scoring_profiles import SAID
from benchmaker.web.query import View
from benchmaker.web.workbench import Bench

api = Api("system")
router = api.router


class ModelsQuery(QueryModel):
    """Search for models; an endpoint is queried over the network."""

    q: Word = ""
    endpoint: Word = ""


@api.get("/health", shapes.Health)
def health(bench: Bench) -> Any:  # noqa: ANN401  its shape
    """Check that the server answers and the store can be opened."""
    _ = bench.store
    return {"status": "ok", "version": __version__}


@api.get("/about", shapes.About, name="about")
def server_info(bench: Bench) -> Any:  # noqa: ANN401  its shape
    """Versions, the data folder and its size."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "parts": {name: version(name) for name in PARTS},
        "home": str(bench.home),
        "store": str(bench.store.address),
        "size": folder_size(bench.home)._asdict(),
        "rows": bench.store.row_counts(),
    }


@api.get("/about/check", shapes.StoreCheck, name="check")
def check_store(bench: Bench) -> Any:  # noqa: ANN401  its shape
    """Check the integrity of the store; slow for a large one."""
    found = bench.store.check()
    return {
        "ok": found.is_ok,
        "problems": found.problems,
        "counts": found.counts,
        "revision": found.revision,
        "size_bytes": found.size_bytes,
    }


@api.get("/endpoints", shapes.EndpointPage)
def endpoints(bench: Bench, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List endpoints, and the keys that are set; never a key itself."""
    return part(keys.endpoint_rows(bench), query, _endpoint)


def _endpoint(row: keys.EndpointRow) -> dict[str, Any]:
    it = row.endpoint
    return {
        "name": it.name,
        "protocol": it.protocol,
        "base_url": it.base_url,
        "key_variables": list(it.keys),
        "key_set": next((name for name, is_set in row.keys if is_set), None),
        "needs_key": it.needs_key,
        "local": it.local,
        "fault": row.fault or None,
    }


@api.get("/models", shapes.ModelPage)
def models(bench: Bench, query: Annotated[ModelsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List models: of earlier runs, own endpoints and the price list; or those of an endpoint."""
    found = model_choices.find_models(bench, query.q, query.endpoint)
    items = [
        {"model": one.name, "context": one.context, "price": one.price, "note": one.note}
        for one in found.choices
    ]
    return page_data(items, more=found.more, error=found.error or None)


@api.get("/prices", shapes.PricePage)
def prices(bench: Bench, query: Annotated[SearchQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Dollars per million tokens, by model."""
    found = priced.part_of(bench, query.limit)(View("", q=query.q, after=query.after))
    return page_data(map(_price, found.rows), found.after)


def _price(row: priced.PriceRow) -> dict[str, Any]:
    return {
        "model": row.model,
        **{
            kind: priced.usd(row, kind) for kind in ("input", "output", "cache_read", "cache_write")
        },
        "context_tokens": row.context_tokens,
        "source": row.source,
    }


@api.get("/profiles", shapes.Profiles)
def profiles(bench: Bench) -> Any:  # noqa: ANN401, ARG001  its shape; as all routes have it
    """The profiles that suites name, and the scorers there are."""
    found = [(profile_of(str(family)), SAID[family]) for family in Family]
    made = [{"name": it.name, "version": it.version, "says": says} for it, says in found]
    scorers = [
        {
            "id": one.id,
            "version": one.version,
            "distribution": one.distribution,
            "summary": one.summary,
        }
        for one in list_plugins("scorer")
        if not one.error
    ]
    return page_data(made, scorers=scorers)


@api.get("/agentic/profiles", shapes.AgenticProfilePage)
def agentic_profiles(bench: Bench, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List the profiles of submissions, with their states."""
    return part(list(known_profiles(bench.store).values()), query, lambda one: _profile(*one))


@api.get("/agentic/profiles/{name}", shapes.AgenticProfileOut)
def agentic_profile(bench: Bench, name: Word) -> Any:  # noqa: ANN401  its shape
    """One of them, by its name."""
    found = known_profiles(bench.store).get(name)
    if found is None:
        raise Missing("there is no such profile.", hint="See /api/v1/agentic/profiles.")
    return _profile(*found)


def _profile(document: Any, state: str) -> dict[str, Any]:  # noqa: ANN401  a profile
    return {"id": document.id, "state": state, **document.model_dump(mode="json")}
