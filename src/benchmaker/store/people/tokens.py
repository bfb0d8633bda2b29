"""API tokens: rows in, rows out; of a secret there is only a hash."""

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, Select, insert, or_, select, update

from benchmaker.errors import SpecError
from benchmaker.record.account import ApiToken, TokenScope
from benchmaker.store.database.account_tables import api_tokens, users
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape

_NAME = 80
_EVERY = timedelta(minutes=1)
"""A use is noted no more often than this, so that requests are not all writes."""


def add_token(database: Database, token: ApiToken, secret_hash: str) -> ApiToken:
    """Keep a new token; returns it with its time.

    Raises:
        SpecError: the name or the scopes are none.
        Conflict: there is no such team or person.
    """
    if not 0 < len(token.name) <= _NAME:
        raise SpecError(f"a token's name has 1 to {_NAME} characters.", hint="Give another one.")
    if not token.scopes:
        named = ", ".join(TokenScope)
        raise SpecError("a token needs a scope.", hint=f"Give one or more of: {named}.")
    with database.write() as connection:
        row = {**_row(token), "secret_hash": secret_hash}
        connection.execute(insert(api_tokens).values(**row))
    return token


def token_by_hash(database: Database, secret_hash: str) -> ApiToken | None:
    """Return the token with that secret; None if unknown or currently invalid."""
    wanted = (
        _rows()
        .join(users, users.c.id == api_tokens.c.user_id)
        .where(api_tokens.c.secret_hash == escape(secret_hash), users.c.disabled_at.is_(None))
    )
    with database.read() as connection:
        row = connection.execute(wanted).mappings().first()
    found = None if row is None else _token_of(row)
    return found if found and found.works_at(database.now_utc()) else None


def touch_token(database: Database, token_id: str, at: str) -> bool:
    """Record a use, unless one was recorded in the last minute; return True if recorded."""
    own = api_tokens.c.id == escape(token_id)
    is_due = or_(api_tokens.c.last_used_at.is_(None), api_tokens.c.last_used_at < minute_before(at))
    with database.read() as connection:
        if connection.execute(select(api_tokens.c.id).where(own, is_due)).first() is None:
            return False
    with database.write() as connection:
        changed = update(api_tokens).where(own, is_due).values(last_used_at=at)
        return connection.execute(changed).rowcount == 1


def revoke_token(database: Database, token_id: str) -> ApiToken:
    """Revoke a token; no effect if it is revoked already.

    Raises:
        SpecError: unknown id.
    """
    own = api_tokens.c.id == escape(token_id)
    with database.write() as connection:
        working = update(api_tokens).where(own, api_tokens.c.revoked_at.is_(None))
        connection.execute(working.values(revoked_at=database.now_utc()))
        row = connection.execute(_rows().where(own)).mappings().first()
    if row is None:
        raise SpecError(f"there is no token {token_id!r}.", hint="See: benchmaker token list")
    return _token_of(row)


def list_tokens(
    database: Database, *, team: str | None = None, user_id: str | None = None
) -> tuple[ApiToken, ...]:
    """The tokens of a team, of a person, or of both; the newest first."""
    wanted = _rows()
    if team is not None:
        wanted = wanted.where(api_tokens.c.team == escape(team))
    if user_id is not None:
        wanted = wanted.where(api_tokens.c.user_id == escape(user_id))
    with database.read() as connection:
        found = [_token_of(row) for row in connection.execute(wanted).mappings()]
    return tuple(sorted(found, key=lambda token: (token.made_at, token.id), reverse=True))


def minute_before(at: str) -> str:
    """The time a minute before this one, both UTC, ISO 8601 with milliseconds."""
    moment = datetime.fromisoformat(at) - _EVERY
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def scopes_of(words: Collection[str]) -> tuple[TokenScope, ...]:
    """Scopes by name, each once, in the order of :class:`TokenScope`.

    Raises:
        SpecError: there is no scope of such a name.
    """
    unknown = sorted(set(words) - set(TokenScope))
    if unknown:
        named = ", ".join(TokenScope)
        raise SpecError(f"there is no scope {unknown[0]!r}.", hint=f"The scopes are: {named}.")
    return tuple(scope for scope in TokenScope if scope in set(words))


def _rows() -> Select[tuple[object, ...]]:
    return select(*(column for column in api_tokens.c if column.name != "secret_hash"))


def _row(token: ApiToken) -> dict[str, str | None]:
    return {
        "id": token.id,
        "user_id": escape(token.user_id),
        "team": escape(token.team),
        "name": escape(token.name),
        "scopes": " ".join(token.scopes),
        "made_at": token.made_at,
        "expires_at": token.expires_at,
    }


def _token_of(row: RowMapping) -> ApiToken:
    return ApiToken(
        id=row["id"],
        user_id=row["user_id"],
        team=row["team"],
        name=unescape(row["name"]),
        scopes=scopes_of(row["scopes"].split()),
        made_at=row["made_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )
