"""Tests that are not run: taken out of the collection, counted, and said with the why."""

from typing import Any

import pytest

_WHY = pytest.StashKey[dict[str, int]]()


def leave_out(
    config: pytest.Config, items: list[pytest.Item], out: list[pytest.Item], why: str
) -> None:
    """Take some tests out; ``why`` goes on after their number, as in "3 tests of pages not run"."""
    if not out:
        return
    gone = set(map(id, out))
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if id(item) not in gone]
    config.stash.setdefault(_WHY, {})[why] = len(out)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say it at the end."""
    for why, count in config.stash.get(_WHY, {}).items():
        terminalreporter.write_line(f"{count} tests {why}")
