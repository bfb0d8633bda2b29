"""Leads every store in a file to a database of PostgreSQL of its own, in this process.

``pytest --database postgresql`` puts this folder on PYTHONPATH, so that Python imports this module
as it starts, and a variable that says where the server is. Without the variable nothing happens.
The product knows nothing of it: two of its modules are changed as they are imported.

The database's name is made from the file's path. Where the file would be lies a *note* with that
name. A note that is copied or moved with its folder names another path's database: as the copy is
opened, its own becomes a copy of that one. A note that was removed took its store with it. What is
a file and no note, such as a kept store of an older version, stays a file of SQLite.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path

VARIABLE = "TESTS_ON_POSTGRESQL"
"""The folder of the journal, the template's name and the server's address, a line each."""

NOTE = "a store of the tests, on PostgreSQL: "
PREFIX = "at_"
TEAMS = "teams"
TRIES = 5


class Stores:
    """The databases that stand for files; what was made is written down in ``journal``."""

    def __init__(self, told: str) -> None:
        journal, self.template, self.server = told.split("\n")
        self.journal = Path(journal)
        self.paths: dict[str, Path] = {}

    def url(self, path: Path) -> str | None:
        """The address of the database that stands for the file; None where it is a real one."""
        path = Path(os.path.realpath(path.parent), path.name)
        if path.parent.parent.name == TEAMS:
            return self._team(path)
        if is_real(path):
            return None
        name = PREFIX + sha256(os.fsencode(path)).hexdigest()[:24]
        self.paths[name] = path
        return self.server.format(name)

    def _team(self, path: Path) -> str | None:
        """A team's store is a schema of the root's database."""
        from benchmaker.store.database.address import in_schema  # noqa: PLC0415  only where it is changed
        from benchmaker.store.home import schema_of  # noqa: PLC0415

        root = self.url(path.parents[2] / path.name)
        return root and in_schema(root, schema_of(path.parent.name))

    def ensure(self, name: str, *, read_only: bool) -> None:
        """Make the database, where it is not there or is not what the note says."""
        path = self.paths.get(name)
        if path is None or noted(path) == name:
            return
        with self._asked() as connection:
            connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [name])
            blank = "template0" if read_only else self.template
            self._make(connection, name, path, template=noted(path) or blank)
            if not read_only and path.parent.is_dir():
                path.write_text(NOTE + name)
                path.chmod(0o600)
                self._write_down(name, path, is_noted=True)

    def _asked(self):
        import psycopg  # noqa: PLC0415  most processes of the tests open no store

        return psycopg.connect(self.server.format("postgres"), autocommit=True)

    def _make(self, connection, name: str, path: Path, *, template: str) -> None:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        is_there, note = found.fetchone() is not None, noted(path)
        was_removed = note is None and self._was_noted(name)
        if note == name or (is_there and note is None and not was_removed):
            return
        if is_there:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self._copy(connection, template, name)
        self._write_down(name, path, is_noted=False)

    @staticmethod
    def _copy(connection, template: str, name: str) -> None:
        """Only what nobody is connected to is copied; who was connects again, as to a server that
        restarts."""
        ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        for left in reversed(range(TRIES)):
            connection.execute(ends, [template])
            try:
                connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
            except Exception as error:
                if type(error).__name__ != "ObjectInUse" or not left:
                    raise
            else:
                return

    def _write_down(self, name: str, path: Path, *, is_noted: bool) -> None:
        (self.journal / name).write_text(f"{'noted' if is_noted else 'made'}\n{path}")

    def _was_noted(self, name: str) -> bool:
        line = self.journal / name
        return line.exists() and line.read_text().startswith("noted")

    def drop_below(self, folder: Path) -> None:
        """Drop the databases of files in the folder."""
        mine = [it for it in self.journal.iterdir() if self._is_below(it, folder)]
        if not mine:
            return
        with self._asked() as connection:
            for line in mine:
                connection.execute(f"DROP DATABASE IF EXISTS {line.name} WITH (FORCE)")
                line.unlink(missing_ok=True)

    @staticmethod
    def _is_below(line: Path, folder: Path) -> bool:
        try:
            path = Path(line.read_text().partition("\n")[2])
        except FileNotFoundError:  # another process has dropped its own meanwhile
            return False
        return path.is_relative_to(os.path.realpath(folder))


def noted(path: Path) -> str | None:
    """The name in the note; None where there is none."""
    try:
        with path.open("rb") as file:
            text = file.read(200).decode("utf-8", "replace")
    except OSError:
        return None
    return text.removeprefix(NOTE) if text.startswith(NOTE) else None


def is_real(path: Path) -> bool:
    """Whether something lies there that is no note."""
    return os.path.lexists(path) and noted(path) is None


def change_address(module, stores: Stores) -> None:
    """Paths are read as addresses of databases."""
    original = module._file

    def _file(path: str):
        address = original(path)
        url = stores.url(address.path)
        return address if url is None else module.Address(url=module._postgresql(url))

    module._file = _file


def change_place(module, stores: Stores) -> None:
    """A data folder without an address has that of its database."""
    original = module.Home.__init__

    @wraps(original)
    def placed(self, home: Path, url: str | None = None) -> None:
        original(self, home, url or stores.url(Path(home).absolute() / module.STORE_FILE))

    module.Home.__init__ = placed


def change_database(module, stores: Stores) -> None:
    """A database is made as it is opened."""
    original = module.Database.__init__

    @wraps(original)
    def opened(self, address, *, read_only: bool = False, **named) -> None:
        if address.url is not None and (address.url.database or "").startswith(PREFIX):
            stores.ensure(address.url.database, read_only=read_only)
        original(self, address, read_only=read_only, **named)

    module.Database.__init__ = opened


CHANGES = {
    "benchmaker.store.database.address": change_address,
    "benchmaker.store.home": change_place,
    "benchmaker.store.database.database": change_database,
}


class Changing(importlib.abc.MetaPathFinder):
    """Finds the modules to change, and changes each once it is loaded."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores

    def find_spec(self, name, path, target=None):
        if name not in CHANGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        spec.loader.exec_module = partial(self._load, spec.loader.exec_module)
        return spec

    def _load(self, load, module) -> None:
        load(module)
        CHANGES[module.__name__](module, self.stores)


def install() -> None:
    """Change this process, what it has imported and what it will; once."""
    if any(type(it).__name__ == Changing.__name__ for it in sys.meta_path):
        return
    stores = Stores(os.environ[VARIABLE])
    sys.meta_path.insert(0, Changing(stores))
    for name, change in CHANGES.items():
        if name in sys.modules:
            change(sys.modules[name], stores)


if VARIABLE in os.environ:
    install()
