"""Parts of the application that are skipped for foreign addresses."""

from collections.abc import Iterator, Sequence

from fastapi import APIRouter
from starlette.routing import BaseRoute, Match
from starlette.types import Scope


class Subrouter(APIRouter):
    """The routes of a module, searched only for addresses with their prefix.

    Otherwise every request is matched with each route of every earlier module, which takes longer
    than some pages.
    """

    beginnings: tuple[str, ...] = ("",)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return a match if one of the routes answers."""
        if not scope.get("root_path") and not scope["path"].startswith(self.beginnings):
            return Match.NONE, {}
        return super().matches(scope)


def subrouter(router: APIRouter) -> Subrouter:
    """A router of a module as a part; its routes are complete."""
    made = Subrouter()
    made.routes.extend(router.routes)
    made.beginnings = tuple(sorted({path.partition("{")[0] for path in _paths(router.routes)}))
    return made


def _paths(routes: Sequence[BaseRoute]) -> Iterator[str]:
    """Their addresses as they are written; "" for what may be anywhere."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is None:
            yield getattr(route, "path", "")
        else:
            yield from _paths(inner.routes)
