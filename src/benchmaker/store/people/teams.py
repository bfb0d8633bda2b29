"""Teams and their members: rows in, rows out."""

import re

from sqlalchemy import Connection, RowMapping, Select, delete, insert, select, update

from benchmaker.errors import SpecError
from benchmaker.record.account import Member, Role, Team
from benchmaker.store.database.account_tables import members, teams, users
from benchmaker.store.database.database import Room
from benchmaker.store.database.inserts import insert_new

_SLUG = re.compile(r"[a-z](?:-?[a-z0-9]){1,30}")
_TITLE = 100


class TeamStore(Room):
    """Teams and their members."""

    def add_team(self, slug: str, title: str = "") -> Team:
        """Store a new team; the default title is its short name.

        Raises:
            SpecError: an invalid short name or title, or an existing team.
        """
        if not _SLUG.fullmatch(slug):
            raise SpecError(
                f"{slug!r} is not a valid short name of a team.",
                hint="Use 2 to 31 lower-case letters, digits and hyphens, starting with a letter.",
            )
        made = Team(slug=slug, title=_check_title(title or slug), made_at=self.database.now_utc())
        with self.database.write() as connection:
            if not insert_new(connection, teams, _row(made)):
                raise SpecError(
                    f"there is a team {slug!r} already.", hint="Choose another short name."
                )
        return made

    def teams(self) -> tuple[Team, ...]:
        """Return every team by short name; ``main`` exists once there is a user."""
        with self.database.read() as connection:
            found = [_team_of(row) for row in connection.execute(select(teams)).mappings()]
        return tuple(sorted(found, key=lambda team: team.slug))

    def team(self, slug: str) -> Team | None:
        """Return the team with that short name; None if unknown."""
        with self.database.read() as connection:
            row = connection.execute(_select_team(slug)).mappings().first()
        return None if row is None else _team_of(row)

    def set_team(
        self,
        slug: str,
        *,
        title: str | None = None,
        is_public: bool | None = None,
        is_moderated: bool | None = None,
    ) -> Team:
        """Change only the given fields.

        Raises:
            SpecError: unknown team, or an invalid title.
        """
        flags = {"is_public": is_public, "is_moderated": is_moderated}
        values: dict[str, object] = {name: int(on) for name, on in flags.items() if on is not None}
        if title is not None:
            values["title"] = _check_title(title)
        with self.database.write() as connection:
            _lock_team(connection, slug)
            if values:
                connection.execute(update(teams).where(teams.c.slug == slug).values(**values))
            return _team_of(connection.execute(_select_team(slug)).mappings().one())

    def set_role(self, team: str, user_id: str, role: Role | None) -> None:
        """Set a person's role in a team; None removes them.

        Raises:
            SpecError: unknown team or person, or the team would be left without an admin.
        """
        with self.database.write() as connection:
            _lock_team(connection, team)
            user = connection.scalar(select(users.c.id).where(users.c.id == user_id))
            if user is None:
                raise SpecError("no such user.", hint="See: benchmaker user list")
            if role is not Role.ADMIN:
                _refuse_last(connection, team, user)
            place = (members.c.team == team, members.c.user_id == user)
            connection.execute(delete(members).where(*place))
            if role is not None:
                row = {"team": team, "user_id": user, "role": role.value}
                connection.execute(insert(members).values(**row))

    def members(self, team: str) -> tuple[Member, ...]:
        """Return the members of a team with their roles, by name."""
        wanted = (
            select(members.c.team, members.c.user_id, members.c.role, users.c.name)
            .join(users, users.c.id == members.c.user_id)
            .where(members.c.team == team)
        )
        with self.database.read() as connection:
            found = [_member_of(row) for row in connection.execute(wanted).mappings()]
        return tuple(sorted(found, key=lambda member: member.user_name))

    def teams_of(self, user_id: str) -> tuple[tuple[Team, Role], ...]:
        """Return the teams of a person by short name."""
        wanted = (
            select(teams, members.c.role)
            .join(members, members.c.team == teams.c.slug)
            .where(members.c.user_id == user_id)
        )
        with self.database.read() as connection:
            rows = connection.execute(wanted).mappings().all()
        found = [(_team_of(row), Role(row["role"])) for row in rows]
        return tuple(sorted(found, key=lambda pair: pair[0].slug))

    def role(self, user_id: str, team: str) -> Role | None:
        """Return a person's role in a team; None if they are not in it."""
        wanted = select(members.c.role).where(members.c.team == team, members.c.user_id == user_id)
        with self.database.read() as connection:
            found = connection.scalar(wanted)
        return None if found is None else Role(found)


def refuse_without_admin(connection: Connection, user_id: str) -> None:
    """Raise SpecError if a team would have no admin without this person."""
    own = select(members.c.team).where(
        members.c.user_id == user_id, members.c.role == Role.ADMIN.value
    )
    for team in sorted(connection.scalars(own)):
        _lock_team(connection, team)
        _refuse_last(connection, team, user_id)


def _refuse_last(connection: Connection, team: str, user_id: str) -> None:
    """Raise SpecError if this person is the team's only enabled admin."""
    wanted = (
        select(members.c.user_id)
        .join(users, users.c.id == members.c.user_id)
        .where(
            members.c.team == team,
            members.c.role == Role.ADMIN.value,
            users.c.disabled_at.is_(None),
        )
    )
    if set(connection.scalars(wanted)) == {user_id}:
        raise SpecError(
            f"this is the last admin of team {team!r}.",
            hint="Make another user an admin first: benchmaker team role TEAM USER admin",
        )


def _lock_team(connection: Connection, slug: str) -> None:
    """Lock the admins of the team against changes until the transaction ends."""
    if connection.execute(_select_team(slug).with_for_update()).first() is None:
        raise SpecError(f"there is no team {slug!r}.", hint="See: benchmaker team list")


def _select_team(slug: str) -> Select[tuple[object, ...]]:
    return select(teams).where(teams.c.slug == slug)


def _check_title(title: str) -> str:
    if not 0 < len(title.strip()) <= _TITLE:
        raise SpecError(
            f"the title of a team must have 1 to {_TITLE} characters.", hint="Choose another title."
        )
    return title.strip()


def _row(team: Team) -> dict[str, str | int]:
    return {
        "slug": team.slug,
        "title": team.title,
        "made_at": team.made_at,
        "is_public": int(team.is_public),
        "is_moderated": int(team.is_moderated),
    }


def _team_of(row: RowMapping) -> Team:
    return Team(
        slug=row["slug"],
        title=row["title"],
        made_at=row["made_at"],
        is_public=bool(row["is_public"]),
        is_moderated=bool(row["is_moderated"]),
    )


def _member_of(row: RowMapping) -> Member:
    return Member(
        team=row["team"], user_id=row["user_id"], user_name=row["name"], role=Role(row["role"])
    )
