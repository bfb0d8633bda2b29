"""Signing in and out; without accounts there is neither."""

import math
from typing import Annotated, ClassVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from benchmaker.plugins import web_page
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.accounts.authentication import GUARDED, SIGN_IN, is_https
from benchmaker.web.accounts.cookies import SIGNED_IN
from benchmaker.web.accounts.oidc.sign_in import OidcSignIn
from benchmaker.web.accounts.sign_ins import LASTS_S, SignIns
from benchmaker.web.form_body import Posted, own_address
from benchmaker.web.rendering import page


def where_accounts_are(request: Request) -> None:
    """Without accounts there is no such page."""
    if not getattr(request.state, GUARDED, False):
        raise HTTPException(404)


router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="sign_in")
class SignInPage:
    """Sign-in and sign-out."""

    routes: ClassVar = router


_UNFIT = "Wrong name or password."


def sign_ins(request: Request) -> SignIns:
    """Return the password sign-in of this server."""
    found: SignIns = request.app.state.sign_ins
    return found


Tried = Annotated[SignIns, Depends(sign_ins)]
"""The password check, as an argument of a page."""


@router.get(SIGN_IN)
def form(request: Request, next: str = "/") -> Response:  # noqa: A002  the word of the address
    """The form."""
    return form_page(request, back=next)


@router.post(SIGN_IN)
def sign_in(request: Request, tried: Tried, fields: Posted) -> Response:
    """Redirect to the return address, or show the form again, with the waiting time."""
    name, back = fields["name"].strip().lower(), fields["next"]
    if wait_s := tried.wait_s(request, name):
        return with_retry_after(
            form_page(request, back=back, name=name, refused=wait_words(wait_s)), wait_s
        )
    user = tried.authenticate(request, name, fields["password"])
    if user is None:
        return form_page(request, back=back, name=name, refused=_UNFIT)
    answer = RedirectResponse(return_address(back), 303)
    hold(request, answer, tried.open_session(request, user))
    annotate(request, object=user.name)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, tried: Tried) -> Response:
    """The sign-in of this browser ends."""
    tried.end_session(request)
    annotate(request, object=request.state.actor.name)
    answer = RedirectResponse(SIGN_IN, 303)
    SIGNED_IN.drop(answer, is_https=_is_https(request))
    return answer


def hold(request: Request, answer: Response, cookie: str) -> None:
    """Let the browser hold the cookie of a new sign-in."""
    SIGNED_IN.keep(answer, cookie, is_https=_is_https(request), seconds=LASTS_S)


def wait_words(wait_s: float) -> str:
    """Return the message about a wait."""
    seconds = math.ceil(wait_s)
    return f"Too many failed attempts. Wait {seconds} s, then try again."


def oidc_sign_in_of(request: Request) -> OidcSignIn | None:
    """Signing in at another provider; None where the server names none."""
    found: OidcSignIn | None = request.app.state.oidc_sign_in
    return found


def form_page(
    request: Request, *, back: str, name: str = "", refused: str = "", status: int = 422
) -> Response:
    """Show the form; with ``refused`` it has a message and that ``status``."""
    elsewhere = oidc_sign_in_of(request)
    return page(
        request,
        "people/sign_in",
        title="Sign in",
        status=status if refused else 200,
        back=return_address(back),
        name=name[:40],
        refused=refused,
        provider=elsewhere.name if elsewhere else "",
    )


def with_retry_after(answer: Response, wait_s: float) -> Response:
    """Return the response to somebody who has to wait."""
    answer.status_code = 429
    answer.headers["retry-after"] = str(math.ceil(wait_s))
    return answer


def return_address(back: str) -> str:
    """An address of ours that is not this form."""
    address = own_address(back)
    return "/" if address.startswith(SIGN_IN) else address


def _is_https(request: Request) -> bool:
    return is_https(request.scope, request.app.state.bench)
