"""People: rows in, rows out; never deleted, since records refer to them."""

import re

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import MAIN, Role, User
from benchmaker.store.database.account_tables import api_tokens, members, sign_ins, teams, users
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.people.teams import refuse_without_admin

_NAME = re.compile(r"[a-z0-9._-]{2,40}")
_COLUMNS = (users.c.id, users.c.name, users.c.made_at, users.c.disabled_at, users.c.oidc)


def has_users(database: Database) -> bool:
    """True if there are any people."""
    with database.read() as connection:
        return _is_anybody(connection)


def add_user(
    database: Database, user_id: str, name: str, password_hash: str | None, *, oidc: str = ""
) -> User:
    """Store a new person; the first one becomes an admin of the team ``main``.

    Raises:
        SpecError: an invalid name, or the name or the ``oidc`` identity is taken.
    """
    check_user_name(name)
    made = User(id=user_id, name=name, made_at=database.now_utc(), oidc=oidc)
    with database.write() as connection:
        _make_main(connection, made.made_at)
        is_first = not _is_anybody(connection)
        row = {"id": made.id, "name": name, "made_at": made.made_at, "oidc": escape(oidc)}
        if not insert_new(connection, users, {**row, "password_hash": password_hash}):
            raise SpecError(
                f"there is a user {name!r} already, or one with the same identity elsewhere.",
                hint="Choose another name; see: benchmaker user list",
            )
        if is_first:
            first = {"team": MAIN, "user_id": made.id, "role": Role.ADMIN.value}
            connection.execute(insert(members).values(**first))
    return made


def find_user(database: Database, name: str) -> User | None:
    """Return the person with that sign-in name; None if unknown."""
    return _find_one(database, _rows().where(users.c.name == escape(name)))


def find_user_by_id(database: Database, user_id: str) -> User | None:
    """Return the person with that id; None if unknown."""
    return _find_one(database, _rows().where(users.c.id == escape(user_id)))


def find_user_by_oidc(database: Database, oidc: str) -> User | None:
    """Return the person with that external identity; None if unknown."""
    return _find_one(database, _rows().where(users.c.oidc == escape(oidc))) if oidc else None


def list_users(database: Database) -> tuple[User, ...]:
    """Return all people by name, including disabled ones."""
    with database.read() as connection:
        found = [_user_of(row) for row in connection.execute(_rows()).mappings()]
    return tuple(sorted(found, key=lambda user: user.name))


def password_hash(database: Database, name: str) -> str | None:
    """Return the hash of that person's password; None without one, or for an unknown person."""
    wanted = select(users.c.password_hash).where(users.c.name == escape(name))
    with database.read() as connection:
        return connection.scalar(wanted)


def set_password(database: Database, user_id: str, password_hash: str | None) -> None:
    """Replace a person's password; None disables sign-in by password."""
    with database.write() as connection:
        changed = update(users).where(users.c.id == escape(user_id))
        _refuse_nobody(connection.execute(changed.values(password_hash=password_hash)).rowcount)


def set_oidc(database: Database, user_id: str, oidc: str) -> None:
    """Set a person's external identity; empty to remove it.

    Raises:
        Conflict: it belongs to another person.
    """
    with database.write() as connection:
        taken = select(users.c.id).where(users.c.oidc == escape(oidc), users.c.oidc != "")
        if connection.scalar(taken) not in {None, user_id}:
            raise Conflict("this identity belongs to another user.")
        changed = update(users).where(users.c.id == escape(user_id)).values(oidc=escape(oidc))
        _refuse_nobody(connection.execute(changed).rowcount)


def take_oidc(database: Database, user_id: str, oidc: str, *, before: str) -> bool:
    """Replace the external identity ``before`` of a person; False if that has changed.

    Raises:
        Conflict: it belongs to another person.
    """
    own = (users.c.id == escape(user_id), users.c.oidc == escape(before))
    with database.write() as connection:
        taken = select(users.c.id).where(users.c.oidc == escape(oidc), users.c.oidc != "")
        if connection.scalar(taken) not in {None, user_id}:
            raise Conflict("this identity belongs to another user.")
        changed = update(users).where(*own, users.c.disabled_at.is_(None))
        return connection.execute(changed.values(oidc=escape(oidc))).rowcount == 1


def disable(database: Database, user_id: str) -> None:
    """Let a person in no more: their sign-ins end and their tokens are revoked, for good.

    Raises:
        SpecError: there is no such person, or a team would be left without an admin.
    """
    now = database.now_utc()
    own = escape(user_id)
    with database.write() as connection:
        refuse_without_admin(connection, own)
        changed = update(users).where(users.c.id == own)
        is_still = func.coalesce(users.c.disabled_at, now)
        _refuse_nobody(connection.execute(changed.values(disabled_at=is_still)).rowcount)
        connection.execute(delete(sign_ins).where(sign_ins.c.user_id == own))
        working = (api_tokens.c.user_id == own, api_tokens.c.revoked_at.is_(None))
        connection.execute(update(api_tokens).where(*working).values(revoked_at=now))


def enable(database: Database, user_id: str) -> None:
    """Enable a person with their former roles; they need a new sign-in and new tokens."""
    with database.write() as connection:
        changed = update(users).where(users.c.id == escape(user_id)).values(disabled_at=None)
        _refuse_nobody(connection.execute(changed).rowcount)


def check_user_name(name: str) -> None:
    """Raise SpecError for an invalid user name."""
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"{name!r} can't be the name of a user.",
            hint="Take 2 to 40 of: small letters, digits, dot, underscore, hyphen.",
        )


def _is_anybody(connection: Connection) -> bool:
    return connection.execute(select(users.c.id).limit(1)).first() is not None


def _make_main(connection: Connection, now: str) -> None:
    """Create the first team if it is missing; a concurrent first user waits for it."""
    flags = {"is_public": 0, "is_moderated": 0}
    insert_new(connection, teams, {"slug": MAIN, "title": "Main", "made_at": now, **flags})
    connection.execute(select(teams.c.slug).where(teams.c.slug == MAIN).with_for_update())


def _refuse_nobody(changed: int) -> None:
    if not changed:
        raise SpecError("there is no such user.", hint="See: benchmaker user list")


def _rows() -> Select[tuple[object, ...]]:
    return select(*_COLUMNS)


def _find_one(database: Database, wanted: Select[tuple[object, ...]]) -> User | None:
    with database.read() as connection:
        row = connection.execute(wanted).mappings().first()
    return None if row is None else _user_of(row)


def _user_of(row: RowMapping) -> User:
    return User(
        id=row["id"],
        name=row["name"],
        made_at=row["made_at"],
        disabled_at=row["disabled_at"],
        oidc=unescape(row["oidc"]),
    )
