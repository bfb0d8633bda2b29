"""Signing in at another provider: out to it, back from it, and being known by it or not.

Where another site's page leads here, or on from here at once, browsers send none of our strict
cookies. So whoever goes there or comes back gets a page that goes on by itself.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from benchmaker.errors import SpecError
from benchmaker.record.account import Actor, AuditEntry, Role, SignIn, User
from benchmaker.web.accounts.audit import ACTION, noted
from benchmaker.web.accounts.authentication import SIGN_IN_ELSEWHERE, address_of
from benchmaker.web.accounts.oidc.people import FIRST, JOINED, KNOWN, Claims
from benchmaker.web.accounts.oidc.refusal import Away, Refused, Unknown
from benchmaker.web.accounts.oidc.sign_in import Elsewhere
from benchmaker.web.accounts.oidc.sign_in_state import Begun
from benchmaker.web.accounts.people_context import accounts_of, actor_of
from benchmaker.web.accounts.sign_ins import SignIns
from benchmaker.web.form_body import Posted
from benchmaker.web.observing import request_id
from benchmaker.web.pages.people.account import HOME, account_page
from benchmaker.web.pages.people.sign_in import (
    Tried,
    elsewhere_of,
    form_page,
    hold,
    late,
    onwards,
    wait_words,
    where_accounts_are,
)
from benchmaker.web.rendering import page

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])

_ACTIONS: Final = {FIRST: "user.link", JOINED: "user.add"}
"""What the audit log calls it where a sign-in also changed who is known by what."""


def _there(request: Request) -> Elsewhere:
    found = elsewhere_of(request)
    if found is None:
        raise HTTPException(404)
    return found


There = Annotated[Elsewhere, Depends(_there)]
"""What signs people in elsewhere, as an argument of a page; without a provider there is none."""


@router.post(SIGN_IN_ELSEWHERE)
async def leave(request: Request, there: There, fields: Posted) -> Response:
    """Out to the provider, or the form again where it does not answer."""
    session: SignIn | None = getattr(request.state, "session", None)
    back = onwards(fields["next"])
    try:
        begun, address = await there.begun(
            request, back=back, session=session.id if session else ""
        )
    except Away as exc:
        there.tell(request, exc)
        said = _words(exc, there.name)
        return await run_in_threadpool(form_page, request, back=back, refused=said, status=503)
    return await run_in_threadpool(_out, request, there, begun, address)


@router.get(SIGN_IN_ELSEWHERE)
async def arrive(request: Request, there: There, tried: Tried) -> Response:
    """Back from the provider: signed in, or linked, or the form again."""
    if wait_s := tried.throttle.try_now(None, address_of(request.scope)):
        answer = await run_in_threadpool(form_page, request, back="/", refused=wait_words(wait_s))
        return there.drop(request, late(answer, wait_s))
    begun = None
    try:
        begun = await run_in_threadpool(there.taken, request)
        claims = await there.claims(request, begun)
        answer = await run_in_threadpool(_settled, request, there, tried, begun, claims)
    except Refused as exc:
        there.tell(request, exc)
        answer = await run_in_threadpool(_refused, request, there, exc, begun)
    return there.drop(request, answer)


@router.post("/account/identity/link")
async def link(request: Request, there: There, tried: Tried, fields: Posted) -> Response:
    """Out to the provider, to be known by who one is there; it takes the password here."""
    own, session = actor_of(request), request.state.session
    if wait_s := tried.wait_s(request, own.name):
        refused = wait_words(wait_s)
        answer = await run_in_threadpool(account_page, request, refused=refused)
        return late(answer, wait_s)
    user = await run_in_threadpool(tried.who, request, own.name, fields["password"])
    if user is None:
        refused = "That is not your password."
        return await run_in_threadpool(account_page, request, status=422, refused=refused)
    try:
        begun, address = await there.begun(
            request, back=HOME, session=session.id, links=own.user_id
        )
    except Away as exc:
        there.tell(request, exc)
        refused = f"{there.name} does not answer now. Try again later."
        return await run_in_threadpool(account_page, request, status=503, refused=refused)
    return await run_in_threadpool(_out, request, there, begun, address)


@router.post("/account/identity/unlink")
def unlink(request: Request) -> Response:
    """Be known by nobody's identity elsewhere; whoever has no password would be shut out."""
    accounts, own = accounts_of(request), actor_of(request)
    if accounts.password_hash(own.name) is None:
        raise SpecError("You have no password, and could not sign in any more.")
    accounts.set_oidc(own.user_id, "")
    noted(request, object=own.name)
    return RedirectResponse(HOME, 303)


def _out(request: Request, there: Elsewhere, begun: Begun, address: str) -> Response:
    """A page that goes on to the provider; a form that leads to another site is refused."""
    says = f"You are about to sign in with {there.name}."
    answer = _onwards(request, f"Sign in with {there.name}", says, address, "Go on")
    return there.keep(request, answer, begun)


def _settled(
    request: Request, there: Elsewhere, tried: SignIns, begun: Begun, claims: Claims
) -> Response:
    """What was begun is done; Refused where the person is not known here, or no longer asks."""
    if begun.links:
        return _linked(request, there, tried, begun, claims)
    user, how = there.people.of(claims)
    detail = f"by {there.name}"
    if how != KNOWN:
        _tell_first(request, user, _ACTIONS[how], detail)
    if begun.session:
        accounts_of(request).revoke_session(begun.session)
    cookie = tried.opened(request, user)
    tried.throttle.succeeded(None, address_of(request.scope))
    noted(request, object=user.name, detail=detail)
    back = onwards(begun.back)
    answer = _onwards(request, "You are signed in", f"Welcome, {user.name}.", back, "Go on")
    hold(request, answer, cookie)
    return answer


def _linked(
    request: Request, there: Elsewhere, tried: SignIns, begun: Begun, claims: Claims
) -> Response:
    accounts = accounts_of(request)
    open_ones = accounts.sessions(begun.links)
    session = next((it for it in open_ones if it.id == begun.session), None)
    if session is None:
        raise Refused("the person who began it is not signed in any more.")
    user = there.people.link(claims, begun.links)
    role = accounts.role(user.id, session.team) or Role.VIEWER
    request.state.actor = Actor(user_id=user.id, name=user.name, team=session.team, role=role)
    setattr(request.state, ACTION, "user.link")
    noted(request, object=user.name, detail=f"by {there.name}")
    tried.throttle.succeeded(None, address_of(request.scope))
    says = f"You may sign in with {there.name} from now on."
    return _onwards(request, f"{there.name} is linked", says, HOME, "Go on")


def _tell_first(request: Request, user: User, action: str, detail: str) -> None:
    """A line of its own in the audit log, before the one about the sign-in."""
    entry = AuditEntry(
        actor=user.name,
        action=action,
        object=user.name,
        detail=detail,
        address=address_of(request.scope),
        request_id=request_id(request.scope),
    )
    accounts_of(request).audit(entry)


def _refused(request: Request, there: Elsewhere, refused: Refused, begun: Begun | None) -> Response:
    status = 503 if isinstance(refused, Away) else 422
    said = _words(refused, there.name)
    if begun is not None and begun.links:
        return page(
            request,
            "fault",
            title="This did not work",
            status=status,
            message=said,
            where="",
            hint="Go back to your account, and try again.",
            onward=None,
        )
    back = begun.back if begun else "/"
    return form_page(request, back=back, refused=said, status=status)


def _words(refused: Refused, name: str) -> str:
    """What a person is told; the log has the reason."""
    if isinstance(refused, Away):
        return f"{name} does not answer as it should. Use your password, or try again later."
    if isinstance(refused, Unknown):
        return (
            f"{name} knows you, but you have no account here. Ask an admin for one; or sign in "
            f"with your password, and link {name} under Account."
        )
    return f"Signing in with {name} did not work. Begin again."


def _onwards(request: Request, title: str, says: str, to: str, link: str) -> Response:
    return page(request, "onwards", title=title, says=says, to=to, link=link)
