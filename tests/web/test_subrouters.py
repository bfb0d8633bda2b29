"""Parts of an application that are passed over where an address is none of theirs."""

import pytest
from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import Match

from benchmaker.web.subrouters import subrouter


def scope(path, **more):
    usual = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    return usual | more


@pytest.fixture
def app():
    """Two parts, one of them with a router inside."""
    runs, inner, outer = APIRouter(), APIRouter(), APIRouter()

    @runs.get("/runs")
    @runs.get("/runs/{run_id}")
    def run(run_id=""):
        return run_id

    @inner.get("/agentic/{name}/trace")
    def trace(name):
        return name

    outer.include_router(inner)
    made = FastAPI(dependencies=[Depends(lambda: None)])
    for router in (outer, runs):
        made.include_router(subrouter(router))
    return made


def matches(app, path, **more):
    found = (route.matches(scope(path, **more))[0] for route in app.router.routes)
    return [it for it in found if it is not Match.NONE]


@pytest.mark.parametrize("path", ["/runs", "/runs/7", "/agentic/x/trace"])
def test_every_route_of_a_part_is_found(app, path):
    assert matches(app, path) == [Match.FULL]
    assert matches(app, path, method="DELETE") == [Match.PARTIAL]


@pytest.mark.parametrize("path", ["/", "/run", "/runs/7/8", "/agentic/x", "/other"])
def test_other_addresses_are_of_no_part(app, path):
    assert matches(app, path) == []


def test_below_another_root_all_routes_are_looked_at(app):
    assert matches(app, "/below/runs/7", root_path="/below") == [Match.FULL]


def test_a_part_is_told_by_how_its_addresses_begin():
    router = APIRouter()
    router.add_api_route("/runs/{run_id}", lambda run_id: run_id)
    router.add_api_route("/{anything}", lambda anything: anything)
    assert subrouter(router).beginnings == ("/", "/runs/")
