from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from benchmaker.store import Store
from tests.arenas.agentic.gateway import upstream


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with an empty store, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "benchmaker.db"
    Store.open(path).close()
    return path


@pytest.fixture(autouse=True, scope="session")
def known_prices(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Prices that were looked up once are kept for all gateways."""
    upstream.HOME = tmp_path_factory.mktemp("home")


@pytest.fixture
def store(tmp_path: Path, empty_store: Path) -> Iterator[Store]:
    with Store.open(copy(empty_store, tmp_path / "benchmaker.db")) as opened:
        yield opened
