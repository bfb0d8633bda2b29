"""The stores of teams: created with the team, and upgraded to the latest schema.

No query can see another team's rows: each team has its own file, or its own schema of PostgreSQL,
the only one on its connections' search path.
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
    """Return the location of a team's results; nothing is created.

    Raises:
        SpecError: an invalid short name.
    """
    if not _SLUG.fullmatch(slug):
        raise SpecError(
            f"{slug!r} is not a valid short name of a team.",
            hint="List teams with: benchmaker team list",
        )
    return root.of_team(slug)


def make_team_place(root: Home, slug: str) -> SchemaUpgrade:
    """Create a team's folder and its store, and upgrade its tables to the latest revision.

    Existing data is unchanged.

    Raises:
        SpecError: an invalid short name.
        StoreError: the store cannot be created; in PostgreSQL this needs the permission to create
            schemas.
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
    """Create the schema only if missing, since ``IF NOT EXISTS`` always needs the permission."""
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
