"""A store for imported results, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmaker.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "benchmaker.db")
    new_database, template = map(request.getfixturevalue, ("new_database", "template"))
    return str(new_database(template))


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """An empty store."""
    with Store.open(address) as opened:
        yield opened
