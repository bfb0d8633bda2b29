"""What every test may use."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests on the real answers where those are not lent, and say so at the end."""
    if SHARED.is_dir():
        return
    real = [item for item in items if item.get_closest_marker("data")]
    config.hook.pytest_deselected(items=real)
    items[:] = [item for item in items if item not in real]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout."""
    return SHARED / "data"
