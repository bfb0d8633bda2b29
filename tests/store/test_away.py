"""A server of PostgreSQL that is killed and started again while everybody works."""

import gc
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import psutil
import psycopg
import pytest
from sqlalchemy import event

from benchmaker.errors import Unreachable
from benchmaker.record import Score
from benchmaker.store import Store, Writer, WriteStatus
from benchmaker.store.database.database import Database
from tests.on_postgresql.servers import SERVERS, USER, Server
from tests.store.filled import MODELS, a_trial, add_run
from tests.waiting import until

CASES = 100_000

pytestmark = pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
"""A cursor of a server that went away can't be closed; the driver warns where it is let go."""


DURABLE = """
fsync = on
synchronous_commit = on
full_page_writes = on
"""
"""As servers are set up that nobody has changed, and those of tests are not."""


class Away:
    """A server that may be ended and started."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.address = server.address(USER)

    def end(self, how: signal.Signals) -> None:
        others = psutil.Process(self._server.pid).children()
        self._server.end(how)
        psutil.wait_procs(others)

    def start(self) -> None:
        self._server.start()


@pytest.fixture(scope="module")
def own_server(pytestconfig):
    with pytestconfig.stash[SERVERS].one(DURABLE) as server:
        yield Away(server)


@pytest.fixture(autouse=True)
def let_go():
    """Let broken cursors go here, where that is expected."""
    yield
    gc.collect()


class Load:
    """A writer and a reader that work until they are told to end."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.over = threading.Event()
        self.acknowledged: Counter[tuple[str, str]] = Counter()
        self.put: list[tuple[str, str]] = []
        self.reads = 0
        self.errors: list[Exception] = []
        self.threads = [
            threading.Thread(target=self.guarded, args=(it,)) for it in (self.write, self.read)
        ]

    def guarded(self, work) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  the test looks at them
            self.errors.append(error)

    def note(self, result: WriteStatus, key: tuple[str, str]) -> None:
        assert result is WriteStatus.NEW
        self.acknowledged[key] += 1

    def write(self) -> None:
        with Writer(self.store, max_delay_s=0.002, queue_rows=200) as writer:
            for at in range(CASES):
                for model in MODELS:
                    trial = a_trial(at, model)
                    key = (trial.case_id, model)
                    writer.put(trial, on_durable=lambda result, key=key: self.note(result, key))
                    self.put.append(key)
                    if at % 5 == 0:
                        writer.flush()
                        writer.put_score(trial.key, Score(score=0.5, scorer="exact"))
                if self.over.is_set():
                    return

    def read(self) -> None:
        while not self.over.is_set():
            seen = Counter((it.case_id, it.model) for it in self.store.trials("run-1"))
            assert set(seen.values()) <= {1}
            assert self.store.run("run-1").id == "run-1"
            assert self.store.columns(["run-1"]).score.size >= len(seen)
            self.reads += 1

    def __enter__(self) -> Self:
        for it in self.threads:
            it.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for it in self.threads:
            it.join()


def wait_for_more(load: Load) -> None:
    """Until rows were acknowledged and read that were not before."""
    written, read = len(load.acknowledged), load.reads

    def is_more() -> bool:
        return len(load.acknowledged) >= written + 20 and load.reads > read

    until(lambda: load.errors or is_more(), 300)


def test_a_server_that_is_killed_and_comes_back_loses_nothing_acknowledged(own_server):
    with Store.open(own_server.address) as store:
        store.database.patience_s = 600
        add_run(store, cases=10)
        before = store.check().counts
        with Load(store) as load:
            for how in (signal.SIGKILL, signal.SIGINT, signal.SIGQUIT):
                wait_for_more(load)
                own_server.end(how)
                time.sleep(0.3)
                own_server.start()
            wait_for_more(load)
        assert load.errors == []
        assert set(load.acknowledged.values()) == {1}
        assert sorted(load.acknowledged) == sorted(load.put)
        rows = store.done_keys("run-1", 0, CASES)
        assert rows == set(load.acknowledged)
        check = store.check()
        assert check.is_ok
        scored_again = sum(int(case.removeprefix("case-")) % 5 == 0 for case, _ in load.put)
        assert check.counts["trials"] == before["trials"] + len(load.put)
        assert check.counts["scores"] == before["scores"] + len(load.put) + scored_again
        assert check.counts["counters"] == 1


@contextmanager
def broken_at(address: str, database: Database, number: int) -> Iterator[list[str]]:
    """Inside, the connection breaks at one of the statements, once; gives those that were sent."""
    sent: list[str] = []

    def note(connection, _cursor, statement, *_) -> None:
        sent.append(statement)
        if len(sent) == number:
            pid = connection.connection.driver_connection.info.backend_pid
            with psycopg.connect(address, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 60000)", [pid])

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


READS = {
    "trials": lambda store: list(store.trials("run-2")),
    "judgments": lambda store: list(store.each_judgment("run-2")),
    "submissions": lambda store: list(store.submissions()),
    "trace": lambda store: list(store.trace("s", "log")),
    "traces": lambda store: list(store.trace_parts("log")),
}


@pytest.mark.postgresql("how a connection breaks")
@pytest.mark.parametrize("what", READS)
def test_what_is_read_in_pages_is_read_again_where_the_connection_breaks(own_server, what):
    with Store.open(own_server.address) as store:
        if "run-2" not in [run.id for run in store.runs()]:
            add_run(store, "run-2", cases=10)
            with Writer(store) as writer:
                writer.put(a_trial(1, MODELS[0], run_id="run-2"))
        expected = READS[what](store)
        number, sent = 1, [""]
        while len(sent) >= number:
            with broken_at(own_server.address, store.database, number) as sent:
                assert READS[what](store) == expected
            number += 1
        assert number > 2


def test_a_server_that_stays_away_is_said_so_after_a_bounded_time(own_server):
    with Store.open(own_server.address) as store:
        store.database.patience_s = 0.5
        own_server.end(signal.SIGINT)
        try:
            with pytest.raises(Unreachable, match="unreachable"):
                store.runs()
            with pytest.raises(Unreachable, match="unreachable"):
                Store.open(own_server.address)
        finally:
            own_server.start()
        assert store.runs() is not None
