"""Browser sign-ins: rows in, rows out; only hashes of cookies are stored."""

from sqlalchemy import RowMapping, Select, delete, insert, select, update

from benchmaker.errors import SpecError
from benchmaker.record.account import SignIn
from benchmaker.store.database.account_tables import sign_ins, users
from benchmaker.store.database.new_ids import IdRoom
from benchmaker.store.people.tokens import minute_before

_AGENT = 300


class SignInStore(IdRoom):
    """Sessions of signed-in users."""

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
        """Store a new sign-in; the person's expired ones are deleted.

        Raises:
            Conflict: unknown team or person.
        """
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
        with self.database.write() as connection:
            own = sign_ins.c.user_id == made.user_id
            connection.execute(delete(sign_ins).where(own, sign_ins.c.expires_at <= made.made_at))
            connection.execute(insert(sign_ins).values(**_row(kept), cookie_hash=cookie_hash))
        return kept

    def session_by_hash(self, cookie_hash: str) -> SignIn | None:
        """Return the sign-in of a cookie; None if ended, expired, or its person is disabled."""
        wanted = (
            _rows()
            .join(users, users.c.id == sign_ins.c.user_id)
            .where(
                sign_ins.c.cookie_hash == cookie_hash,
                sign_ins.c.expires_at > self.database.now_utc(),
                users.c.disabled_at.is_(None),
            )
        )
        with self.database.read() as connection:
            row = connection.execute(wanted).mappings().first()
        return None if row is None else _sign_in_of(row)

    def touch_session(self, session_id: str, at: str) -> bool:
        """Record a use, at most once a minute; return True if recorded."""
        due = (sign_ins.c.id == session_id, sign_ins.c.seen_at < minute_before(at))
        with self.database.read() as connection:
            if connection.execute(select(sign_ins.c.id).where(*due)).first() is None:
                return False
        with self.database.write() as connection:
            changed = update(sign_ins).where(*due).values(seen_at=at)
            return connection.execute(changed).rowcount == 1

    def set_session_team(self, session_id: str, team: str) -> None:
        """Set the current team of a sign-in.

        Raises:
            SpecError: the sign-in has ended.
            Conflict: unknown team.
        """
        with self.database.write() as connection:
            changed = update(sign_ins).where(sign_ins.c.id == session_id)
            if not connection.execute(changed.values(team=team)).rowcount:
                raise SpecError("the session has ended.", hint="Sign in again.")

    def revoke_session(self, session_id: str) -> bool:
        """End a sign-in; False if it had already ended."""
        with self.database.write() as connection:
            ended = delete(sign_ins).where(sign_ins.c.id == session_id)
            return connection.execute(ended).rowcount == 1

    def revoke_sessions(self, user_id: str, *, but: str | None = None) -> int:
        """End all sign-ins of a person except ``but``; return their number."""
        wanted = delete(sign_ins).where(sign_ins.c.user_id == user_id)
        if but is not None:
            wanted = wanted.where(sign_ins.c.id != but)
        with self.database.write() as connection:
            return connection.execute(wanted).rowcount

    def sessions(self, user_id: str) -> tuple[SignIn, ...]:
        """Return a person's sign-ins, last used first."""
        wanted = _rows().where(
            sign_ins.c.user_id == user_id, sign_ins.c.expires_at > self.database.now_utc()
        )
        with self.database.read() as connection:
            found = [_sign_in_of(row) for row in connection.execute(wanted).mappings()]
        return tuple(sorted(found, key=lambda it: (it.seen_at, it.id), reverse=True))


def _rows() -> Select[tuple[object, ...]]:
    return select(*(column for column in sign_ins.c if column.name != "cookie_hash"))


def _row(made: SignIn) -> dict[str, str]:
    return {
        "id": made.id,
        "user_id": made.user_id,
        "team": made.team,
        "made_at": made.made_at,
        "seen_at": made.seen_at,
        "expires_at": made.expires_at,
        "address": made.address,
        "agent": made.agent,
    }


def _sign_in_of(row: RowMapping) -> SignIn:
    return SignIn(
        id=row["id"],
        user_id=row["user_id"],
        made_at=row["made_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
        address=row["address"],
        agent=row["agent"],
        team=row["team"],
    )
