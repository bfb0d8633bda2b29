"""``pytest --reach FILE``: which files of tests reach a store.

A run on SQLite writes the others down; one on PostgreSQL leaves them out, since they would do the
same again. A file reaches a store where one of its tests has a transaction begun, by whatever
thread, or starts a process, which may begin one.
"""

import subprocess
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests.left_out import leave_out
from tests.running.times import file_of

REACHES = "reaches a store"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--reach``."""
    parser.addoption(
        "--reach",
        metavar="FILE",
        type=Path,
        help="write the files of tests that reach no store, or leave them out on PostgreSQL",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Write the file in a run on SQLite."""
    if (file := config.getoption("--reach")) and config.getoption("--database") == "sqlite":
        config.pluginmanager.register(Reaching(file), "reaching")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out on PostgreSQL what reaches no store."""
    file = config.getoption("--reach")
    if not file or config.getoption("--database") == "sqlite":
        return
    without = set(file.read_text(encoding="utf-8").splitlines())
    out = [item for item in items if file_of(item.nodeid) in without]
    leave_out(config, items, out, "left out on PostgreSQL: no test of their files reaches a store")


class Reaching:
    """Notes in each worker what a test reaches, and in the first process which files do."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._item: pytest.Item | None = None
        self._seen: set[str] = set()
        self._reaching: set[str] = set()

    def pytest_collection_finish(self) -> None:
        """Notice transactions and processes from now on, in the workers too."""
        from benchmaker.store.database import Database  # noqa: PLC0415  loads SQLAlchemy
        from tests.running.warm import Program  # noqa: PLC0415  as above

        self._notice(Database, "_connected")
        self._notice(subprocess.Popen, "__init__")
        self._notice(Program, "__init__")

    def _notice(self, owner: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        @wraps(original)
        def noticed(*args: Any, **named: Any) -> Any:
            self._note()
            return original(*args, **named)

        setattr(owner, name, noticed)

    def _note(self) -> None:
        item = self._item
        if item is not None and (REACHES, True) not in item.user_properties:
            item.user_properties.append((REACHES, True))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test begins."""
        self._item = item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test, where all are counted."""
        self._seen.add(file_of(report.nodeid))
        if (REACHES, True) in report.user_properties:
            self._reaching.add(file_of(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        """Write the files down that reach none."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{file}\n" for file in sorted(self._seen - self._reaching))
        self._file.write_text(lines, encoding="utf-8")
