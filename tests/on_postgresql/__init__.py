"""``pytest --database postgresql``: every store in a file is a database of PostgreSQL instead.

So it is in this process and in every process that a test starts; how is said in
``hook/sitecustomize.py``. Left out are tests marked ``sqlite``, which are about the file, and what
is on both databases anyway: the tests of the store, and SQLite's turn of those that have two.

The tests of the store, and some others, have a turn on each database, whatever the option says.
The turn on PostgreSQL is left to the long suite, unless ``postgresql("why")`` marks the test: for
locks, isolation, migrations, or because no other test has its statements.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pytest

from tests.left_out import leave_out
from tests.on_postgresql.servers import SERVERS, TEMPLATE, Server

HOOK = Path(__file__).parent / "hook"
STORE = Path(__file__).parents[1] / "store"
VARIABLE = "TESTS_ON_POSTGRESQL"
PYTHONPATH = "PYTHONPATH"
OURS = str(Path(__file__).parents[2] / "src")
TESTING = str(Path(OURS, "benchmaker", "testing"))

pytest_plugins = ["tests.on_postgresql.servers", "tests.on_postgresql.reach"]

MARKS = (
    "sqlite(reason): left out on PostgreSQL, for that reason",
    "postgresql(reason): its turn on PostgreSQL is in the quick suite, for that reason",
)

_IS_ON = pytest.StashKey[bool]()
_ENDS = pytest.StashKey[ExitStack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--database``."""
    parser.addoption(
        "--database",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="the database that stores without an address are in",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("--database") == "postgresql":
        config.stash[_IS_ON] = True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Before its first test, lead the stores of this process to a server of its own."""
    if _IS_ON in item.config.stash and _ENDS not in item.config.stash:
        item.config.stash[_ENDS] = ends = ExitStack()
        _begin(ends.enter_context(item.config.stash[SERVERS].one()), ends)


@pytest.hookimpl(optionalhook=True)
def pytest_worker_ended(config: pytest.Config) -> None:
    """End a worker's server."""
    _end(config)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the server; its databases go with it."""
    _end(config)


def _end(config: pytest.Config) -> None:
    if _ENDS in config.stash:
        config.stash[_ENDS].close()


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave turns on PostgreSQL to the long suite, but for those that are marked."""
    if "postgresql" in _turns(item) and not item.get_closest_marker("postgresql"):
        item.add_marker("long")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about the file, and what is on both databases anyway."""
    if _IS_ON not in config.stash:
        return
    of_file = [item for item in items if item.get_closest_marker("sqlite")]
    leave_out(config, items, of_file, "left out on PostgreSQL: they are about the file of SQLite")
    on_both = [item for item in items if _names_its_own(item)]
    leave_out(config, items, on_both, "left out on PostgreSQL: they are on both databases anyway")


def _names_its_own(item: pytest.Item) -> bool:
    """Whether it has turns for both databases, as the store's have, and this is no turn of ours.

    Those of the store name files beside databases, and neither may be led to the other.
    """
    if item.path.is_relative_to(STORE):
        return True
    return "sqlite" in _turns(item)


def _turns(item: pytest.Item) -> list[str]:
    """The parameters of a test, among them the name of a database where it has a turn on each."""
    called = getattr(item, "callspec", None)
    return [] if called is None else list(map(str, called.params.values()))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which database it is."""
    return "stores: on PostgreSQL" if _IS_ON in config.stash else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Drop the databases of a test as it ends."""
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    yield
    if folder is not None and _IS_ON in item.config.stash:
        _stores().drop_below(folder)


def _begin(server: Server, ends: ExitStack) -> None:
    """Lead the stores of this process, and of those it starts, to the server."""
    journal = ends.enter_context(TemporaryDirectory(prefix="benchmaker-stores-"))
    os.environ[VARIABLE] = f"{journal}\n{TEMPLATE}\n{server.address('{}')}"
    _hand_on()
    _hook().install()


def _hook() -> Any:
    return importlib.import_module("tests.on_postgresql.hook.sitecustomize")


def _stores() -> Any:
    return _hook().Stores(os.environ[VARIABLE])


def _hand_on() -> None:
    """Let every process that a test starts have the hook, one with an environment of its own, too.

    What the product starts has what the product gives it; the contracts of ``benchmaker.testing``
    are tests, and the servers that they start have the hook.
    """
    os.environ[PYTHONPATH] = _with_hook(os.environ.get(PYTHONPATH))
    original = subprocess.Popen.__init__

    @wraps(original)
    def start(self: Any, *args: Any, **named: Any) -> None:
        given = named.get("env")
        if given is not None and not _is_product(sys._getframe(1)):
            path = _with_hook(given.get(PYTHONPATH))
            named["env"] = {**given, PYTHONPATH: path, VARIABLE: os.environ[VARIABLE]}
        original(self, *args, **named)

    subprocess.Popen.__init__ = start  # type: ignore[method-assign]


def _with_hook(path: str | None) -> str:
    others = [it for it in (path or "").split(os.pathsep) if it and it != str(HOOK)]
    return os.pathsep.join([str(HOOK), *others])


def _is_product(frame: FrameType | None) -> bool:
    """Whether the first caller that is the product's or the tests' is the product."""
    tests = str(Path(__file__).parents[1])
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith((tests, TESTING)) and file != __file__:
            return False
        if file.startswith(OURS):
            return True
        frame = frame.f_back
    return False
