"""The actor of a request: with accounts the signed-in user, regardless of the name sent."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from benchmaker.record.account import Actor, Role, TokenScope
from benchmaker.web.query import View


async def _actor(request: Request) -> Actor | None:
    found: Actor | None = getattr(request.state, "actor", None)
    return found


Who = Annotated[Actor | None, Depends(_actor)]
"""The actor of a request, as an argument of a route; None without accounts."""


def name_of(who: Actor | None, given: str) -> str:
    """The name that a vote, a label or a decision carries."""
    return who.name if who else given


def may_see_paths(who: Actor | None) -> bool:
    """Return True for those who may see where files are on the server: without accounts, all."""
    return who is None or who.may(Role.ADMIN, TokenScope.ADMIN)


def by_actor(request: Request, view: View) -> View:
    """Return the view with the signed-in user's name for its word ``by``."""
    who: Actor | None = getattr(request.state, "actor", None)
    return replace(view, filters={**view.filters, "by": who.name}) if who else view
