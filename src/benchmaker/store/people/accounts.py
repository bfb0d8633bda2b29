"""The stores of people, teams, tokens, sign-ins, the audit log and secrets."""

import secrets as random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from benchmaker.record.account import (
    ApiToken,
    AuditEntry,
    Member,
    RegisteredAttempt,
    Role,
    SignIn,
    Team,
    TokenScope,
    User,
)
from benchmaker.store.agentic import registered_attempts
from benchmaker.store.database.database import Database
from benchmaker.store.people import audits, sign_ins, team_secrets, teams, tokens, users
from benchmaker.store.people.team_secrets import SecretName

NewId = Callable[[str], str]
"""Returns a new unique id for a kind of object (``u``, ``t``, ``s``, ``a``)."""


def random_id(kind: str) -> str:
    """An id such as ``u-4f0c29be71a3``."""
    return f"{kind}-{random.token_hex(6)}"


class AccountStore:
    """Permissions of people, and their audit log.

    Methods that change something raise :class:`~benchmaker.errors.SpecError` for errors that a user
    can correct, such as a taken or unknown name. Times are UTC, ISO 8601 with milliseconds.
    """

    def __init__(self, database: Database, *, new_id: NewId = random_id) -> None:
        self.database = database
        self._new_id = new_id
        self._had_users = False

    def now_utc(self) -> str:
        """The time of the store's clock, UTC, ISO 8601 with milliseconds."""
        return self.database.now_utc()

    # People

    def has_users(self) -> bool:
        """True if there are users, so that accounts are in use; a yes is remembered."""
        self._had_users = self._had_users or users.has_users(self.database)
        return self._had_users

    def add_user(self, name: str, password_hash: str | None, *, oidc: str = "") -> User:
        """A new person, in no team; but the first one is an admin of ``main``."""
        user_id = self._new_id("u")
        return users.add_user(self.database, user_id, name, password_hash, oidc=oidc)

    def user(self, name: str) -> User | None:
        """Return the person with that sign-in name; None if unknown."""
        return users.find_user(self.database, name)

    def user_by_id(self, user_id: str) -> User | None:
        """Return the person with that id; None if unknown."""
        return users.find_user_by_id(self.database, user_id)

    def user_by_oidc(self, oidc: str) -> User | None:
        """The person of that identity elsewhere (issuer, space, subject); None without one."""
        return users.find_user_by_oidc(self.database, oidc)

    def users(self) -> tuple[User, ...]:
        """Return all people by name, including disabled ones."""
        return users.list_users(self.database)

    def password_hash(self, name: str) -> str | None:
        """Return the hash of the person's password; None without one, or for an unknown person."""
        return users.password_hash(self.database, name)

    def set_password(self, user_id: str, password_hash: str | None) -> None:
        """Replace a password; the person stays signed in where they are."""
        users.set_password(self.database, user_id, password_hash)

    def set_oidc(self, user_id: str, oidc: str) -> None:
        """Let a person sign in by an identity elsewhere; Conflict where it is another's."""
        users.set_oidc(self.database, user_id, oidc)

    def take_oidc(self, user_id: str, oidc: str, *, before: str) -> bool:
        """The same in place of ``before``, and only there; False where that is not so."""
        return users.take_oidc(self.database, user_id, oidc, before=before)

    def disable(self, user_id: str) -> None:
        """Let a person in no more; sign-ins end and tokens are revoked, for good."""
        users.disable(self.database, user_id)

    def enable(self, user_id: str) -> None:
        """Enable a person again, with their former roles."""
        users.enable(self.database, user_id)

    # Teams

    def add_team(self, slug: str, title: str = "") -> Team:
        """A new team without anybody in it."""
        return teams.add_team(self.database, slug, title)

    def teams(self) -> tuple[Team, ...]:
        """Every team, by short name; ``main`` is there once there is a person."""
        return teams.list_teams(self.database)

    def team(self, slug: str) -> Team | None:
        """Return the team with that short name; None if unknown."""
        return teams.find_team(self.database, slug)

    def set_team(
        self,
        slug: str,
        *,
        title: str | None = None,
        is_public: bool | None = None,
        is_moderated: bool | None = None,
    ) -> Team:
        """Change only the given fields of a team."""
        return teams.set_team(
            self.database, slug, title=title, is_public=is_public, is_moderated=is_moderated
        )

    def set_role(self, team: str, user_id: str, role: Role | None) -> None:
        """Set a person's role in a team, or remove them with None; the last admin is kept."""
        teams.set_role(self.database, team, user_id, role)

    def members(self, team: str) -> tuple[Member, ...]:
        """Return the members of a team with their roles, by name."""
        return teams.list_members(self.database, team)

    def teams_of(self, user_id: str) -> tuple[tuple[Team, Role], ...]:
        """The teams that a person is in, by short name."""
        return teams.teams_of(self.database, user_id)

    def role(self, user_id: str, team: str) -> Role | None:
        """Return a person's role in a team; None if they are not in it."""
        return teams.find_role(self.database, user_id, team)

    # Tokens

    def add_token(
        self,
        user_id: str,
        team: str,
        *,
        name: str,
        scopes: Sequence[TokenScope],
        secret_hash: str,
        expires_at: str | None = None,
    ) -> ApiToken:
        """A new token of a person for a team; see :mod:`benchmaker.accounts.tokens`."""
        made = ApiToken(
            id=self._new_id("t"),
            user_id=user_id,
            team=team,
            name=name,
            scopes=tokens.scopes_of(scopes),
            made_at=self.database.now_utc(),
            expires_at=expires_at,
        )
        return tokens.add_token(self.database, made, secret_hash)

    def token_by_hash(self, secret_hash: str) -> ApiToken | None:
        """Return the token with that secret; None if expired, revoked, or its person is disabled.

        Look up the person's role in its team separately: they may have left it.
        """
        return tokens.token_by_hash(self.database, secret_hash)

    def touch_token(self, token_id: str, at: str) -> bool:
        """Record a use, at most once a minute; return True if recorded."""
        return tokens.touch_token(self.database, token_id, at)

    def revoke_token(self, token_id: str) -> ApiToken:
        """Let a token in no more."""
        return tokens.revoke_token(self.database, token_id)

    def tokens(
        self, *, team: str | None = None, user_id: str | None = None
    ) -> tuple[ApiToken, ...]:
        """Return tokens, including invalid ones, newest first."""
        return tokens.list_tokens(self.database, team=team, user_id=user_id)

    # Sign-ins

    def open_session(
        self,
        user_id: str,
        cookie_hash: str,
        *,
        team: str,
        address: str,
        agent: str,
        expires_at: str,
    ) -> SignIn:
        """A browser in which a person has just signed in."""
        now = self.database.now_utc()
        made = SignIn(
            id=self._new_id("s"),
            user_id=user_id,
            made_at=now,
            seen_at=now,
            expires_at=expires_at,
            address=address,
            agent=agent,
            team=team,
        )
        return sign_ins.open_session(self.database, made, cookie_hash)

    def session_by_hash(self, cookie_hash: str) -> SignIn | None:
        """The sign-in of a cookie; None where none counts: ended, expired, its person disabled."""
        return sign_ins.session_by_hash(self.database, cookie_hash)

    def touch_session(self, session_id: str, at: str) -> bool:
        """Record a use, at most once a minute; return True if recorded."""
        return sign_ins.touch_session(self.database, session_id, at)

    def set_session_team(self, session_id: str, team: str) -> None:
        """Set which team is looked at."""
        sign_ins.set_session_team(self.database, session_id, team)

    def revoke_session(self, session_id: str) -> bool:
        """End a sign-in; False if it had already ended."""
        return sign_ins.revoke_session(self.database, session_id)

    def revoke_sessions(self, user_id: str, *, but: str | None = None) -> int:
        """End all sign-ins of a person except ``but``; return their number."""
        return sign_ins.revoke_sessions(self.database, user_id, but=but)

    def sessions(self, user_id: str) -> tuple[SignIn, ...]:
        """Return a person's sign-ins, last used first."""
        return sign_ins.list_sessions(self.database, user_id)

    # Audit log

    def write_transaction(self) -> AbstractContextManager[None]:
        """Around a change and its line: both are kept, or neither is."""
        return self.database.write_transaction()

    def audit(self, entry: AuditEntry) -> AuditEntry:
        """Store a permanent line of the log; return it with its number and time."""
        return audits.add_audit(self.database, entry)

    def audit_entries(
        self,
        *,
        before: int | None = None,
        limit: int = 50,
        actor: str | None = None,
        action: str | None = None,
        team: str | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Lines, the newest first, with a number below ``before``; ``run.`` is all of a kind."""
        return audits.read_audit(
            self.database, before=before, limit=limit, actor=actor, action=action, team=team
        )

    # Secrets

    def put_secret(self, team: str, name: str, ciphertext: bytes, *, by: str, at: str = "") -> None:
        """Keep an encrypted secret under its name, instead of an earlier one."""
        at = at or self.database.now_utc()
        team_secrets.put_secret(self.database, team, name, ciphertext, by=by, at=at)

    def secret_names(self, team: str) -> tuple[SecretName, ...]:
        """The names of a team's secrets with who put them in and when, by name."""
        return team_secrets.secret_names(self.database, team)

    def secrets(self, team: str) -> dict[str, bytes]:
        """The encrypted secrets of a team by name."""
        return team_secrets.read_secrets(self.database, team)

    def drop_secret(self, team: str, name: str) -> bool:
        """Delete a secret; False if it does not exist."""
        return team_secrets.drop_secret(self.database, team, name)

    # Attempts

    def register_attempt(self, team: str, task_id: str, *, system: str, by: str) -> str:
        """Announce an attempt of a system at a task; returns its id."""
        return registered_attempts.register_attempt(
            self.database, self._new_id("a"), team=team, task_id=task_id, system=system, by=by
        )

    def attempts(
        self, task_id: str, system: str, *, team: str | None = None
    ) -> tuple[RegisteredAttempt, ...]:
        """The attempts of a system at a task, of any team or of one, the first first."""
        return registered_attempts.list_attempts(self.database, task_id, system, team=team)

    def bind_attempt(self, attempt_id: str, submission_id: str) -> bool:
        """Store the result of an attempt; Conflict for another result, False if known."""
        return registered_attempts.bind_attempt(self.database, attempt_id, submission_id)

    def free_attempt(self, attempt_id: str, submission_id: str) -> None:
        """Remove this submission as the result of an attempt, since it was not stored."""
        registered_attempts.free_attempt(self.database, attempt_id, submission_id)
