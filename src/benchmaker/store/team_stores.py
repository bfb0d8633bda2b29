"""The stores of teams: made when a team is added, and brought to the newest tables.

No query can see another team's rows: each team has a file of its own, or a schema of PostgreSQL
that is the only one its connections look into.
"""

import re

from sqlalchemy import text

from benchmaker.errors import SpecError
from benchmaker.record.account import MAIN
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import SchemaUpgrade, upgrade
from benchmaker.store.home import Home, schema_of

_SLUG = re.compile(r"[a-z](?:-?[a-z0-9]){1,30}")


def team_place(root: Home, slug: str) -> Home:
    """Where a team's results are kept; nothing is made.

    Raises:
        SpecError: this is no short name of a team.
    """
    if not _SLUG.fullmatch(slug):
        raise SpecError(
            f"{slug!r} is not a valid short name of a team.",
            hint="List teams with: benchmaker team list",
        )
    return root.of_team(slug)


def make_team_place(root: Home, slug: str) -> SchemaUpgrade:
    """Make a team's folder and its store, and bring its tables to the newest revision.

    What is there already stays as it is.

    Raises:
        SpecError: this is no short name of a team.
        StoreError: the store can't be made; in PostgreSQL making a schema has to be allowed.
    """
    place = team_place(root, slug)
    place.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if slug != MAIN and place.url is not None:
        _make_schema(root, slug)
    database = Database(parse_address(place.address))
    try:
        return upgrade(database)
    finally:
        database.close()


def _make_schema(root: Home, slug: str) -> None:
    """The schema, where there is none: to ask for one takes the right to make one all the same."""
    if _has_schema(root, slug):
        return
    database = Database(parse_address(root.address))
    try:
        with database.write() as connection:
            connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(slug)}"'))
    finally:
        database.close()


def _has_schema(root: Home, slug: str) -> bool:
    database = Database(parse_address(root.address), read_only=True)
    wanted = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    try:
        with database.read() as connection:
            return connection.scalar(wanted, {"name": schema_of(slug)}) is not None
    finally:
        database.close()
