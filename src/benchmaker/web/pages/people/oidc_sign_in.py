"""Sign-in at an external provider: redirect, return, linking and unlinking.

On navigation from another site, or on an immediate redirect, browsers send none of our strict
cookies. So both directions use a page that continues by itself.
"""

from typing import Annotated, ClassVar, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record.account import Actor, AuditEntry, Role, SignIn, User
from benchmaker.web.accounts.audit import ACTION, annotate
from benchmaker.web.accounts.authentication import SIGN_IN_OIDC, address_of
from benchmaker.web.accounts.oidc.people import FIRST, JOINED, KNOWN, Claims
from benchmaker.web.accounts.oidc.refusal import ProviderUnavailable, SignInRefused, UnknownIdentity
from benchmaker.web.accounts.oidc.sign_in import OidcSignIn
from benchmaker.web.accounts.oidc.sign_in_state import PendingSignIn
from benchmaker.web.accounts.people_context import accounts_of, actor_of
from benchmaker.web.accounts.sign_ins import SignIns
from benchmaker.web.form_body import Posted
from benchmaker.web.observing import request_id
from benchmaker.web.pages.people.account import HOME, account_page
from benchmaker.web.pages.people.sign_in import (
    Tried,
    form_page,
    hold,
    oidc_sign_in_of,
    return_address,
    wait_words,
    where_accounts_are,
    with_retry_after,
)
from benchmaker.web.rendering import page

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="oidc_sign_in")
class OidcSignInPage:
    """Sign-in with an OpenID Connect provider."""

    routes: ClassVar = router


_ACTIONS: Final = {FIRST: "user.link", JOINED: "user.add"}
"""What the audit log calls it where a sign-in also changed who is known by what."""


def _require_oidc(request: Request) -> OidcSignIn:
    found = oidc_sign_in_of(request)
    if found is None:
        raise HTTPException(404)
    return found


There = Annotated[OidcSignIn, Depends(_require_oidc)]
"""The OIDC sign-in, as an argument of a page; status 404 without a provider."""


@router.post(SIGN_IN_OIDC)
async def leave(request: Request, there: There, fields: Posted) -> Response:
    """Out to the provider, or the form again where it does not answer."""
    session: SignIn | None = getattr(request.state, "session", None)
    back = return_address(fields["next"])
    try:
        begun, address = await there.begin(
            request, back=back, session=session.id if session else ""
        )
    except ProviderUnavailable as exc:
        there.log_refusal(request, exc)
        said = _words(exc, there.name)
        return await run_in_threadpool(form_page, request, back=back, refused=said, status=503)
    return await run_in_threadpool(_redirect_page, request, there, begun, address)


@router.get(SIGN_IN_OIDC)
async def arrive(request: Request, there: There, tried: Tried) -> Response:
    """Back from the provider: signed in, or linked, or the form again."""
    if wait_s := tried.throttle.try_now(None, address_of(request.scope)):
        answer = await run_in_threadpool(form_page, request, back="/", refused=wait_words(wait_s))
        return there.drop(request, with_retry_after(answer, wait_s))
    begun = None
    try:
        begun = await run_in_threadpool(there.consume, request)
        claims = await there.claims(request, begun)
        answer = await run_in_threadpool(_complete_sign_in, request, there, tried, begun, claims)
    except SignInRefused as exc:
        there.log_refusal(request, exc)
        answer = await run_in_threadpool(_refusal_page, request, there, exc, begun)
    return there.drop(request, answer)


@router.post("/account/identity/link")
async def link(request: Request, there: There, tried: Tried, fields: Posted) -> Response:
    """Redirect to the provider to link the account; requires the password."""
    own, session = actor_of(request), request.state.session
    if wait_s := tried.wait_s(request, own.name):
        refused = wait_words(wait_s)
        answer = await run_in_threadpool(account_page, request, refused=refused)
        return with_retry_after(answer, wait_s)
    user = await run_in_threadpool(tried.authenticate, request, own.name, fields["password"])
    if user is None:
        refused = "Wrong password."
        return await run_in_threadpool(account_page, request, status=422, refused=refused)
    try:
        begun, address = await there.begin(
            request, back=HOME, session=session.id, links=own.user_id
        )
    except ProviderUnavailable as exc:
        there.log_refusal(request, exc)
        refused = f"{there.name} does not respond. Try again later."
        return await run_in_threadpool(account_page, request, status=503, refused=refused)
    return await run_in_threadpool(_redirect_page, request, there, begun, address)


@router.post("/account/identity/unlink")
def unlink(request: Request) -> Response:
    """Unlink the external identity; refused for people without a password."""
    accounts, own = accounts_of(request), actor_of(request)
    if accounts.password_hash(own.name) is None:
        raise SpecError("You have no password, and could not sign in any more.")
    accounts.set_oidc(own.user_id, "")
    annotate(request, object=own.name)
    return RedirectResponse(HOME, 303)


def _redirect_page(
    request: Request, there: OidcSignIn, begun: PendingSignIn, address: str
) -> Response:
    """Return a page that continues to the provider; a form action to another site is blocked."""
    says = f"You are about to sign in with {there.name}."
    answer = _continue_page(request, f"Sign in with {there.name}", says, address, "Continue")
    return there.keep(request, answer, begun)


def _complete_sign_in(
    request: Request, there: OidcSignIn, tried: SignIns, begun: PendingSignIn, claims: Claims
) -> Response:
    """Complete the pending sign-in; Refused for an unknown person or a withdrawn request."""
    if begun.links:
        return _complete_link(request, there, tried, begun, claims)
    user, how = there.people.find(claims)
    detail = f"by {there.name}"
    if how != KNOWN:
        _audit_first_sign_in(request, user, _ACTIONS[how], detail)
    if begun.session:
        accounts_of(request).revoke_session(begun.session)
    cookie = tried.open_session(request, user)
    tried.throttle.record_success(None, address_of(request.scope))
    annotate(request, object=user.name, detail=detail)
    back = return_address(begun.back)
    answer = _continue_page(
        request, "You are signed in", f"Welcome, {user.name}.", back, "Continue"
    )
    hold(request, answer, cookie)
    return answer


def _complete_link(
    request: Request, there: OidcSignIn, tried: SignIns, begun: PendingSignIn, claims: Claims
) -> Response:
    accounts = accounts_of(request)
    open_ones = accounts.sessions(begun.links)
    session = next((it for it in open_ones if it.id == begun.session), None)
    if session is None:
        raise SignInRefused("the user who started it is no longer signed in.")
    user = there.people.link(claims, begun.links)
    role = accounts.role(user.id, session.team) or Role.VIEWER
    request.state.actor = Actor(user_id=user.id, name=user.name, team=session.team, role=role)
    setattr(request.state, ACTION, "user.link")
    annotate(request, object=user.name, detail=f"by {there.name}")
    tried.throttle.record_success(None, address_of(request.scope))
    says = f"You can now sign in with {there.name}."
    return _continue_page(request, f"{there.name} is linked", says, HOME, "Continue")


def _audit_first_sign_in(request: Request, user: User, action: str, detail: str) -> None:
    """Write a separate line to the audit log, before the one about the sign-in."""
    entry = AuditEntry(
        actor=user.name,
        action=action,
        object=user.name,
        detail=detail,
        address=address_of(request.scope),
        request_id=request_id(request.scope),
    )
    accounts_of(request).audit(entry)


def _refusal_page(
    request: Request, there: OidcSignIn, refused: SignInRefused, begun: PendingSignIn | None
) -> Response:
    status = 503 if isinstance(refused, ProviderUnavailable) else 422
    said = _words(refused, there.name)
    if begun is not None and begun.links:
        return page(
            request,
            "fault",
            title=f"Linking {there.name} failed",
            status=status,
            message=said,
            where="",
            hint="Return to your account and try again.",
            onward=None,
        )
    back = begun.back if begun else "/"
    return form_page(request, back=back, refused=said, status=status)


def _words(refused: SignInRefused, name: str) -> str:
    """Return the message for the person; the log has the reason."""
    if isinstance(refused, ProviderUnavailable):
        return f"{name} is not responding correctly. Use your password, or try again later."
    if isinstance(refused, UnknownIdentity):
        return (
            f"{name} knows you, but you have no account here. Ask an admin for one; or sign in "
            f"with your password, and link {name} under Account."
        )
    return f"Signing in with {name} failed. Start again."


def _continue_page(request: Request, title: str, says: str, to: str, link: str) -> Response:
    return page(request, "onwards", title=title, says=says, to=to, link=link)
