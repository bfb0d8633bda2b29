"""``pytest --reach FILE``: which tests reach a store.

A run on SQLite writes the others down; one on PostgreSQL leaves them out, since they would do the
same again. A test reaches a store where a transaction begins while it runs, in whatever thread, or
where a test of its file starts a process that may begin one: tests of a file share servers.
"""

import os
import subprocess
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests.left_out import leave_out
from tests.running.times import file_of

TRANSACTION = "begins a transaction"
PROCESS = "starts a process"
STORELESS = frozenset({"bwrap", "git", "chrome", "headless_shell", "node"})
"""Programs that never open a store: the sandbox, and what tests look at the product with."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--reach``."""
    parser.addoption(
        "--reach",
        metavar="FILE",
        type=Path,
        help="write down the tests that reach no store, or leave them out on PostgreSQL",
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
    out = [item for item in items if item.nodeid in without]
    leave_out(config, items, out, "left out on PostgreSQL: they reach no store")


class Reaching:
    """Notes in each worker what a test reaches, and in the first process which tests do."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._item: pytest.Item | None = None
        self._seen: set[str] = set()
        self._reaching: set[str] = set()
        self._sharing: set[str] = set()

    def pytest_collection_finish(self) -> None:
        """Notice transactions and processes from now on, in the workers too."""
        from benchmaker.store.database.database import Database  # noqa: PLC0415  loads SQLAlchemy
        from tests.running.warm import Program  # noqa: PLC0415  as above

        self._notice(Database, "_connect", TRANSACTION)
        self._notice(subprocess.Popen, "__init__", PROCESS, where=may_open_a_store)
        self._notice(Program, "__init__", PROCESS)

    def _notice(
        self, owner: Any, name: str, kind: str, *, where: Callable[..., bool] | None = None
    ) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        @wraps(original)
        def noticed(*args: Any, **named: Any) -> Any:
            if where is None or where(*args, **named):
                self._note(kind)
            return original(*args, **named)

        setattr(owner, name, noticed)

    def _note(self, kind: str) -> None:
        item = self._item
        if item is not None and (kind, True) not in item.user_properties:
            item.user_properties.append((kind, True))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test begins."""
        self._item = item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test, where all are counted."""
        self._seen.add(report.nodeid)
        if (TRANSACTION, True) in report.user_properties:
            self._reaching.add(report.nodeid)
        if (PROCESS, True) in report.user_properties:
            self._sharing.add(file_of(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        """Write down the tests that reach none."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        without = sorted(test for test in self._seen - self._reaching if not self._shares(test))
        lines = "".join(f"{test}\n" for test in without)
        self._file.write_text(lines, encoding="utf-8")

    def _shares(self, test: str) -> bool:
        return file_of(test) in self._sharing


def may_open_a_store(_process: Any, args: Any, **_: Any) -> bool:
    """Whether a process that is started may be one that opens a store, by its program's name."""
    program = args if isinstance(args, str | os.PathLike) else next(iter(args), "")
    return Path(os.fsdecode(program)).name not in STORELESS
