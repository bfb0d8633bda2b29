from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmaker.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened
