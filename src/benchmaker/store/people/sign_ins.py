"""Browser sign-ins: rows in, rows out; only hashes of cookies are stored."""

from sqlalchemy import RowMapping, Select, delete, insert, select, update

from benchmaker.errors import SpecError
from benchmaker.record.account import SignIn
from benchmaker.store.database.account_tables import sign_ins, users
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.people.tokens import minute_before

_AGENT = 300


def open_session(database: Database, made: SignIn, cookie_hash: str) -> SignIn:
    """Keep a new sign-in; those of the same person that ran out are forgotten.

    Raises:
        Conflict: there is no such team or person.
    """
    kept = SignIn(
        id=made.id,
        user_id=made.user_id,
        made_at=made.made_at,
        seen_at=made.seen_at,
        expires_at=made.expires_at,
        address=made.address[:_AGENT],
        agent=made.agent[:_AGENT],
        team=made.team,
    )
    with database.write() as connection:
        own = sign_ins.c.user_id == escape(made.user_id)
        connection.execute(delete(sign_ins).where(own, sign_ins.c.expires_at <= made.made_at))
        connection.execute(insert(sign_ins).values(**_row(kept), cookie_hash=cookie_hash))
    return kept


def session_by_hash(database: Database, cookie_hash: str) -> SignIn | None:
    """Return the sign-in of that cookie; None if unknown or no longer valid."""
    wanted = (
        _rows()
        .join(users, users.c.id == sign_ins.c.user_id)
        .where(
            sign_ins.c.cookie_hash == escape(cookie_hash),
            sign_ins.c.expires_at > database.now_utc(),
            users.c.disabled_at.is_(None),
        )
    )
    with database.read() as connection:
        row = connection.execute(wanted).mappings().first()
    return None if row is None else _sign_in_of(row)


def touch_session(database: Database, session_id: str, at: str) -> bool:
    """Record a use, unless one was recorded in the last minute; return True if recorded."""
    due = (sign_ins.c.id == escape(session_id), sign_ins.c.seen_at < minute_before(at))
    with database.read() as connection:
        if connection.execute(select(sign_ins.c.id).where(*due)).first() is None:
            return False
    with database.write() as connection:
        changed = update(sign_ins).where(*due).values(seen_at=at)
        return connection.execute(changed).rowcount == 1


def set_session_team(database: Database, session_id: str, team: str) -> None:
    """Set which team is looked at.

    Raises:
        SpecError: the sign-in has ended.
        Conflict: there is no such team.
    """
    with database.write() as connection:
        changed = update(sign_ins).where(sign_ins.c.id == escape(session_id))
        if not connection.execute(changed.values(team=escape(team))).rowcount:
            raise SpecError("this sign-in has ended.", hint="Sign in again.")


def revoke_session(database: Database, session_id: str) -> bool:
    """End a sign-in; False if it had already ended."""
    with database.write() as connection:
        ended = delete(sign_ins).where(sign_ins.c.id == escape(session_id))
        return connection.execute(ended).rowcount == 1


def revoke_sessions(database: Database, user_id: str, *, but: str | None = None) -> int:
    """End all sign-ins of a person except one; return their number."""
    wanted = delete(sign_ins).where(sign_ins.c.user_id == escape(user_id))
    if but is not None:
        wanted = wanted.where(sign_ins.c.id != escape(but))
    with database.write() as connection:
        return connection.execute(wanted).rowcount


def list_sessions(database: Database, user_id: str) -> tuple[SignIn, ...]:
    """Return a person's sign-ins, last used first."""
    wanted = _rows().where(
        sign_ins.c.user_id == escape(user_id), sign_ins.c.expires_at > database.now_utc()
    )
    with database.read() as connection:
        found = [_sign_in_of(row) for row in connection.execute(wanted).mappings()]
    return tuple(sorted(found, key=lambda it: (it.seen_at, it.id), reverse=True))


def _rows() -> Select[tuple[object, ...]]:
    return select(*(column for column in sign_ins.c if column.name != "cookie_hash"))


def _row(made: SignIn) -> dict[str, str]:
    return {
        "id": made.id,
        "user_id": escape(made.user_id),
        "team": escape(made.team),
        "made_at": made.made_at,
        "seen_at": made.seen_at,
        "expires_at": made.expires_at,
        "address": escape(made.address),
        "agent": escape(made.agent),
    }


def _sign_in_of(row: RowMapping) -> SignIn:
    return SignIn(
        id=row["id"],
        user_id=row["user_id"],
        made_at=row["made_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
        address=unescape(row["address"]),
        agent=unescape(row["agent"]),
        team=row["team"],
    )
