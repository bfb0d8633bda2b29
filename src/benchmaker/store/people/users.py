"""People: rows in, rows out; never deleted, since records refer to them."""

import re

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import MAIN, Role, User
from benchmaker.store.database.account_tables import api_tokens, members, sign_ins, teams, users
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.database.new_ids import IdRoom
from benchmaker.store.people.teams import refuse_without_admin

_NAME = re.compile(r"[a-z0-9._-]{2,40}")
_COLUMNS = (users.c.id, users.c.name, users.c.made_at, users.c.disabled_at, users.c.oidc)


class UserStore(IdRoom):
    """Users, and how they sign in."""

    def has_users(self) -> bool:
        """True if there are any people."""
        with self.database.read() as connection:
            return _is_anybody(connection)

    def add_user(self, name: str, password_hash: str | None, *, oidc: str = "") -> User:
        """Store a new person; the first one becomes an admin of the team ``main``.

        Raises:
            SpecError: an invalid name, or the name or the ``oidc`` identity is taken.
        """
        user_id = self._new_id("u")
        check_user_name(name)
        made = User(id=user_id, name=name, made_at=self.database.now_utc(), oidc=oidc)
        with self.database.write() as connection:
            _make_main(connection, made.made_at)
            is_first = not _is_anybody(connection)
            row = {"id": made.id, "name": name, "made_at": made.made_at, "oidc": oidc}
            if not insert_new(connection, users, {**row, "password_hash": password_hash}):
                raise SpecError(
                    f"a user with the name {name!r} or the same external identity already exists.",
                    hint="Choose another name; see: benchmaker user list",
                )
            if is_first:
                first = {"team": MAIN, "user_id": made.id, "role": Role.ADMIN.value}
                connection.execute(insert(members).values(**first))
        return made

    def user(self, name: str) -> User | None:
        """Return the person with that sign-in name; None if unknown."""
        return _find_one(self.database, _rows().where(users.c.name == name))

    def user_by_id(self, user_id: str) -> User | None:
        """Return the person with that id; None if unknown."""
        return _find_one(self.database, _rows().where(users.c.id == user_id))

    def user_by_oidc(self, oidc: str) -> User | None:
        """Return the person with that external identity (issuer, space, subject); else None."""
        return _find_one(self.database, _rows().where(users.c.oidc == oidc)) if oidc else None

    def users(self) -> tuple[User, ...]:
        """Return all people by name, including disabled ones."""
        with self.database.read() as connection:
            found = [_user_of(row) for row in connection.execute(_rows()).mappings()]
        return tuple(sorted(found, key=lambda user: user.name))

    def password_hash(self, name: str) -> str | None:
        """Return the hash of the person's password; None without one, or for an unknown person."""
        wanted = select(users.c.password_hash).where(users.c.name == name)
        with self.database.read() as connection:
            return connection.scalar(wanted)

    def set_password(self, user_id: str, password_hash: str | None) -> None:
        """Replace a password; the person stays signed in where they are."""
        with self.database.write() as connection:
            changed = update(users).where(users.c.id == user_id)
            _refuse_nobody(connection.execute(changed.values(password_hash=password_hash)).rowcount)

    def set_oidc(self, user_id: str, oidc: str) -> None:
        """Set a person's external identity; empty to remove it.

        Raises:
            Conflict: it belongs to another person.
        """
        with self.database.write() as connection:
            taken = select(users.c.id).where(users.c.oidc == oidc, users.c.oidc != "")
            if connection.scalar(taken) not in {None, user_id}:
                raise Conflict("another user has this identity.")
            changed = update(users).where(users.c.id == user_id).values(oidc=oidc)
            _refuse_nobody(connection.execute(changed).rowcount)

    def take_oidc(self, user_id: str, oidc: str, *, before: str) -> bool:
        """Replace the external identity ``before`` of a person; False if that has changed.

        Raises:
            Conflict: it belongs to another person.
        """
        own = (users.c.id == user_id, users.c.oidc == before)
        with self.database.write() as connection:
            taken = select(users.c.id).where(users.c.oidc == oidc, users.c.oidc != "")
            if connection.scalar(taken) not in {None, user_id}:
                raise Conflict("another user has this identity.")
            changed = update(users).where(*own, users.c.disabled_at.is_(None))
            return connection.execute(changed.values(oidc=oidc)).rowcount == 1

    def disable(self, user_id: str) -> None:
        """Disable a person: end their sign-ins, and revoke their tokens permanently.

        Raises:
            SpecError: unknown person, or a team would have no admin.
        """
        now = self.database.now_utc()
        own = user_id
        with self.database.write() as connection:
            refuse_without_admin(connection, own)
            changed = update(users).where(users.c.id == own)
            is_still = func.coalesce(users.c.disabled_at, now)
            _refuse_nobody(connection.execute(changed.values(disabled_at=is_still)).rowcount)
            connection.execute(delete(sign_ins).where(sign_ins.c.user_id == own))
            working = (api_tokens.c.user_id == own, api_tokens.c.revoked_at.is_(None))
            connection.execute(update(api_tokens).where(*working).values(revoked_at=now))

    def enable(self, user_id: str) -> None:
        """Enable a person again, with their former roles."""
        with self.database.write() as connection:
            changed = update(users).where(users.c.id == user_id).values(disabled_at=None)
            _refuse_nobody(connection.execute(changed).rowcount)


def check_user_name(name: str) -> None:
    """Raise SpecError for an invalid user name."""
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"{name!r} is not a valid user name.",
            hint="Use 2 to 40 lower-case letters, digits, dots, underscores and hyphens.",
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
        raise SpecError("no such user.", hint="See: benchmaker user list")


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
        oidc=row["oidc"],
    )
