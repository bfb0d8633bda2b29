"""The location of results: the data folder and the store in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import inspect

from benchmaker.errors import PrerequisiteError
from benchmaker.record.account import MAIN
from benchmaker.store.database.address import in_schema, out_of_schema, parse_address
from benchmaker.store.database.database import Database
from benchmaker.store.store import Store

STORE_FILE = "benchmaker.db"
TEAMS = "teams"
"""The folder with the folders of all teams except ``main``."""


@dataclass(frozen=True, slots=True)
class Home:
    """The store of results: ``url`` if given, else ``benchmaker.db`` in the folder."""

    home: Path
    url: str | None = None

    @classmethod
    def of(cls, home: str | Path | None = None, store: str | None = None) -> "Home":
        """Return the named location; by default ``~/.local/share/benchmaker``.

        Raises:
            PrerequisiteError: no name, and the user has no home folder.
        """
        return cls(Path(home) if home else _default_home(), store)

    @property
    def address(self) -> str | Path:
        """The address of the store."""
        return self.url or self.home / STORE_FILE

    def of_team(self, slug: str) -> "Home":
        """Return the location of a team: its own folder, and in PostgreSQL its own schema.

        For ``main`` it is this one. Nothing is created; see :mod:`benchmaker.store.team_stores`.
        """
        if slug == MAIN:
            return self
        is_shared = self.url is not None and parse_address(self.url).url is not None
        url = in_schema(self.url or "", schema_of(slug)) if is_shared else None
        return Home(self.home / TEAMS / slug, url)

    def root_and_team(self) -> tuple["Home", str]:
        """Return the location of accounts and audit log, and the short name of this team.

        The folder of a team is inside that of ``main``; any other location is one of ``main``
        itself.
        """
        home = self.home.absolute()
        if home.parent.name != TEAMS:
            return self, MAIN
        url = None if self.url is None else out_of_schema(self.url, schema_of(home.name))
        root = Home(home.parent.parent, url)
        is_root = (url is None) is (self.url is None) and root.is_there()
        return (root, home.name) if is_root else (self, MAIN)

    def is_there(self) -> bool:
        """True if there is a store: a file, or tables; nothing is created.

        Raises:
            StoreError: the server of PostgreSQL is unavailable.
        """
        address = parse_address(self.address)
        if address.path is not None:
            return address.path.exists()
        database = Database(address, read_only=True)
        try:
            with database.read() as connection:
                return bool(inspect(connection).get_table_names())
        finally:
            database.close()

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """Open the store; create it if it does not exist."""
        with Store.open(self.address) as store:
            yield store


def schema_of(slug: str) -> str:
    """Return the schema of a team; it is unique, since short names have no underscore.

    >>> schema_of("big-blue")
    'team_big_blue'
    """
    return f"team_{slug.replace('-', '_')}"


def _default_home() -> Path:
    try:
        return Path.home() / ".local" / "share" / "benchmaker"
    except RuntimeError as exc:
        raise PrerequisiteError("this user has no home folder.", hint="Set one: home=…") from exc
