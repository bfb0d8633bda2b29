"""The pages of a server, found once, in the order in which their routes are matched."""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Final, NamedTuple

from fastapi import APIRouter
from fastapi.routing import APIRoute

from benchmaker import plugins
from benchmaker.plugins import Plugin
from benchmaker.record.account import Actor, Role
from benchmaker.web.page_declaration import DeclaredPage, check_page

_OURS: Final = "benchmaker"
_RESERVED: Final = ("/api/", "/api", "/static/")
_PARAMETER: Final = re.compile(r"\{[^}]*\}")
_LOG = logging.getLogger("benchmaker.web")


class NavigationItem(NamedTuple):
    """An entry of the main navigation, with the key that opens it after ``g``."""

    name: str
    href: str
    key: str
    role: Role = Role.VIEWER

    def is_open_to(self, actor: Actor | None) -> bool:
        """True if the user's role allows reading the page, or if there are no accounts."""
        return actor is None or self.role is Role.VIEWER or actor.role.covers(self.role)


@dataclass(frozen=True)
class PageList:
    """Pages in the order in which their routes are matched, and the plug-ins that failed."""

    pages: tuple[DeclaredPage, ...]
    failures: tuple[Plugin, ...] = ()

    @cached_property
    def navigation(self) -> tuple[NavigationItem, ...]:
        """The main navigation; if two pages claim a key, the first one has it."""
        shown = [one for one in self.pages if one.navigation is not None]
        shown.sort(key=lambda one: one.navigation.position if one.navigation else 0)
        items: list[NavigationItem] = []
        for one in shown:
            if one.navigation is not None:
                place, keys = one.navigation, {item.key for item in items}
                key = "" if place.key in keys else place.key
                items.append(NavigationItem(place.name, one.path, key, one.role))
        return tuple(items)

    def navigation_of(self, actor: Actor | None) -> tuple[NavigationItem, ...]:
        """Return the navigation entries open to a user."""
        return tuple(one for one in self.navigation if one.is_open_to(actor))

    @cached_property
    def _palette(self) -> tuple[NavigationItem, ...]:
        """Further entries of the jump palette, by name."""
        found = (
            NavigationItem(name, href, "", one.role)
            for one in self.pages
            for name, href in one.palette.items()
        )
        return tuple(sorted(found))

    def palette_of(self, actor: Actor | None) -> dict[str, str]:
        """Return the jump palette's pages for a user: names with their addresses."""
        shown = (*self.navigation, *self._palette)
        return {one.name: one.href for one in shown if one.is_open_to(actor)}

    @cached_property
    def by_route(self) -> dict[tuple[str, str], DeclaredPage]:
        """The page of each route, by its method and template."""
        return {
            (method, route.path): one
            for one in self.pages
            for route in one.api_routes
            for method in route.methods or ()
        }


def find_pages(paths: Sequence[str] = (), *, others: Sequence[APIRouter] = ()) -> PageList:
    """Find the built-in pages, those of installed plug-ins, and those at dotted paths.

    Args:
        paths: classes to add, as ``package.module:Class``.
        others: the application's other routers; plug-ins can't use their addresses.

    Raises:
        SpecError: a path names no class.
        PluginError: a page at a path can't be loaded or served.
    """
    found = [one for one in plugins.list_plugins("page") if one.error is None]
    ours = sorted((_load(one) for one in found if one.distribution == _OURS), key=_order)
    known = [route for router in others for route in router.routes if isinstance(route, APIRoute)]
    known += [route for one in ours for route in one.api_routes]
    failures = [one for one in plugins.list_plugins("page") if one.error is not None]
    pages = [*ours]
    for plugin in found:
        if plugin.distribution != _OURS:
            made = _load(plugin)
            if taken := _taken_by(made, known):
                failures.append(replace(plugin, error=f"the address {taken} is taken"))
                continue
            pages.append(made)
            known += made.api_routes
    _report(failures)
    return PageList((*pages, *_at_paths(paths, pages)), tuple(failures))


def _load(plugin: Plugin) -> DeclaredPage:
    return DeclaredPage.of(plugins.load("page", plugin.target))


def _order(page: DeclaredPage) -> tuple[float, str]:
    """Fixed addresses first, then those whose first parameter is furthest to the right.

    So ``/suites/new`` is tried before ``/suites/{content}``, whatever the modules are called.
    """
    return -min((_depth(route.path) for route in page.api_routes), default=inf), page.id


def _depth(template: str) -> float:
    """The position of the first segment with a parameter; infinite without any.

    >>> _depth("/suites/{content}/cases"), _depth("/suites/new")
    (2, inf)
    """
    places = (at for at, segment in enumerate(template.split("/")) if "{" in segment)
    return next(places, inf)


def _taken_by(page: DeclaredPage, known: Iterable[APIRoute]) -> str:
    """Return an address of the page that an earlier route answers; empty without one."""
    for route in page.api_routes:
        address = _PARAMETER.sub("1", route.path)
        if address.startswith(_RESERVED):
            return route.path
        if any(_answers(one, address, route.methods) for one in known):
            return route.path
    return ""


def _answers(route: APIRoute, address: str, methods: Iterable[str] | None) -> bool:
    is_same = not (route.methods or set()).isdisjoint(methods or ())
    return is_same and route.path_regex.fullmatch(address) is not None


def _at_paths(paths: Sequence[str], known: Sequence[DeclaredPage]) -> Iterator[DeclaredPage]:
    """The pages at dotted paths, without those that are known."""
    routers = [one.routes for one in known]
    for path in paths:
        cls = plugins.load("page", path)
        made = DeclaredPage.of(cls)
        if not any(made.routes is one for one in routers):
            check_page(cls)
            yield made


def _report(failures: Iterable[Plugin]) -> None:
    for one in failures:
        _LOG.warning("page %s of %s is left out: %s", one.id, one.distribution, one.error)
