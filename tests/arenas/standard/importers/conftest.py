"""A store for imported results, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmaker.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    if request.param == "sqlite":
        address = str(tmp_path / "benchmaker.db")
    else:
        new_database, template = map(request.getfixturevalue, ("new_database", "template"))
        address = new_database(template)
    with Store.open(address) as opened:
        yield opened
