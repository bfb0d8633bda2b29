"""What a page of the workbench declares: its routes, its links and who may read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from fastapi import APIRouter
from fastapi.routing import APIRoute

from benchmaker.errors import PluginError
from benchmaker.record.account import Role

AFTER_OURS = 70
"""The position in the navigation of pages that name none: after Judges, before Settings."""


class NavigationPlace(NamedTuple):
    """An entry of the main navigation.

    ``position`` orders the entries: Home has 0, then Suites 10, Arena 20, Code 30, Agentic 40,
    Results 50, Judges 60, Settings 90. ``key`` is the letter that goes there after ``g``.
    """

    name: str
    position: int = AFTER_OURS
    key: str = ""


class WebPage(Protocol):
    """A page of the workbench, and everything that belongs to it.

    The class is marked with :func:`benchmaker.web_page`; the first line of its docstring describes
    it where plug-ins are listed. ``routes`` alone is required: the first route that answers GET is
    the address of the page. The others have these defaults:

    - ``title`` "": the name of the page; its palette entry, unless ``palette`` says otherwise.
    - ``navigation`` None: no entry in the main navigation.
    - ``palette`` the title: names in the jump palette, each with its address.
    - ``role`` viewer: the least role in the team that may read it. What changes something takes a
      member, or an admin where only admins may read.
    - ``is_public`` False: True lets visitors read it where the team shows its boards.
    """

    routes: ClassVar[APIRouter]


@dataclass(frozen=True, slots=True)
class DeclaredPage:
    """A page as it was declared, with the defaults filled in; ``path`` is its address."""

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
        """Read the declaration of a class that is marked with ``@web_page``."""
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
        """Its routes."""
        return [one for one in self.routes.routes if isinstance(one, APIRoute)]


def _path_of(routes: APIRouter) -> str:
    """The template of the first route that answers GET; empty where none does."""
    found = (one for one in routes.routes if isinstance(one, APIRoute))
    return next((one.path for one in found if "GET" in (one.methods or ())), "")


def check_page(page: type) -> None:
    """Refuse a page of others that can't be served safely.

    Each route must be one of FastAPI's, on the router itself: permissions are checked for those
    alone. All must be at the address of the page or below it.

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
