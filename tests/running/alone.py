"""A test that fails says how to run it alone: with the draws and the database that it had."""

import os
import shlex
from collections.abc import Iterator

import pytest

FROM_OUTSIDE = ("LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "CI")
"""Variables that may decide how a test ends."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add the command to the report of what failed."""
    report: pytest.TestReport = yield  # type: ignore[misc]  pytest sends it
    if report.failed:
        report.sections.append(("Run it alone", command(item)))
    return report  # type: ignore[return-value]


def command(item: pytest.Item) -> str:
    """The command that runs one test as it ran."""
    option = item.config.option
    words = [".venv/bin/python", "-m", "pytest", item.nodeid]
    seed = getattr(option, "randomly_seed", None)
    if isinstance(seed, int):
        words.append(f"--randomly-seed={seed}")
    if getattr(option, "database", "sqlite") != "sqlite":
        words.append(f"--database={option.database}")
    given = [f"{name}={os.environ[name]}" for name in FROM_OUTSIDE if name in os.environ]
    return shlex.join([*given, *words])
