"""Authentication: a person with a cookie, a program with a token, or nobody."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from benchmaker.accounts import tokens
from benchmaker.engine.requests.token_bucket import TokenBucket
from benchmaker.errors import BenchmakerError
from benchmaker.plugins import NAMED_ONLY
from benchmaker.record.account import MAIN, Actor, ApiToken, Role, SignIn, Team, TokenScope
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.audit import Audit
from benchmaker.web.accounts.cache_validators import TAG, Tag, Validators, not_modified
from benchmaker.web.accounts.cookies import SIGNED_IN
from benchmaker.web.accounts.throttle import network_of
from benchmaker.web.error_body import ROOT, answer
from benchmaker.web.workbench import Workbench

_MOST: Final = 20_000
"""Buckets that are kept; the longest unused are forgotten, and are full by then."""

_MINUTE_S: Final = 60.0


class Rate(NamedTuple):
    """A caller's remaining requests; ``wait_s`` is above 0 if this one exceeded the limit."""

    limit: int
    remaining: int
    reset_s: int
    wait_s: float

    def headers(self) -> dict[str, str]:
        """As a client reads it; seconds are whole, rounded up."""
        fields = {
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": str(self.remaining),
            "ratelimit-reset": str(self.reset_s),
        }
        return fields | ({"retry-after": str(math.ceil(self.wait_s))} if self.wait_s else {})


class Rates:
    """A rate limit of ``a_minute`` requests per caller, replenished over a minute."""

    def __init__(
        self, a_minute: int, *, clock: Callable[[], float] = time.monotonic, most: int = _MOST
    ) -> None:
        self._a_minute = a_minute
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, who: str) -> Rate:
        """Count one request of a caller; refused ones are free."""
        now = self._clock()
        with self._lock:
            bucket = self._bucket(who, now)
            wait_s = max(0.0, bucket.ready_at(now, 1.0) - now)
            if wait_s == 0.0:
                bucket.take(now, 1.0)
            level = bucket.level(now)
        reset_s = (self._a_minute - level) * _MINUTE_S / self._a_minute
        return Rate(self._a_minute, max(0, math.floor(level)), math.ceil(reset_s), wait_s)

    def _bucket(self, who: str, now: float) -> TokenBucket:
        found = self._buckets.get(who)
        if found is None:
            found = TokenBucket(self._a_minute / _MINUTE_S, float(self._a_minute), at=now)
            self._buckets[who] = found
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(who)
        return found


IDLE_S: Final = 12 * 3_600
"""Seconds without use after which a sign-in ends."""

SIGN_IN: Final = "/sign-in"
SIGN_IN_OIDC: Final = f"{SIGN_IN}/oidc"
"""The path where OIDC sign-in starts, and to which the provider redirects."""

GUARDED: Final = "is_guarded"
"""The key in a request's state for servers with accounts."""

NOBODY: Final = "nobody"
_UNSIGNED: Final = frozenset({SIGN_IN, SIGN_IN_OIDC})
_AGAIN_S: Final = 1.0
_BEARER: Final = "bearer "
_CHALLENGE: Final = 'Bearer realm="benchmaker"'


class Caller(NamedTuple):
    """The caller with the credential: the sign-in of a browser, or the token of a program."""

    actor: Actor
    session: SignIn | None = None
    token: ApiToken | None = None


class Authenticator:
    """Authenticates callers, as soon as there is one account.

    Results are stored in the request's state: ``actor``, ``session``, ``token``.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._is_on = bench.settings.is_shared
        self._look_at = 0.0
        self.audit = Audit(bench)
        self.rates = Rates(bench.settings.requests_a_minute)
        self.validators = Validators()

    @property
    def accounts(self) -> AccountStore:
        """The people, teams and tokens."""
        return self._bench.store.accounts

    async def is_on(self) -> bool:
        """True if there are accounts; a negative answer is cached for a second."""
        if not self._is_on and time.monotonic() >= self._look_at:
            self._is_on = await run_in_threadpool(self._has_users)
            self._look_at = time.monotonic() + _AGAIN_S
        return self._is_on

    def is_https(self, scope: Scope) -> bool:
        """True if the browser speaks HTTPS."""
        return is_https(scope, self._bench)

    def _has_users(self) -> bool:
        try:
            return self.accounts.has_users()
        except BenchmakerError:  # no page can be shown either, and says why
            return False

    async def challenge(self, scope: Scope, headers: Headers) -> Response | None:
        """Return an answer instead of the page, or None if the caller is authenticated.

        Permissions are checked once the route is known.
        """
        state: dict[str, Any] = scope.setdefault("state", {})
        state[GUARDED] = True
        NAMED_ONLY.set(True)
        try:
            known = await run_in_threadpool(self._identify, scope, headers)
        except BenchmakerError as exc:
            return self._refusal(scope, 503, exc.message, {})
        rate = self.rates.take(_key(scope, known))
        state["rate"] = rate
        if rate.wait_s:
            return self._refusal(scope, 429, _too_many(rate), rate.headers())
        if known is None:
            return None if scope["path"] in _UNSIGNED else self._to_sign_in(scope, headers)
        state.update(actor=known.actor, session=known.session, token=known.token)
        return (
            None
            if known.actor.user_id
            else await self._not_modified_for(scope, headers, known.actor)
        )

    async def _not_modified_for(
        self, scope: Scope, headers: Headers, actor: Actor
    ) -> Response | None:
        """Return "not modified" if a visitor has the answer; other answers get a tag."""
        try:
            tag = await run_in_threadpool(self._tag, scope, headers, actor)
        except BenchmakerError:  # the page will say what is wrong
            return None
        scope["state"][TAG] = tag
        return not_modified() if tag.is_known(headers) else None

    def _tag(self, scope: Scope, headers: Headers, actor: Actor) -> Tag:
        return self.validators.tag(scope, headers, self._bench.of_team(actor.team))

    async def is_still_in(self, scope: Scope, headers: Headers) -> bool:
        """True if the same caller would be admitted again, to the same team with no lower role."""
        before: Actor = scope["state"]["actor"]
        try:
            known = await run_in_threadpool(self._identify, scope, headers, is_use=False)
        except BenchmakerError:  # the store is away for a moment; it is asked again
            return True
        now = known.actor if known else None
        return now is not None and (
            (now.user_id, now.team) == (before.user_id, before.team)
            and now.role.covers(before.role)
        )

    def _identify(self, scope: Scope, headers: Headers, *, is_use: bool = True) -> Caller | None:
        """Return the caller; ``is_use`` counts as a use of the sign-in or the token."""
        if (given := headers.get("authorization")) is not None:
            is_bearer = given.lower().startswith(_BEARER)
            secret = given[len(_BEARER) :].strip()
            return self._of_token(secret, is_use=is_use) if is_bearer else None
        cookie = SIGNED_IN.read(headers, is_https=is_https(scope, self._bench))
        if cookie and (found := self._of_cookie(cookie, is_use=is_use)):
            return found
        return self._visitor(scope) if not cookie else None

    def _of_cookie(self, cookie: str, *, is_use: bool) -> Caller | None:
        session = self.accounts.session_by_hash(tokens.hash_secret(cookie))
        now = self._bench.settings.clock()
        if session is None or session.seen_at <= iso_timestamp(now - IDLE_S):
            return None
        user = self.accounts.user_by_id(session.user_id)
        if user is None or not user.is_enabled:
            return None
        if is_use:
            self.accounts.touch_session(session.id, iso_timestamp(now))
        team, role = self._team_and_role(user.id, session.team)
        return Caller(Actor(user_id=user.id, name=user.name, team=team, role=role), session)

    def _team_and_role(self, user_id: str, wanted: str) -> tuple[str, Role]:
        """The team that is looked at, else the first of theirs; no name where they have none."""
        if (role := self.accounts.role(user_id, wanted)) is not None:
            return wanted, role
        others = self.accounts.teams_of(user_id)
        return (others[0][0].slug, others[0][1]) if others else ("", Role.VIEWER)

    def _of_token(self, secret: str, *, is_use: bool) -> Caller | None:
        if not tokens.is_secret(secret):
            return None
        token = self.accounts.token_by_hash(tokens.hash_secret(secret))
        user = self.accounts.user_by_id(token.user_id) if token else None
        role = self.accounts.role(token.user_id, token.team) if token else None
        if token is None or user is None or not user.is_enabled or role is None:
            return None
        if is_use:
            self.accounts.touch_token(token.id, iso_timestamp(self._bench.settings.clock()))
        actor = Actor(
            user_id=user.id,
            name=user.name,
            team=token.team,
            role=role,
            scopes=token.scopes,
            token_id=token.id,
        )
        return Caller(actor, token=token)

    def _visitor(self, scope: Scope) -> Caller | None:
        """Anybody, who may read the boards of the team that shows them."""
        if scope["method"] not in {"GET", "HEAD"} or scope["path"] in _UNSIGNED:
            return None
        team = self._public_team()
        if team is None:
            return None
        scopes = (TokenScope.READ,)
        actor = Actor(user_id="", name=NOBODY, team=team.slug, role=Role.VIEWER, scopes=scopes)
        return Caller(actor)

    def _public_team(self) -> Team | None:
        """``main`` where it is public, else the first team that is."""
        public = [one for one in self.accounts.teams() if one.is_public]
        return next((one for one in public if one.slug == MAIN), next(iter(public), None))

    def _to_sign_in(self, scope: Scope, headers: Headers) -> Response:
        path = scope["path"]
        is_data = path.startswith(ROOT) or "authorization" in headers
        if is_data or headers.get("hx-request") or scope["method"] not in {"GET", "HEAD"}:
            challenge = _CHALLENGE
            challenge += ', error="invalid_token"' if "authorization" in headers else ""
            said = "Not signed in. Send a valid token, or sign in at /sign-in."
            return self._refusal(scope, 401, said, {"www-authenticate": challenge})
        words = scope["query_string"].decode("latin-1")
        return RedirectResponse(sign_in_address(f"{path}{'?' if words else ''}{words}"), 303)

    @staticmethod
    def _refusal(scope: Scope, status: int, message: str, headers: Mapping[str, str]) -> Response:
        if scope["path"].startswith(ROOT):
            return answer(status, message, headers=headers)
        headers_by_name = dict(headers)
        return Response(f"{message}\n", status, headers=headers_by_name, media_type="text/plain")


def _key(scope: Scope, known: Caller | None) -> str:
    """Return the key for rate limits: a token's, a person's, or that of an address."""
    if known is None or not known.actor.user_id:
        return f"a {network_of(address_of(scope))}"
    return f"t {known.token.id}" if known.token else f"u {known.actor.user_id}"


def sign_in_address(back: str) -> str:
    """Return the address of the sign-in page, with a return address."""
    return SIGN_IN if back == "/" else f"{SIGN_IN}?next={quote(back, safe='/')}"


def address_of(scope: Scope) -> str:
    """Return the client's address, if known; from a proxy only if it is trusted."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def is_https(scope: Scope, bench: Workbench) -> bool:
    """True if the browser speaks HTTPS, to us or to a trusted proxy."""
    return bench.settings.is_https or scope.get("scheme") == "https"


def _too_many(rate: Rate) -> str:
    return f"More than {rate.limit:,} requests per minute. Retry after the time in Retry-After."
