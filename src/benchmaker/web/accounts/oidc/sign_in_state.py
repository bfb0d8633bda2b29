"""A sign-in in progress at the provider: the state kept by the browser."""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response

from benchmaker.accounts.sealing import SecretSealer
from benchmaker.errors import PrerequisiteError
from benchmaker.structs import resolve_type
from benchmaker.web.accounts.cookies import HostCookie
from benchmaker.web.accounts.oidc.refusal import SignInRefused

LASTS_S: Final = 600
"""Maximum duration of a sign-in at the provider in seconds."""

COOKIE: Final = "benchmaker_begun"
_HELD: Final = HostCookie(COOKIE, "lax", 3_800)
"""Browsers keep 4,096 characters with its name and its attributes."""

_SEALED_FOR: Final = "sign-in"

_MOST: Final = 20_000


class PendingSignIn(msgspec.Struct, frozen=True, kw_only=True):
    """One sign-in: the values that tie the provider's answer to it, and the next step.

    ``state`` is returned with the answer, ``nonce`` in the ID token, and ``verifier`` proves to the
    provider who started it (PKCE). ``back`` is the return address. ``session`` is the browser's
    former sign-in. ``links`` is the id of the person who links their account, otherwise empty.
    """

    state: str
    nonce: str
    verifier: str
    back: str
    session: str = ""
    links: str = ""
    until: float = 0.0

    @classmethod
    def create(
        cls, *, back: str, now: float, session: str = "", links: str = ""
    ) -> "PendingSignIn":
        """Create an unguessable one; it lasts for :data:`LASTS_S`."""
        return cls(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            back=back,
            session=session,
            links=links,
            until=now + LASTS_S,
        )


@dataclass(frozen=True, slots=True)
class PendingSignInCookie:
    """Stores pending sign-ins in a sealed cookie, each for single use.

    The cookie is returned from the provider's page, so it is lax; only this class reads it.
    """

    sealing: Callable[[], SecretSealer]
    clock: Callable[[], float]
    used: "UsedSignIns"

    def keep(self, answer: Response, begun: PendingSignIn, *, is_https: bool) -> None:
        """Let the browser hold it."""
        sealed = self._seal(begun)
        if len(sealed) > _HELD.longest:
            sealed = self._seal(msgspec.structs.replace(begun, back="/"))
        _HELD.keep(answer, sealed, is_https=is_https, seconds=LASTS_S)

    def consume(self, headers: Headers, state: str, *, is_https: bool) -> PendingSignIn:
        """Return the browser's pending sign-in and invalidate it.

        Raises:
            Refused: missing, for another sign-in, already used, or expired.
        """
        begun = self._unseal(_HELD.read(headers, is_https=is_https))
        if not hmac.compare_digest(begun.state.encode(), state.encode("utf-8", "replace")):
            raise SignInRefused("the response belongs to another sign-in.")
        if self.clock() >= begun.until:
            raise SignInRefused("the sign-in took too long.")
        if not self.used.mark_used(begun.state, until=begun.until, now=self.clock()):
            raise SignInRefused("the response was already used.")
        return begun

    def drop(self, answer: Response, *, is_https: bool) -> None:
        """Let the browser forget it."""
        _HELD.drop(answer, is_https=is_https)

    def _seal(self, begun: PendingSignIn) -> str:
        text = msgspec.json.encode(begun).decode()
        return self.sealing().seal(text, team="", name=_SEALED_FOR).decode("ascii")

    def _unseal(self, given: str) -> PendingSignIn:
        if not given:
            raise SignInRefused("the browser started no sign-in.")
        try:
            text = self.sealing().unseal(given.encode(), team="", name=_SEALED_FOR)
            return msgspec.json.decode(text, type=resolve_type(PendingSignIn))
        except (PrerequisiteError, ValueError) as exc:
            raise SignInRefused("the sign-in cookie is not from this server.") from exc


class UsedSignIns:
    """Completed sign-ins, each kept as long as it could be replayed.

    The provider also accepts a code only once; two servers on one database rely on that alone.
    """

    def __init__(self, *, most: int = _MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._until: OrderedDict[str, float] = OrderedDict()

    def mark_used(self, state: str, *, until: float, now: float) -> bool:
        """True if it is completed for the first time."""
        with self._lock:
            while self._until and next(iter(self._until.values())) < now - LASTS_S:
                self._until.popitem(last=False)
            if state in self._until:
                return False
            self._until[state] = until
            while len(self._until) > self._most:
                self._until.popitem(last=False)
        return True
