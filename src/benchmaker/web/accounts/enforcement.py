"""The permission check before every route if there are accounts."""

from typing import Final

from fastapi import Request
from starlette.exceptions import HTTPException

from benchmaker.record.account import MAIN, Actor
from benchmaker.web.accounts.audit import ACTION
from benchmaker.web.accounts.authentication import GUARDED, sign_in_address
from benchmaker.web.accounts.permissions import Need, need_of
from benchmaker.web.error_body import ROOT
from benchmaker.web.observing.requests import route_of
from benchmaker.web.page_list import PageList

_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="benchmaker"'}


async def require_permission(request: Request) -> None:
    """Refuse callers without permission; without accounts there is no check.

    It uses the route's template, and runs before the body is read. It never waits, not even for a
    thread, since all may be busy.
    """
    if not getattr(request.state, GUARDED, False):
        return
    pages: PageList = request.app.state.pages
    need = need_of(request.method, route_of(request.scope), pages.by_route)
    if need is None:
        raise HTTPException(403, "No role has access to this address.")
    actor: Actor | None = getattr(request.state, "actor", None)
    if not need.is_open:
        _refuse_unless(request, actor, need)
    setattr(request.state, ACTION, need.action)


def _refuse_unless(request: Request, actor: Actor | None, need: Need) -> None:
    if actor is None or not (actor.user_id or need.is_public):
        raise _sign_in_required(request)
    if need.is_in_person and actor.token_id:
        raise HTTPException(403, "Tokens have no access to this address. Sign in instead.")
    if need.role is None:
        return
    if not actor.team:
        raise HTTPException(403, "You are in no team. Ask an admin to add you to one.")
    if not actor.role.covers(need.role):
        raise HTTPException(
            403, f"This needs the role {need.role} in the team {actor.team}; yours is {actor.role}."
        )
    if need.is_of_server and actor.team != MAIN:
        raise HTTPException(403, f"Only admins of the team {MAIN} can do this.")
    if not actor.may(need.role, need.scope):
        raise HTTPException(403, f"This needs a token with the scope {need.scope}.")


def _sign_in_required(request: Request) -> HTTPException:
    """Return a redirect to the sign-in page; programs get an error that requires a token."""
    path = request.url.path
    if path.startswith(ROOT) or request.headers.get("hx-request"):
        return HTTPException(401, "Not signed in.", headers=_CHALLENGE)
    words = request.url.query
    back = f"{path}?{words}" if words else path
    return HTTPException(303, "Sign in first.", headers={"Location": sign_in_address(back)})
