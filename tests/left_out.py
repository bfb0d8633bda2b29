"""Tests that are not run: taken out of the collection, counted, and said at the end with the why.

Under ``pytest -n`` each worker collects the same and tells the process that reports.
"""

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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that reports, where this is a worker."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(_WHY, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear it from a worker."""
    found = getattr(node, "workeroutput", {}).get("left_out")
    if found:
        node.config.stash[_WHY] = found


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say it at the end."""
    for why, count in config.stash.get(_WHY, {}).items():
        terminalreporter.write_line(f"{count} tests {why}")
