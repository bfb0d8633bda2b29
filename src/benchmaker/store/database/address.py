"""The address of a store: a file of SQLite, or a database of PostgreSQL."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from benchmaker.errors import SpecError

_POSTGRESQL = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class Address:
    """Exactly one of ``path`` (SQLite) and ``url`` (PostgreSQL) is set."""

    path: Path | None = None
    url: URL | None = None

    def __str__(self) -> str:
        """Return the address for display; never a password."""
        return self.url.render_as_string(hide_password=True) if self.url else str(self.path)


def parse_address(text: str | Path) -> Address:
    """Parse an address: a path, ``sqlite:///path`` or ``postgresql://user@host/name``.

    Raises:
        SpecError: unsupported kind of database, or no database.
    """
    if isinstance(text, Path) or "://" not in text:
        return _file(str(text))
    scheme, _, rest = text.partition("://")
    kind = scheme.partition("+")[0]
    if kind == "sqlite":
        return _file(rest.removeprefix("/"))
    if kind in _POSTGRESQL:
        return Address(url=_postgresql(text))
    raise SpecError(
        f"unknown kind of store {scheme!r}.",
        hint="Use a path, sqlite:///path or postgresql://user@host/database.",
    )


def in_schema(url: str, schema: str) -> str:
    """Return the same PostgreSQL database, limited to its own schema.

    >>> in_schema("postgresql://me@host/data", "team_blue")
    'postgresql://me@host/data?options=-csearch_path%3Dteam_blue'
    """
    found = make_url(url)
    given = found.query.get("options", "")
    before = " ".join(given) if isinstance(given, tuple) else given
    options = f"{before} -csearch_path={schema}".strip()
    return found.update_query_dict({"options": options}).render_as_string(hide_password=False)


def out_of_schema(url: str, schema: str) -> str | None:
    """Return the database of an address in that schema; None if it is not in it.

    >>> out_of_schema("postgresql://me@host/data?options=-csearch_path%3Dteam_blue", "team_blue")
    'postgresql://me@host/data'
    """
    found = make_url(url)
    given = found.query.get("options", "")
    before = " ".join(given) if isinstance(given, tuple) else given
    if not before.endswith(own := f"-csearch_path={schema}"):
        return None
    left = before.removesuffix(own).strip()
    query = {name: it for name, it in found.query.items() if name != "options"}
    made = found.set(query=query | ({"options": left} if left else {}))
    return made.render_as_string(hide_password=False)


def _file(path: str) -> Address:
    if not path or path == ":memory:":
        raise SpecError(
            "the store needs a file; a database in memory is lost at exit.",
            hint="Give a path, such as benchmaker.db.",
        )
    return Address(path=Path(path).expanduser().absolute())


def _postgresql(text: str) -> URL:
    try:
        return make_url(text).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError) as exc:
        raise SpecError(
            "invalid address of the PostgreSQL store.",
            hint="Use postgresql://user:password@host:5432/database.",
        ) from exc
