"""The routes of an application, and addresses that they answer."""

import re
from collections.abc import Iterator
from functools import cache

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from benchmaker.web.accounts import permissions
from benchmaker.web.accounts.permissions import Need
from benchmaker.web.page_list import PageList, find_pages

MADE_UP = {
    "run": "20991231-nosuch",
    "series": "20991231-nosuch",
    "content": "0" * 64,
    "sha256": "0" * 64,
    "form": "csv",
    "table": "means",
    "name": "20991231-nosuch",
    "task": "no/such",
    "task_id": "no/such",
    "calibration": "nosuch",
    "job": "nosuch",
    "token": "nosuch",
    "digest": "0" * 12,
    "slug": "nosuch",
    "secret": "NOSUCH",
    "user": "nosuch",
}
"""What parameters of addresses are called where nothing is meant; numbers are 1."""

_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")


def api_routes(app: FastAPI) -> Iterator[APIRoute]:
    """Every route, those of included routers too."""
    yield from (it for it in _all(app.routes) if isinstance(it, APIRoute))


def plain_routes(app: FastAPI) -> list[BaseRoute]:
    """What is no route of FastAPI's, and so has none of its dependencies."""
    return [it for it in _all(app.routes) if not isinstance(it, APIRoute)]


def _all(held: list) -> Iterator[BaseRoute]:
    for one in held:
        inner = getattr(one, "original_router", None)
        yield from [one] if inner is None else _all(inner.routes)


def operations(app: FastAPI) -> list[tuple[str, str]]:
    """Each method with each template."""
    found = {(method, it.path) for it in api_routes(app) for method in it.methods}
    return sorted(found | {("GET", it.path) for it in plain_routes(app)})


def need_of(method: str, path: str) -> Need | None:
    """The permission that a route of ours needs."""
    return permissions.need_of(method, path, _pages().by_route)


@cache
def _pages() -> PageList:
    return find_pages()


def filled(template: str, values: dict[str, str]) -> str:
    """An address of a template."""
    return _PARAMETER.sub(lambda it: values.get(it.group(1), "1"), template)
