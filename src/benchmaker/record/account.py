"""People, teams and their permissions."""

from collections.abc import Collection
from enum import StrEnum

import msgspec

MAIN = "main"
"""The team of the data folder itself, with all data from before accounts existed."""


class Role(StrEnum):
    """A person's role in a team; each role includes the permissions of those before it."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """True if this role includes the permissions of the other.

        >>> Role.ADMIN.covers(Role.MEMBER), Role.VIEWER.covers(Role.MEMBER)
        (True, False)
        """
        order = tuple(Role)
        return order.index(self) >= order.index(needed)


class TokenScope(StrEnum):
    """The scope of an API token; never exceeds the role of its owner."""

    READ = "read"
    SUBMIT = "submit"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "TokenScope") -> bool:
        """True if this scope includes the other: each includes ``read``, and ``admin`` all.

        >>> TokenScope.WRITE.covers(TokenScope.READ), TokenScope.WRITE.covers(TokenScope.SUBMIT)
        (True, False)
        """
        return self is needed or needed is TokenScope.READ or self is TokenScope.ADMIN


def scopes_cover(scopes: Collection[TokenScope] | None, needed: TokenScope) -> bool:
    """True if any of the scopes includes the needed one; None stands for all scopes.

    >>> scopes_cover((TokenScope.SUBMIT,), TokenScope.READ), scopes_cover((), TokenScope.READ)
    (True, False)
    """
    return scopes is None or any(scope.covers(needed) for scope in scopes)


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class User(_Part, frozen=True):
    """A person with an account.

    ``name`` is the sign-in name. ``oidc`` is the issuer and the subject, separated by a space, of a
    user with external sign-in, or the expected identity of their first sign-in
    (:mod:`benchmaker.accounts.identities`); otherwise empty. Times are UTC, ISO 8601.
    """

    id: str
    name: str
    made_at: str
    disabled_at: str | None = None
    oidc: str = ""

    @property
    def is_enabled(self) -> bool:
        """True if they may sign in."""
        return self.disabled_at is None


class Team(_Part, frozen=True):
    """People who share a data folder.

    The boards of a team that ``is_public`` are visible to everyone; if it ``is_moderated``,
    submissions are shown after a moderator accepts them.
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
    """A program's credential for a person within one team; the secret is not included."""

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
        """True if it is neither revoked nor expired at this time (UTC, ISO 8601)."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


class SignIn(_Part, frozen=True):
    """A browser session of a user; ``id`` is not the value of its cookie.

    ``team`` is the selected team.
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
    """One line of the audit log: user, change and time.

    ``number`` and ``at`` are assigned by the store if 0 and empty. ``actor`` is the name
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
    """The requester: a person in a team, in a browser or by a token.

    ``scopes`` is None in a browser: all permissions of the role.
    """

    user_id: str
    name: str
    team: str
    role: Role
    scopes: tuple[TokenScope, ...] | None = None
    token_id: str = ""

    def may(self, role: Role, scope: TokenScope) -> bool:
        """True if the role, and the token's scopes if any, cover the needed permissions."""
        return self.role.covers(role) and scopes_cover(self.scopes, scope)


class RegisteredAttempt(_Part, frozen=True):
    """An attempt at a task registered before its result is known, so that every attempt counts.

    ``number`` is its place among the attempts of its team and system at the task, from 1.
    ``submission_id`` is its submission, None until there is one.
    """

    id: str
    team: str
    task_id: str
    system: str
    by: str
    made_at: str
    number: int
    submission_id: str | None = None
