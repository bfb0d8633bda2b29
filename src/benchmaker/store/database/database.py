"""Connections to a store's database, and the transactions on them."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Row, Select, create_engine, event, text
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.pool import QueuePool

from benchmaker.errors import PrerequisiteError, StoreError
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.store.database.address import Address
from benchmaker.store.database.driver import execute
from benchmaker.store.database.errors import Translate, translator
from benchmaker.store.database.retry import READERS_S, persist

T = TypeVar("T")

_CACHE_KB = 1_000
"""The pages that a connection keeps in memory, half of SQLite's default; a run has several."""

_WAL_PAGES = 1_000
"""The journal is moved into the file at about 4 MB, and then overwritten from its start, which
takes half as long as extending it."""

_STATEMENTS = 256
"""Prepared statements kept: an insert for each table and each usual number of rows, and more."""

_KEPT, _MORE = 16, 48
"""Connections kept open, and extra ones: more than a server's threads, so that none waits."""

_WAL_TRIES = 40
_WAL_PAUSE_S = 0.05


class Database:
    """An open database; reading and writing happen in its transactions.

    On SQLite a writing transaction takes the write lock at its start, so that it cannot fail
    half-way for lack of it. On PostgreSQL a reading transaction sees one state throughout.

    At the start of a transaction, a server that was reached before is awaited for ``patience_s``
    seconds; one that was never reached is reported as unreachable immediately.
    """

    def __init__(
        self,
        address: Address,
        *,
        read_only: bool = False,
        busy_timeout_s: float = 30.0,
        patience_s: float = READERS_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.address = address
        self.patience_s = patience_s
        self._was_reached = False
        self._shared = threading.local()
        self._file = str(address.path)
        self._identity: tuple[int, int] | None = None
        self.read_only = read_only
        self.clock = clock
        self._translate = translator(str(address))
        self._busy_timeout_s = busy_timeout_s
        self._engines: list[Engine] = []
        self.engine = self._new_engine()

    @property
    def is_sqlite(self) -> bool:
        """True if this is a file of SQLite."""
        return self.address.path is not None

    def now_utc(self) -> str:
        """The clock's time, UTC, ISO 8601 with milliseconds."""
        return iso_timestamp(self.clock())

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction; inside :meth:`read_snapshot`, use that one."""
        with self.translate_errors():
            if (shared := self._state) is not None:
                yield shared
                return
            with self._begin_transaction(self._read_engine) as connection:
                yield connection

    @contextmanager
    def read_snapshot(self) -> Iterator[None]:
        """Give all reads of this thread in the block one state, over one connection.

        Writes inside are visible only after its end.
        """
        if self._state is not None:
            yield
            return
        with self.read() as connection:
            self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.connection = None

    def retry(self, reading: Callable[[], T]) -> T:
        """Return the result of a read without changes; repeat it if the connection breaks.

        Inside :meth:`read_snapshot` there is no retry, since it has one connection.
        """
        if self.is_sqlite or self._state is not None:
            return reading()
        return persist(reading, within_s=self.patience_s)

    def rows(self, wanted: Select[Any]) -> Sequence[Row[Any]]:
        """Return all rows of a query; repeat it if the connection breaks."""

        def read() -> Sequence[Row[Any]]:
            with self.read() as connection:
                return connection.execute(wanted).all()

        return self.retry(read)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a writing transaction; all of it is durable at its end, or nothing.

        Inside :meth:`write_transaction` it is that one. Errors of the driver are translated.
        """
        with self.guard_writes(), self.translate_errors():
            if (shared := self._change) is not None:
                yield shared
                return
            with self._begin_transaction(self._write_engine) as connection:
                yield connection

    @contextmanager
    def write_unsynced(self) -> Iterator[Connection]:
        """Open a writing transaction whose end does not wait for the disk.

        Its rows survive the end of this process, however it comes. A power cut, or a crash of the
        system or of PostgreSQL, may lose those of the last moments, and damages nothing. A later
        :meth:`write` makes them durable too. Inside :meth:`write_transaction` it is that one.
        """
        with self.guard_writes(), self.translate_errors():
            if (shared := self._change) is not None:
                yield shared
                return
            with self._begin_transaction(self._unsynced_engine) as connection:
                if not self.is_sqlite:
                    execute(connection, "SET LOCAL synchronous_commit = off")
                yield connection

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Make all writes of this thread in the block durable together at its end, or none.

        Reads see its own writes.
        """
        if self._change is not None:
            yield
            return
        before = self._state
        with self.write() as connection:
            self._shared.change = self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.change, self._shared.connection = None, before

    @contextmanager
    def guard_writes(self) -> Iterator[None]:
        """Check before writes that the store is writable, and is still the opened file."""
        if self.read_only:
            raise StoreError(
                "the store is open read-only.",
                where=str(self.address),
                hint="Open it without read_only to write.",
            )
        self.refuse_another_file()
        yield
        self.refuse_another_file()

    def open_connection(self) -> sqlite3.Connection:
        """Open a connection to SQLite for the caller alone, set up like all others; close it."""
        with self.translate_errors():
            pooled = self.engine.raw_connection()
            connection: Any = pooled.driver_connection  # SQLAlchemy knows no driver's own type
            pooled.detach()
        own: sqlite3.Connection = connection
        return own

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Open a connection in which every statement is its own transaction."""
        with self._connect(self._autocommit_engine) as connection:
            yield connection

    def close(self) -> None:
        """Close every connection; those in use, or opened by another thread, after their use."""
        for engine in self._engines:
            event.listen(engine.pool, "checkin", lambda _, entry: entry.close())
            engine.dispose()  # the pool that it leaves behind listens as well

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Translate errors of direct calls of the driver."""
        try:
            yield
        except Exception as exc:
            error = self._translate(exc)
            if error is None:
                raise
            raise error from exc

    @contextmanager
    def _begin_transaction(self, engine: Engine) -> Iterator[Connection]:
        with self._connect(engine) as connection, connection.begin():
            yield connection

    def _connect(self, engine: Engine) -> Connection:
        """Open a connection; wait for a restarting server."""

        def attempt() -> Connection:
            with self.translate_errors():
                return engine.connect()

        within_s = self.patience_s if self._was_reached and not self.is_sqlite else 0.0
        connection = persist(attempt, within_s=within_s)
        self._was_reached = True
        return connection

    @property
    def _state(self) -> Connection | None:
        """The transaction for all reads of this thread, if any."""
        return getattr(self._shared, "connection", None)

    @property
    def _change(self) -> Connection | None:
        """The transaction for all writes of this thread, if any."""
        return getattr(self._shared, "change", None)

    def refuse_another_file(self) -> None:
        """Raise StoreError if the open file was deleted or replaced: its commits would be lost.

        A file is known from the first check on. It takes a system call, for which Python releases
        the interpreter.
        """
        if self.address.path is None:
            return
        try:
            found = os.stat(self._file)  # noqa: PTH116  at every commit
        except FileNotFoundError:
            if self._identity is not None:
                raise self._lost_file_error("removed") from None
            return
        identity = found.st_dev, found.st_ino
        if self._identity is None:
            self._identity = identity
        elif self._identity != identity:
            raise self._lost_file_error("replaced by another file")

    def _lost_file_error(self, what: str) -> StoreError:
        return StoreError(
            f"the store was {what} while it was open.",
            where=str(self.address),
            hint="Put it back, then resume. Everything written since is lost.",
        )

    @cached_property
    def _read_engine(self) -> Engine:
        if self.is_sqlite:
            return self.engine.execution_options(begin="BEGIN")
        return self.engine.execution_options(isolation_level="REPEATABLE READ")

    @cached_property
    def _write_engine(self) -> Engine:
        return self.engine.execution_options(begin="BEGIN IMMEDIATE")

    @cached_property
    def _unsynced_engine(self) -> Engine:
        if not self.is_sqlite:
            return self._write_engine
        engine = self._new_engine()
        event.listen(engine, "connect", _unsynced_setup)
        return engine.execution_options(begin="BEGIN IMMEDIATE")

    def _new_engine(self) -> Engine:
        make = _sqlite_engine if self.address.path else _postgresql_engine
        engine = make(self.address, read_only=self.read_only, busy_timeout_s=self._busy_timeout_s)
        _translate_driver_errors(engine, self._translate)
        self._engines.append(engine)
        return engine

    @cached_property
    def _autocommit_engine(self) -> Engine:
        if self.is_sqlite:  # no begin, so that each statement commits by itself
            return self.engine
        return self.engine.execution_options(isolation_level="AUTOCOMMIT")


def _translate_driver_errors(engine: Engine, translate: Translate) -> None:
    @event.listens_for(engine, "handle_error", retval=True)
    def say(context: ExceptionContext) -> BaseException | None:
        if context.is_pre_ping:  # the pool itself reconnects
            return None
        return translate(context.original_exception)


def _sqlite_engine(address: Address, *, read_only: bool, busy_timeout_s: float) -> Engine:
    path = address.path or Path()
    if not read_only:
        _create_file(path)
    _refuse_unusable(path, read_only=read_only)
    uri = _uri(path, read_only=read_only)

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            uri,
            uri=True,
            timeout=busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_STATEMENTS,
        )

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=_KEPT, max_overflow=_MORE
    )
    event.listen(engine, "connect", _read_setup if read_only else _write_setup)
    event.listen(engine, "begin", _begin)
    return engine


def _create_file(path: Path) -> None:
    """Create the folder and the file for their owner alone; existing ones are unchanged."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as exc:
        raise StoreError(
            f"the store can't be created ({exc.strerror or exc}).",
            where=str(path),
            hint="Make its folder writable, or choose another one with --home.",
        ) from exc


def _refuse_unusable(path: Path, *, read_only: bool) -> None:
    """Raise StoreError for a file that SQLite would open wrongly.

    SQLite opens a read-only file without an error, and leaves journals next to it that remain
    read-only when the file becomes writable.
    """
    if not path.exists():
        raise StoreError(
            "there is no store.",
            where=str(path),
            hint="Give the path of a store, or create one with a run.",
        )
    if path.is_dir():
        raise StoreError(
            "this is a folder, not a store.",
            where=str(path),
            hint=f"Use a file, such as {path / 'benchmaker.db'}.",
        )
    if not read_only and not os.access(path, os.W_OK):
        raise StoreError(
            "the store can't be written: its file is read-only.",
            where=str(path),
            hint="Make it writable, or choose another folder with --home.",
        )


def _uri(path: Path, *, read_only: bool) -> str:
    """Return the file as SQLite's URI.

    A closed store has no journal. In a read-only place SQLite cannot create one, or would leave one
    that others can't write; only then is the file opened as immutable.
    """
    if not read_only:
        return f"{path.as_uri()}?mode=rw"
    can_write = os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)
    is_closed = not Path(f"{path}-wal").exists()
    return f"{path.as_uri()}?mode=ro{'&immutable=1' if is_closed and not can_write else ''}"


def _read_setup(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")


def _write_setup(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _use_wal(connection)


def _unsynced_setup(connection: sqlite3.Connection, _: object) -> None:
    """Commit without waiting for the disk; the other connections move the journal."""
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA cache_size = -24000")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait if another process does the same."""
    for attempt in range(_WAL_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode != sqlite3.SQLITE_BUSY or attempt == _WAL_TRIES - 1:
                raise
            time.sleep(_WAL_PAUSE_S)
        else:
            return


def _begin(connection: Connection) -> None:
    begin = connection.get_execution_options().get("begin")
    if begin:
        execute(connection, begin)


def _postgresql_engine(address: Address, *, read_only: bool, busy_timeout_s: float) -> Engine:
    try:
        import psycopg  # noqa: F401, PLC0415  an extra: only those who need it have it
    except ImportError as exc:
        raise PrerequisiteError(
            "a PostgreSQL store needs the package psycopg.",
            where=str(address),
            hint='Install it with: pip install "benchmaker[postgres]"',
        ) from exc
    settings = {
        "lock_timeout": f"{round(busy_timeout_s * 1000)}",
        "default_transaction_read_only": "on" if read_only else "off",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    arguments: dict[str, Any] = {
        "options": options,
        "client_encoding": "utf8",
        "connect_timeout": 10,
        "application_name": "benchmaker",
    }
    url = address.url or URL.create("postgresql+psycopg")
    given = {name: value for name, value in arguments.items() if name not in url.query}
    if own := url.query.get("options"):  # of two settings of one thing the later counts
        given["options"] = " ".join((options, *((own,) if isinstance(own, str) else own)))
        url = url.difference_update_query(["options"])
    return create_engine(
        url, connect_args=given, pool_pre_ping=True, pool_size=_KEPT, max_overflow=_MORE
    )


def advisory_lock(connection: Connection) -> None:
    """Wait until no other process creates or upgrades this PostgreSQL store."""
    connection.execute(text("SELECT pg_advisory_xact_lock(6276364)"))


class _HasDatabase(Protocol):
    database: Database


_H = TypeVar("_H", bound=_HasDatabase)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def retry_reads(method: Callable[Concatenate[_H, _P], _R]) -> Callable[Concatenate[_H, _P], _R]:
    """Repeat the method if the connection breaks; it must be idempotent."""

    @wraps(method)
    def wrapper(owner: _H, /, *args: _P.args, **named: _P.kwargs) -> _R:
        return owner.database.retry(lambda: method(owner, *args, **named))

    return wrapper


class Room:
    """Base of the operations on one kind of record; all of a store share its database."""

    def __init__(self, database: Database) -> None:
        self.database = database
