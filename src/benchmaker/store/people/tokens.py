"""API tokens: rows in, rows out; only hashes of secrets are stored."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, Select, insert, or_, select, update

from benchmaker.errors import SpecError
from benchmaker.record.account import ApiToken, TokenScope
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.store.database.account_tables import api_tokens, users
from benchmaker.store.database.new_ids import IdRoom

_NAME = 80
_EVERY = timedelta(minutes=1)
"""Minimum interval between recorded uses, so that not every request writes."""


class TokenStore(IdRoom):
    """API tokens."""

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
        """Store a new token; return it with its time.

        Raises:
            SpecError: invalid name, or invalid scopes.
            Conflict: unknown team or person.
        """
        made = ApiToken(
            id=self._new_id("t"),
            user_id=user_id,
            team=team,
            name=name,
            scopes=scopes_of(scopes),
            made_at=self.database.now_utc(),
            expires_at=expires_at,
        )
        if not 0 < len(made.name) <= _NAME:
            raise SpecError(
                f"the name of a token must have 1 to {_NAME} characters.",
                hint="Choose another name.",
            )
        if not made.scopes:
            named = ", ".join(TokenScope)
            raise SpecError("a token needs a scope.", hint=f"Use one or more of: {named}.")
        with self.database.write() as connection:
            row = {**_row(made), "secret_hash": secret_hash}
            connection.execute(insert(api_tokens).values(**row))
        return made

    def token_by_hash(self, secret_hash: str) -> ApiToken | None:
        """Return the token with that secret; None if expired, revoked, or its person is disabled.

        Look up the person's role in its team separately: they may have left it.
        """
        wanted = (
            _rows()
            .join(users, users.c.id == api_tokens.c.user_id)
            .where(api_tokens.c.secret_hash == secret_hash, users.c.disabled_at.is_(None))
        )
        with self.database.read() as connection:
            row = connection.execute(wanted).mappings().first()
        found = None if row is None else _token_of(row)
        return found if found and found.works_at(self.database.now_utc()) else None

    def touch_token(self, token_id: str, at: str) -> bool:
        """Record a use, at most once a minute; return True if recorded."""
        own = api_tokens.c.id == token_id
        is_due = or_(
            api_tokens.c.last_used_at.is_(None), api_tokens.c.last_used_at < minute_before(at)
        )
        with self.database.read() as connection:
            if connection.execute(select(api_tokens.c.id).where(own, is_due)).first() is None:
                return False
        with self.database.write() as connection:
            changed = update(api_tokens).where(own, is_due).values(last_used_at=at)
            return connection.execute(changed).rowcount == 1

    def revoke_token(self, token_id: str) -> ApiToken:
        """Revoke a token; no effect if it is revoked already.

        Raises:
            SpecError: unknown id.
        """
        own = api_tokens.c.id == token_id
        with self.database.write() as connection:
            working = update(api_tokens).where(own, api_tokens.c.revoked_at.is_(None))
            connection.execute(working.values(revoked_at=self.database.now_utc()))
            row = connection.execute(_rows().where(own)).mappings().first()
        if row is None:
            raise SpecError(f"there is no token {token_id!r}.", hint="See: benchmaker token list")
        return _token_of(row)

    def tokens(
        self, *, team: str | None = None, user_id: str | None = None
    ) -> tuple[ApiToken, ...]:
        """Return tokens, including invalid ones, newest first."""
        wanted = _rows()
        if team is not None:
            wanted = wanted.where(api_tokens.c.team == team)
        if user_id is not None:
            wanted = wanted.where(api_tokens.c.user_id == user_id)
        with self.database.read() as connection:
            found = [_token_of(row) for row in connection.execute(wanted).mappings()]
        return tuple(sorted(found, key=lambda token: (token.made_at, token.id), reverse=True))


def minute_before(at: str) -> str:
    """Return the time a minute earlier, both UTC, ISO 8601 with milliseconds."""
    return iso_timestamp(datetime.fromisoformat(at) - _EVERY)


def scopes_of(words: Collection[str]) -> tuple[TokenScope, ...]:
    """Return scopes by name, each once, in the order of :class:`TokenScope`.

    Raises:
        SpecError: unknown scope.
    """
    unknown = sorted(set(words) - set(TokenScope))
    if unknown:
        named = ", ".join(TokenScope)
        raise SpecError(f"unknown scope {unknown[0]!r}.", hint=f"Use one or more of: {named}.")
    return tuple(scope for scope in TokenScope if scope in set(words))


def _rows() -> Select[tuple[object, ...]]:
    return select(*(column for column in api_tokens.c if column.name != "secret_hash"))


def _row(token: ApiToken) -> dict[str, str | None]:
    return {
        "id": token.id,
        "user_id": token.user_id,
        "team": token.team,
        "name": token.name,
        "scopes": " ".join(token.scopes),
        "made_at": token.made_at,
        "expires_at": token.expires_at,
    }


def _token_of(row: RowMapping) -> ApiToken:
    return ApiToken(
        id=row["id"],
        user_id=row["user_id"],
        team=row["team"],
        name=row["name"],
        scopes=scopes_of(row["scopes"].split()),
        made_at=row["made_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )
