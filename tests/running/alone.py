"""A test that fails says how to run it alone: with the draws and the database that it had.

It says so at once as well as at the end, so that a run of forty minutes can be watched, and one
that was stopped still names what failed.
"""

import os
import shlex
from collections.abc import Iterator

import pytest

FROM_OUTSIDE = ("LANG", "LC_ALL", "TZ", "OPENBLAS_CORETYPE", "CI")
"""Variables that may decide how a test ends."""

TITLE = "Run it alone"


def pytest_configure(config: pytest.Config) -> None:
    """Print failures as they come where workers run the tests."""
    if config.option.workers:
        config.pluginmanager.register(AtOnce(config), "at-once")


class AtOnce:
    """Prints the command of each test that fails, in the first process alone."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print it on a line of its own; a worker has no terminal and prints nothing."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.write_line(f"\n{report.nodeid} failed: {_command_in(report)}")


def _command_in(report: pytest.TestReport) -> str:
    return dict(report.sections).get(TITLE, "its worker died")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Add the command to the report of what failed."""
    report: pytest.TestReport = yield  # type: ignore[misc]  pytest sends it
    if report.failed:
        report.sections.append((TITLE, command(item)))
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
