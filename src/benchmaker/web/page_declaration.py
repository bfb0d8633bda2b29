"""The declaration of a workbench page: its routes, its links and its minimum role."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from fastapi import APIRouter
from fastapi.routing import APIRoute

from benchmaker.errors import PluginError
from benchmaker.record.account import Role

AFTER_OURS = 70
"""The default position in the navigation: after Judges, before Settings."""


class NavigationPlace(NamedTuple):
    """An entry of the main navigation.

    ``position`` orders the entries: Home has 0, then Suites 10, Arena 20, Code 30, Agentic 40,
    Results 50, Judges 60, Settings 90. ``key`` is the letter that opens it after ``g``.
    """

    name: str
    position: int = AFTER_OURS
    key: str = ""


class WebPage(Protocol):
    """A page of the workbench, with its routes and links.

    Mark the class with :func:`benchmaker.web_page`; the first line of its docstring describes it in
    the list of plug-ins. Only ``routes`` is required: the first route that answers GET is the
    address of the page. The other attributes have defaults:

    - ``title`` "": the name of the page; also its palette entry, unless ``palette`` is set.
    - ``navigation`` None: no entry in the main navigation.
    - ``palette`` the title: names in the jump palette, each with its address.
    - ``role`` viewer: the minimum role in the team for reading it. Routes that change data require
      a member, or an admin if only admins may read the page.
    - ``is_public`` False: True lets visitors read it if the team's boards are public.
    """

    routes: ClassVar[APIRouter]


@dataclass(frozen=True, slots=True)
class DeclaredPage:
    """The declaration of a page with its defaults; ``path`` is its address."""

    id: str
    routes: APIRouter
    path: str
    title: str = ""
    navigation: NavigationPlace | None = None
    palette: Mapping[str, str] = field(default_factory=dict)
    role: Role = Role.VIEWER
    is_public: bool = False

    @classmethod
    def of(cls, page: type) -> "DeclaredPage":
        """Read the declaration of a class marked with ``@web_page``."""
        routes: APIRouter = getattr(page, "routes")  # noqa: B009  known by its mark alone
        path, title = _path_of(routes), getattr(page, "title", "")
        return cls(
            id=str(getattr(page, "id", page.__name__)),
            routes=routes,
            path=path,
            title=title,
            navigation=getattr(page, "navigation", None),
            palette=getattr(page, "palette", {title: path} if title else {}),
            role=getattr(page, "role", Role.VIEWER),
            is_public=getattr(page, "is_public", False),
        )

    @property
    def api_routes(self) -> list[APIRoute]:
        """The routes of the page."""
        return [one for one in self.routes.routes if isinstance(one, APIRoute)]


def _path_of(routes: APIRouter) -> str:
    """Return the template of the first route that answers GET; empty without one."""
    found = (one for one in routes.routes if isinstance(one, APIRoute))
    return next((one.path for one in found if "GET" in (one.methods or ())), "")


def check_page(page: type) -> None:
    """Check that a plug-in's page can be served safely.

    Each route must be a FastAPI route of the router itself, since permissions are checked for no
    others, and must be at or below the address of the page.

    Raises:
        PluginError: a part of the declaration is missing or wrong.
    """
    if not isinstance(getattr(page, "routes", None), APIRouter):
        raise PluginError("routes is not an APIRouter of FastAPI")
    made = DeclaredPage.of(page)
    if len(made.api_routes) != len(made.routes.routes):
        raise PluginError("routes holds more than path operations: no mounts, no other routers")
    if not made.path or "{" in made.path or made.path == "/":
        raise PluginError("the first route is not GET of an address of its own, without parameters")
    for one in made.api_routes:
        is_below = one.path.startswith((f"{made.path}/", f"{made.path}."))
        if one.path != made.path and not is_below:
            raise PluginError(f"{one.path} is not below {made.path}")
    _check_links(made)


def _check_links(made: DeclaredPage) -> None:
    if not isinstance(made.title, str):
        raise PluginError("title is not a text")
    if made.navigation is not None and not isinstance(made.navigation, NavigationPlace):
        raise PluginError("navigation is not a NavigationPlace")
    entries = made.palette.items() if isinstance(made.palette, Mapping) else [(None, None)]
    if not all(isinstance(one, str) for entry in entries for one in entry):
        raise PluginError("palette does not map names to addresses")
    if not isinstance(made.role, Role):
        raise PluginError("role is not a Role")
    if not isinstance(made.is_public, bool):
        raise PluginError("is_public is not True or False")
