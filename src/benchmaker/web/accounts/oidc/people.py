"""The account of an identity: by issuer and subject, at first by the expected claim."""

from collections.abc import Mapping
from typing import Any, Final

from benchmaker.accounts.identities import awaited_value, identity, is_claim_value, pending_identity
from benchmaker.accounts.oidc_settings import (
    EMAIL,
    GROUPS,
    USUAL_CLAIM,
    JoinPolicy,
    OidcSettings,
)
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import User
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.oidc.refusal import SignInRefused, UnknownIdentity

KNOWN: Final = "known"
FIRST: Final = "first time"
JOINED: Final = "joined"

Claims = Mapping[str, Any]
"""The claims of a verified ID token."""


class People:
    """Finds the person of an identity; never by a mere name or address.

    Args:
        accounts: the account store.
        settings: the provider, the expected claim, and the rules for joining.
    """

    def __init__(self, accounts: AccountStore, settings: OidcSettings) -> None:
        self._accounts = accounts
        self._settings = settings

    def find(self, claims: Claims) -> tuple[User, str]:
        """Return the person, and how they were found: :data:`KNOWN`, :data:`FIRST`, :data:`JOINED`.

        Raises:
            Refused: there is none, or they may not sign in.
        """
        own = identity(self._settings.issuer, claims["sub"])
        if (user := self._accounts.user_by_oidc(own)) is not None:
            return _require_enabled(user), KNOWN
        if (user := self._claim_pending(claims, own)) is not None:
            return user, FIRST
        if (joining := self._settings.joining) is not None:
            return self._join(claims, own, joining), JOINED
        raise UnknownIdentity("the identity has no account here.")

    def link(self, claims: Claims, user_id: str) -> User:
        """Let a person who is signed in be known by this identity, too.

        Raises:
            Refused: it is another person's, or theirs is another one.
        """
        user = self._accounts.user_by_id(user_id)
        if user is None:
            raise SignInRefused("the user who started the sign-in is gone.")
        own = identity(self._settings.issuer, claims["sub"])
        if user.oidc != own:
            before = user.oidc if awaited_value(user.oidc) else ""
            self._take(_require_enabled(user), own, before=before)
        return user

    def _claim_pending(self, claims: Claims, own: str) -> User | None:
        """The person whose first sign-in it is; from now on the identity alone counts."""
        value = claim_value(claims, self._settings.claim)
        user = self._accounts.user_by_oidc(pending_identity(value)) if value else None
        if user is not None:
            self._take(_require_enabled(user), own, before=pending_identity(value))
        return user

    def _take(self, user: User, own: str, *, before: str) -> None:
        try:
            is_taken = self._accounts.take_oidc(user.id, own, before=before)
        except Conflict as exc:
            raise SignInRefused("the identity belongs to another user.") from exc
        if not is_taken:
            raise SignInRefused("the account belongs to another identity.")

    def _join(self, claims: Claims, own: str, joining: JoinPolicy) -> User:
        if not _may_join(claims, joining):
            raise UnknownIdentity("the identity has no account here and may not join.")
        if self._accounts.team(joining.team) is None:
            raise SignInRefused(f"there is no team {joining.team!r} to join.")
        name = _name(claims)
        try:
            user = self._accounts.add_user(name, None, oidc=own)
        except SpecError as exc:  # odd, or another person's
            raise UnknownIdentity("the user name is invalid or taken.") from exc
        self._accounts.set_role(joining.team, user.id, joining.role)
        return user


def claim_value(claims: Claims, claim: str) -> str:
    """Return a claim's value for a person; empty for an unverified e-mail address."""
    if claim == EMAIL and claims.get("email_verified") is not True:
        return ""
    found = claims.get(claim)
    return found if isinstance(found, str) and is_claim_value(found) else ""


def _require_enabled(user: User) -> User:
    if not user.is_enabled:
        raise UnknownIdentity("the user is disabled.")
    return user


def _may_join(claims: Claims, joining: JoinPolicy) -> bool:
    name, _, domain = claim_value(claims, EMAIL).rpartition("@")
    if name and domain.lower() in joining.domains:
        return True
    groups = claims.get(GROUPS)
    named = groups if isinstance(groups, list) else []
    return any(one in joining.groups for one in named if isinstance(one, str))


def _name(claims: Claims) -> str:
    """Return the name of a new user: the user name, or the part of the address before the @."""
    return (
        (claim_value(claims, USUAL_CLAIM) or claim_value(claims, EMAIL)).partition("@")[0].lower()
    )
