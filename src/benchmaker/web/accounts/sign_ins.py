"""Sign-in by password, and browser sessions."""

import logging
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Final

from fastapi import Request
from starlette.datastructures import Headers

from benchmaker.accounts import tokens
from benchmaker.record.account import MAIN, Actor, Role, User
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.authentication import address_of, is_https
from benchmaker.web.accounts.cookies import SIGNED_IN, new_cookie
from benchmaker.web.accounts.throttle import Throttle
from benchmaker.web.workbench import Workbench

Verify = Callable[[str | None, str], bool]
"""Checks a password against a hash; takes as long without a hash."""

LASTS_S: Final = 14 * 86_400
"""Seconds after which a sign-in ends, however much it is used."""

_AT_ONCE: Final = 2
"""Hashing takes 64 MiB; further tries wait for their turn."""

_LONGEST_AGENT: Final = 200
_LOG = logging.getLogger("benchmaker.web.accounts")


def _verify(password_hash: str | None, password: str) -> bool:
    from benchmaker.accounts import passwords  # noqa: PLC0415  an extra

    return passwords.verify(password_hash, password)


class SignIns:
    """Checks passwords, with one hash per try, whether or not the person exists."""

    def __init__(self, bench: Workbench, *, verify: Verify = _verify) -> None:
        self._bench = bench
        self._hashing = BoundedSemaphore(_AT_ONCE)
        self.verify = verify
        self.throttle = Throttle(bench.settings.clock)

    @property
    def _accounts(self) -> AccountStore:
        return self._bench.store.accounts

    def wait_s(self, request: Request, name: str) -> float:
        """Return 0 if a password may be tried now, which counts as a try; else seconds to wait."""
        return self.throttle.try_now(name, address_of(request.scope))

    def authenticate(self, request: Request, name: str, password: str) -> User | None:
        """Return the person with that name and password; None if they do not match."""
        accounts = self._accounts
        user = accounts.user(name)
        kept = accounts.password_hash(name)
        with self._hashing:
            fits = self.verify(kept, password)
        if not fits or user is None or not user.is_enabled:
            _LOG.warning("a password was refused, tried from %s", address_of(request.scope))
            return None
        self.throttle.record_success(name, address_of(request.scope))
        return user

    def open_session(self, request: Request, user: User) -> str:
        """Sign a person in under a new session name; the previous one ends.

        Returns the value of its cookie.
        """
        self.end_session(request)
        teams = self._accounts.teams_of(user.id)
        team, role = (teams[0][0].slug, teams[0][1]) if teams else ("", Role.VIEWER)
        cookie = new_cookie()
        self._accounts.open_session(
            user.id,
            tokens.hash_secret(cookie),
            team=team or MAIN,
            address=address_of(request.scope),
            agent=_printable_agent(request.headers.get("user-agent", "")),
            expires_at=iso_timestamp(self._bench.settings.clock() + LASTS_S),
        )
        request.state.actor = Actor(user_id=user.id, name=user.name, team=team, role=role)
        return cookie

    def end_session(self, request: Request) -> None:
        """End the sign-in that the browser has, if it has one."""
        headers = Headers(scope=request.scope)
        cookie = SIGNED_IN.read(headers, is_https=is_https(request.scope, self._bench))
        session = self._accounts.session_by_hash(tokens.hash_secret(cookie)) if cookie else None
        if session is not None:
            self._accounts.revoke_session(session.id)


def _printable_agent(agent: str) -> str:
    return "".join(it for it in agent[:_LONGEST_AGENT] if it.isprintable())
