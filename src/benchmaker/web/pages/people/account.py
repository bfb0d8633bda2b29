"""One's own account: password, browsers in which one is signed in, tokens, the team looked at."""

from typing import Any, ClassVar, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.accounts import tokens
from benchmaker.accounts.identities import awaited_value
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record.account import Actor, ApiToken, SignIn, TokenScope
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.accounts.people_context import accounts_of, actor_of, root_of
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.pages.people.sign_in import (
    Tried,
    hold,
    oidc_sign_in_of,
    wait_words,
    where_accounts_are,
)
from benchmaker.web.rendering import Crumb, page

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="account")
class AccountPage:
    """The account of the person who is signed in."""

    routes: ClassVar = router


HOME: Final = "/account"
DAYS: Final = (7, 30, 90, 365)
"""The possible lifetimes of a new token in days."""

MOST_TOKENS: Final = 50
_LONGEST_NAME: Final = 60
_A_DAY_S: Final = 86_400


@router.get(HOME)
def account(request: Request) -> Response:
    """All of it."""
    return account_page(request)


@router.post("/account/password")
def change_password(request: Request, tried: Tried, fields: Posted) -> Response:
    """Another password; every sign-in ends, and this browser gets a new one."""
    from benchmaker.accounts import passwords  # noqa: PLC0415  an extra

    own = actor_of(request)
    if wait_s := tried.wait_s(request, own.name):
        return account_page(request, status=429, refused=wait_words(wait_s))
    user = tried.authenticate(request, own.name, fields["password"])
    if user is None:
        return account_page(request, status=422, refused="Wrong password.")
    if fields["new"] != fields["again"]:
        return account_page(request, status=422, refused="The two new passwords differ.")
    try:
        passwords.refuse_weak(fields["new"], own.name)
    except SpecError as exc:
        return account_page(request, status=422, refused=f"{exc.message} {exc.hint}")
    accounts_of(request).set_password(user.id, passwords.hash_password(fields["new"]))
    accounts_of(request).revoke_sessions(user.id)
    answer = RedirectResponse(HOME, 303)
    hold(request, answer, tried.open_session(request, user))
    annotate(request, object=own.name)
    return answer


@router.post("/account/sessions")
def end_sessions(request: Request, fields: Posted) -> Response:
    """End one sign-in, or all but this one."""
    accounts, own = accounts_of(request), actor_of(request)
    if fields["do"] == "others":
        ended = accounts.revoke_sessions(own.user_id, but=_session(request).id)
        annotate(request, object=own.name, detail=f"all others, {ended}")
        return RedirectResponse(HOME, 303)
    if fields["id"] not in {one.id for one in accounts.sessions(own.user_id)}:
        raise Missing("there is no such sign-in.", hint="Load the page again.")
    accounts.revoke_session(fields["id"])
    annotate(request, object=own.name, detail=fields["id"])
    return RedirectResponse(HOME, 303)


@router.post("/account/team")
def look_at_team(request: Request, fields: Posted) -> Response:
    """Look at another team of one's own."""
    accounts, own = accounts_of(request), actor_of(request)
    if accounts.role(own.user_id, fields["team"]) is None:
        raise Missing("you are not in that team.", hint="Choose one of your teams.")
    accounts.set_session_team(_session(request).id, fields["team"])
    annotate(request, object=fields["team"])
    return RedirectResponse("/", 303)


@router.post("/account/tokens")
def make_token(request: Request, fields: Posted) -> Response:
    """Create a token for a program; only this response ever shows it."""
    accounts, own = accounts_of(request), actor_of(request)
    name, scopes = " ".join(fields["token"].split()), _scopes(fields)
    refused = _objection(accounts, own, name, scopes)
    if refused:
        return account_page(request, status=422, refused=refused)
    secret = tokens.new_secret()
    made = accounts.add_token(
        own.user_id,
        own.team,
        name=name,
        scopes=scopes,
        secret_hash=tokens.hash_secret(secret),
        expires_at=_expiry(request, fields["days"]),
    )
    annotate(request, object=made.id, detail=f"{name}, {', '.join(scopes)}")
    return account_page(request, secret=secret, made=made)


@router.post("/account/tokens/revoke")
def revoke_token(request: Request, fields: Posted) -> Response:
    """Let a token of one's own in no more."""
    accounts, own = accounts_of(request), actor_of(request)
    if fields["id"] not in {one.id for one in accounts.tokens(user_id=own.user_id)}:
        raise Missing("there is no such token.", hint="Load the page again.")
    accounts.revoke_token(fields["id"])
    annotate(request, object=fields["id"])
    return RedirectResponse(HOME, 303)


def account_page(
    request: Request,
    *,
    status: int = 200,
    refused: str = "",
    secret: str = "",
    made: ApiToken | None = None,
) -> Response:
    """Show the account; with ``refused`` the fault, with ``secret`` a new token's secret."""
    accounts, own = accounts_of(request), actor_of(request)
    shown: dict[str, Any] = {
        "own": own,
        "here": _session(request).id,
        "sessions": accounts.sessions(own.user_id),
        "tokens": accounts.tokens(user_id=own.user_id)[:MOST_TOKENS],
        "teams": accounts.teams_of(own.user_id),
        "has_password": accounts.password_hash(own.name) is not None,
        **_provider_identity(request),
    }
    return page(
        request,
        "people/account",
        title="Account",
        crumbs=(Crumb("Account"),),
        status=status,
        refused=refused,
        secret=secret,
        made=made,
        scopes=tuple(TokenScope),
        days=DAYS,
        now=iso_timestamp(root_of(request).settings.clock()),
        **{f"my_{name}": value for name, value in shown.items()},
    )


def _provider_identity(request: Request) -> dict[str, str]:
    """The provider, and who one is there; no names without one."""
    elsewhere = oidc_sign_in_of(request)
    user = accounts_of(request).user_by_id(actor_of(request).user_id)
    kept = user.oidc if user else ""
    return {
        "provider": elsewhere.name if elsewhere else "",
        "identity": "" if awaited_value(kept) else kept,
    }


def _objection(
    accounts: AccountStore, own: Actor, name: str, scopes: tuple[TokenScope, ...]
) -> str:
    """Return the fault of a requested token."""
    if not own.team:
        return "You are in no team, and a token belongs to a team. Ask an admin to add you to one."
    if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        return f"A token needs a name of at most {_LONGEST_NAME} characters."
    if not scopes:
        return "Choose at least one scope for the token."
    moment_now = accounts.now_utc()
    working = [it for it in accounts.tokens(user_id=own.user_id) if it.works_at(moment_now)]
    if len(working) >= MOST_TOKENS:
        return f"You have {MOST_TOKENS} tokens. Revoke one first."
    return ""


def _scopes(fields: Fields) -> tuple[TokenScope, ...]:
    return tuple(scope for scope in TokenScope if fields[f"scope_{scope}"])


def _expiry(request: Request, days: str) -> str:
    """Return the expiry of a token: an offered one, or else a short one."""
    chosen = int(days) if days in {str(it) for it in DAYS} else DAYS[0]
    return iso_timestamp(root_of(request).settings.clock() + chosen * _A_DAY_S)


def _session(request: Request) -> SignIn:
    found: SignIn = request.state.session
    return found
