"""A store on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmaker.store import Store


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
