"""A store for imported results."""

import pytest

from benchmaker.store import Store


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened
