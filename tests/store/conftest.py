"""A store on each database."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from benchmaker.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def blank(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there is no store yet."""
    if request.param == "sqlite":
        return str(tmp_path / "benchmaker.db")
    return request.getfixturevalue("new_database")()


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with an empty store, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "benchmaker.db"
    Store.open(path).close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path, empty: Path) -> str:
    """Where an empty store is."""
    if request.param == "sqlite":
        return str(copy(empty, tmp_path / "benchmaker.db"))
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
def file_store(path: Path, empty: Path) -> Iterator[Store]:
    copy(empty, path)
    with Store.open(path) as opened:
        yield opened


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def lasting_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """One store for all examples of a property."""
    if request.param == "sqlite":
        place = str(tmp_path_factory.mktemp("store") / "benchmaker.db")
        with Store.open(place) as opened:
            yield opened
        return
    databases, template = map(request.getfixturevalue, ("databases", "template"))
    with databases.some() as make, Store.open(make(template)) as opened:
        yield opened
