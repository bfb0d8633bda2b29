"""People, teams, and what they may do."""

from collections.abc import Collection
from enum import StrEnum

import msgspec

MAIN = "main"
"""The team of the data folder itself: everything that was there before there were accounts."""


class Role(StrEnum):
    """What a person is in a team; each may what those before it may."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Whether this role may what the other one may.

        >>> Role.ADMIN.covers(Role.MEMBER), Role.VIEWER.covers(Role.MEMBER)
        (True, False)
        """
        order = tuple(Role)
        return order.index(self) >= order.index(needed)


class TokenScope(StrEnum):
    """What an API token is for; it never goes beyond the role of the person it belongs to."""

    READ = "read"
    SUBMIT = "submit"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "TokenScope") -> bool:
        """Whether this scope includes the other: each includes ``read``, and ``admin`` all.

        >>> TokenScope.WRITE.covers(TokenScope.READ), TokenScope.WRITE.covers(TokenScope.SUBMIT)
        (True, False)
        """
        return self is needed or needed is TokenScope.READ or self is TokenScope.ADMIN


def scopes_cover(scopes: Collection[TokenScope] | None, needed: TokenScope) -> bool:
    """Whether any of the scopes includes the one that is needed; None stands for all.

    >>> scopes_cover((TokenScope.SUBMIT,), TokenScope.READ), scopes_cover((), TokenScope.READ)
    (True, False)
    """
    return scopes is None or any(scope.covers(needed) for scope in scopes)


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class User(_Part, frozen=True):
    """A person who may sign in.

    ``name`` is what they sign in with. ``oidc`` is the issuer and the subject, with a space
    between, of one who signs in elsewhere, or says what the first such sign-in is awaited of
    (:mod:`benchmaker.accounts.identities`); else empty. Times are UTC, ISO 8601.
    """

    id: str
    name: str
    made_at: str
    disabled_at: str | None = None
    oidc: str = ""

    @property
    def is_enabled(self) -> bool:
        """Whether they may sign in."""
        return self.disabled_at is None


class Team(_Part, frozen=True):
    """People who share a data folder.

    The boards of a team that ``is_public`` are shown to everybody; where it ``is_moderated``,
    what is handed in waits for somebody's word before it is shown.
    """

    slug: str
    title: str
    made_at: str
    is_public: bool = False
    is_moderated: bool = False


class Member(_Part, frozen=True):
    """A person's role in a team."""

    team: str
    user_id: str
    user_name: str
    role: Role


class ApiToken(_Part, frozen=True):
    """What a program signs in with, for a person and within one team; the secret is not in it."""

    id: str
    user_id: str
    team: str
    name: str
    scopes: tuple[TokenScope, ...]
    made_at: str
    expires_at: str | None = None
    last_used_at: str | None = None
    revoked_at: str | None = None

    def works_at(self, moment: str) -> bool:
        """Whether it was not revoked and has not run out at this time, UTC, ISO 8601."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


class SignIn(_Part, frozen=True):
    """A browser in which somebody is signed in; ``id`` is not what its cookie holds.

    ``team`` is the one they look at.
    """

    id: str
    user_id: str
    made_at: str
    seen_at: str
    expires_at: str
    address: str
    agent: str
    team: str


class AuditEntry(_Part, frozen=True):
    """One line of the audit log: who changed what, and when.

    ``number`` and ``at`` are given by the store where they are 0 and empty. ``actor`` is the name
    of a user, ``token NAME of USER``, ``cli`` or ``nobody``; ``action`` has the form
    ``run.start``.
    """

    actor: str
    action: str
    number: int = 0
    at: str = ""
    team: str = MAIN
    object: str = ""
    detail: str = ""
    address: str = ""
    request_id: str = ""


class Actor(_Part, frozen=True):
    """Who asks: a person in a team, in a browser or by a token.

    ``scopes`` is None in a browser: everything that the role may.
    """

    user_id: str
    name: str
    team: str
    role: Role
    scopes: tuple[TokenScope, ...] | None = None
    token_id: str = ""

    def may(self, role: Role, scope: TokenScope) -> bool:
        """Whether the role, and the token's scopes where there are any, cover what is needed."""
        return self.role.covers(role) and scopes_cover(self.scopes, scope)


class RegisteredAttempt(_Part, frozen=True):
    """An attempt at a task that was announced before its result was known, so that all count.

    ``number`` is its place among the attempts of its team and system at the task, from 1.
    ``submission_id`` is what came of it, None until something did.
    """

    id: str
    team: str
    task_id: str
    system: str
    by: str
    made_at: str
    number: int
    submission_id: str | None = None
