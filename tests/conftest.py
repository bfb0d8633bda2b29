"""What every test may use."""

import gc
from pathlib import Path

import pytest
from hypothesis import settings

from tests.accounts.cost import use_least
from tests.left_out import leave_out

SHARED = Path(__file__).resolve().parents[2] / "shared"


settings.register_profile("full", max_examples=50, deadline=None)
settings.register_profile("quick", max_examples=25, derandomize=True, deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """In the quick suite a property is tried on 25 examples where it names no other number.

    They are the same ones each time, so that a change is the only thing that can turn it red; the
    whole suite draws three times as many, and others each time.

    How long an example takes says more of the machine than of the code, so that there is no limit.
    """
    settings.load_profile("quick" if "not long" in config.option.markexpr else "full")
    use_least()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests on the real answers where those are not lent, and say so at the end."""
    if SHARED.is_dir():
        return
    real = [item for item in items if item.get_closest_marker("data")]
    leave_out(config, items, real, "on the real answers not run: these are not here")


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: no collection of garbage looks at it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout."""
    return SHARED / "data"
