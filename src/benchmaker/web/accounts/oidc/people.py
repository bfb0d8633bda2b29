"""Whose account it is: by issuer and subject, and the first time by what an admin awaits."""

from collections.abc import Mapping
from typing import Any, Final

from benchmaker.accounts.identities import awaited, awaited_value, identity, is_claim_value
from benchmaker.accounts.oidc_settings import (
    EMAIL,
    GROUPS,
    USUAL_CLAIM,
    Joining,
    OidcSettings,
)
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import User
from benchmaker.store.people.accounts import AccountStore
from benchmaker.web.accounts.oidc.refusal import Refused, Unknown

KNOWN: Final = "known"
FIRST: Final = "first time"
JOINED: Final = "joined"

Claims = Mapping[str, Any]
"""What a verified ID token says."""


class People:
    """Finds the person of an identity; nobody gets another one's account by a name or an address.

    Args:
        accounts: the people.
        settings: the provider, which claim is awaited, and who joins by themselves.
    """

    def __init__(self, accounts: AccountStore, settings: OidcSettings) -> None:
        self._accounts = accounts
        self._settings = settings

    def of(self, claims: Claims) -> tuple[User, str]:
        """The person, and how they were found: :data:`KNOWN`, :data:`FIRST` or :data:`JOINED`.

        Raises:
            Refused: there is none, or they may not sign in.
        """
        own = identity(self._settings.issuer, claims["sub"])
        if (user := self._accounts.user_by_oidc(own)) is not None:
            return _enabled(user), KNOWN
        if (user := self._awaited(claims, own)) is not None:
            return user, FIRST
        if (joining := self._settings.joining) is not None:
            return self._joined(claims, own, joining), JOINED
        raise Unknown("nobody here is known by this identity.")

    def link(self, claims: Claims, user_id: str) -> User:
        """Let a person who is signed in be known by this identity, too.

        Raises:
            Refused: it is another person's, or theirs is another one.
        """
        user = self._accounts.user_by_id(user_id)
        if user is None:
            raise Refused("the person who began it is gone.")
        own = identity(self._settings.issuer, claims["sub"])
        if user.oidc != own:
            before = user.oidc if awaited_value(user.oidc) else ""
            self._take(_enabled(user), own, before=before)
        return user

    def _awaited(self, claims: Claims, own: str) -> User | None:
        """The person whose first sign-in it is; from now on the identity alone counts."""
        value = told(claims, self._settings.claim)
        user = self._accounts.user_by_oidc(awaited(value)) if value else None
        if user is not None:
            self._take(_enabled(user), own, before=awaited(value))
        return user

    def _take(self, user: User, own: str, *, before: str) -> None:
        try:
            is_taken = self._accounts.take_oidc(user.id, own, before=before)
        except Conflict as exc:
            raise Refused("the identity belongs to another user.") from exc
        if not is_taken:
            raise Refused("the account belongs to another identity.")

    def _joined(self, claims: Claims, own: str, joining: Joining) -> User:
        if not _may_join(claims, joining):
            raise Unknown("nobody here is known by this identity, and it may not join.")
        if self._accounts.team(joining.team) is None:
            raise Refused(f"there is no team {joining.team!r} to join.")
        name = _name(claims)
        try:
            user = self._accounts.add_user(name, None, oidc=own)
        except SpecError as exc:  # odd, or another person's
            raise Unknown("the name of the person can't be taken here, or is taken.") from exc
        self._accounts.set_role(joining.team, user.id, joining.role)
        return user


def told(claims: Claims, claim: str) -> str:
    """What a claim says of a person; nothing of an e-mail address that nobody verified."""
    if claim == EMAIL and claims.get("email_verified") is not True:
        return ""
    found = claims.get(claim)
    return found if isinstance(found, str) and is_claim_value(found) else ""


def _enabled(user: User) -> User:
    if not user.is_enabled:
        raise Unknown("the person may not sign in.")
    return user


def _may_join(claims: Claims, joining: Joining) -> bool:
    name, _, domain = told(claims, EMAIL).rpartition("@")
    if name and domain.lower() in joining.domains:
        return True
    groups = claims.get(GROUPS)
    named = groups if isinstance(groups, list) else []
    return any(one in joining.groups for one in named if isinstance(one, str))


def _name(claims: Claims) -> str:
    """What somebody new is called: the name, or what stands before the @ of it."""
    return (told(claims, USUAL_CLAIM) or told(claims, EMAIL)).partition("@")[0].lower()
