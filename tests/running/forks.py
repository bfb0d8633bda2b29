"""``pytest --workers 4``: tests are collected once, and run by forks of the process that did.

Collecting takes most of a minute: some thousand modules are read, rewritten for their assertions
and imported. Workers that are started afresh, as pytest-xdist starts them, each take it again.
A fork has it all.

A worker takes a file at a time, so that what a file starts (a server, a store, a browser) is
started once. It runs each test, and sends what pytest reports to the first process, which counts
and prints. A worker that dies fails the test it was at, and another takes over behind that test.
"""

import atexit
import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest

WORKER = "TESTS_WORKER"
"""The variable with a worker's name, in its own process and in those that it starts."""


class Hooks:
    """What a plugin may hear of workers."""

    def pytest_worker_started(self, config: pytest.Config, worker: str) -> None:
        """In a worker, before its first test."""

    def pytest_worker_ended(self, config: pytest.Config, worker: str) -> None:
        """In a worker, after its last test and the end of its fixtures."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the hooks."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--workers``."""
    parser.addoption(
        "--workers", type=int, default=0, help="processes that run tests; 0: this one alone"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in workers; None where they are to run in this process."""
    option = session.config.option
    count = min(option.workers, len(session.items))
    if count < 1 or option.collectonly or option.usepdb:
        return None
    if session.testsfailed and not option.continue_on_collection_errors:
        return None
    Workers(session, count).run()
    return True


@dataclass
class Worker:
    """A forked process and what it does; tests are known by their places in the collection."""

    name: str
    process: int
    line: Connection
    inherited: list[int] = field(default_factory=list)
    """What a worker that died had left to do, and this one does first."""
    pending: deque[int] = field(default_factory=deque)
    """What it was given, and has not begun."""
    place: int | None = None
    """The test it is at."""


class Workers:
    """The workers of a session, as the first process sees them."""

    def __init__(self, session: pytest.Session, count: int) -> None:
        self.session, self.config = session, session.config
        self.waiting = deque(batches(session.items))
        self.workers: list[Worker] = []
        self.names = [f"w{number}" for number in range(min(count, len(self.waiting)))]

    def run(self) -> None:
        """Run everything; raises what pytest's own loop raises when it is to stop."""
        self._prepare()
        try:
            for name in self.names:
                self._start(name)
            while self.workers:
                self._serve()
        finally:
            for worker in self.workers:
                with suppress(ProcessLookupError):
                    os.kill(worker.process, signal.SIGKILL)
                os.waitpid(worker.process, 0)
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)
        if self.session.shouldstop:
            raise self.session.Interrupted(self.session.shouldstop)

    def _prepare(self) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.showfspath = False
        factory: pytest.TempPathFactory = self.config._tmp_path_factory  # type: ignore[attr-defined]
        factory.getbasetemp()

    def _start(self, name: str, inherited: list[int] | None = None) -> None:
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            ours.close()
            for other in self.workers:
                other.line.close()
            work(self.session, name, theirs)
        theirs.close()
        self.workers.append(Worker(name, process, ours, inherited or []))

    def _serve(self) -> None:
        by_line = {worker.line: worker for worker in self.workers}
        for line in wait(list(by_line)):
            worker = by_line[line]  # type: ignore[index]
            received = _received(worker.line)
            if received is None:
                self._ended(worker)
            else:
                event, content = received
                getattr(self, f"_on_{event}")(worker, content)

    def _on_batch(self, worker: Worker, _: None) -> None:
        """It wants a file's tests: before its last one, so that it knows what follows."""
        given, worker.inherited = worker.inherited, []
        if not given and self.waiting and not self._is_over():
            given = self.waiting.popleft()
        worker.pending.extend(given)
        worker.line.send(given)

    def _on_begin(self, worker: Worker, place: int) -> None:
        """It is at this test now."""
        worker.place = place
        assert worker.pending.popleft() == place

    def _is_over(self) -> bool:
        return bool(self.session.shouldfail or self.session.shouldstop)

    def _on_report(self, worker: Worker, data: dict[str, Any]) -> None:  # noqa: ARG002  as the others
        hook = self.config.hook
        report = hook.pytest_report_from_serializable(config=self.config, data=data)
        hook.pytest_runtest_logreport(report=report)

    def _on_measured(self, worker: Worker, given: dict[str, Any]) -> None:  # noqa: ARG002  as the others
        self.config.hook.pytest_test_measured(**given)

    def _on_warning(self, worker: Worker, given: dict[str, Any]) -> None:  # noqa: ARG002  as the others
        self.config.hook.pytest_warning_recorded.call_historic(kwargs=given)

    def _on_error(self, worker: Worker, text: str) -> None:  # noqa: ARG002  as the others
        raise pytest.UsageError(f"a worker failed outside of a test:\n{text}")

    def _ended(self, worker: Worker) -> None:
        """Take it off the list; where it had work left its test failed, and another goes on."""
        worker.line.close()
        self.workers.remove(worker)
        code = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
        if code == 0 and (self._is_over() or not worker.pending):
            return
        if worker.place is not None:
            self._report_death(worker, code)
        if worker.pending and not self._is_over():
            self._start(worker.name, list(worker.pending))

    def _report_death(self, worker: Worker, code: int) -> None:
        assert worker.place is not None
        item = self.session.items[worker.place]
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        report = pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=f"worker {worker.name} died ({how}) in {item.nodeid}",
            when="call",
        )
        self.config.hook.pytest_runtest_logreport(report=report)


def _received(line: Connection) -> tuple[str, Any] | None:
    """What a worker sent; None once it has ended."""
    try:
        return line.recv()
    except (EOFError, ConnectionResetError):
        return None


def batches(items: list[pytest.Item]) -> Iterator[list[int]]:
    """The places of each file's tests, in the order of the collection."""
    files = groupby(range(len(items)), lambda place: items[place].nodeid.partition("::")[0])
    return (list(places) for _, places in files)


def work(session: pytest.Session, name: str, line: Connection) -> NoReturn:
    """Be a worker, until there is nothing left to do; never returns."""
    code = 1
    try:
        become(session.config, name, line)
        session.config.hook.pytest_worker_started(config=session.config, worker=name)
        _run(session, line)
        session.config.hook.pytest_worker_ended(config=session.config, worker=name)
        atexit._run_exitfuncs()  # of what was imported or started here, not before
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001  whatever it is, the first process prints it
        with suppress(OSError):
            line.send(("error", traceback.format_exc()))
    finally:
        with suppress(OSError):
            line.close()
        os._exit(code)


def become(config: pytest.Config, name: str, line: Connection) -> None:
    """Make this fork a worker: with streams, a folder and an end of its own."""
    atexit._clear()  # what the first process has to tidy up is its own affair
    os.environ[WORKER] = name
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None and capture.is_globally_capturing() is not None:
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
    factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / name
    factory._basetemp.mkdir(mode=0o700, exist_ok=True)
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        config.pluginmanager.unregister(terminal)
    config.pluginmanager.register(Sender(config, line), "sender")


class Sender:
    """Sends what pytest reports in a worker to the first process."""

    def __init__(self, config: pytest.Config, line: Connection) -> None:
        self.config, self.line = config, line

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send a test's report."""
        hook = self.config.hook
        data = hook.pytest_report_to_serializable(config=self.config, report=report)
        self.line.send(("report", data))

    def pytest_test_measured(self, nodeid: str, processor: float, clock: float) -> None:
        """Send how long a test took."""
        given = {"nodeid": nodeid, "processor": processor, "clock": clock}
        self.line.send(("measured", given))

    def pytest_warning_recorded(
        self, warning_message: Any, when: str, nodeid: str, location: Any
    ) -> None:
        """Send a warning."""
        given = {
            "warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location
        }  # fmt: skip
        with suppress(Exception):  # not everything that a warning holds can be sent
            self.line.send(("warning", given))


def _run(session: pytest.Session, line: Connection) -> None:
    """Run what is given, always knowing the test after: fixtures that both use live on."""
    items, pending = session.items, deque(_more(line))
    while pending and not (session.shouldfail or session.shouldstop):
        place = pending.popleft()
        if not pending:
            pending.extend(_more(line))
        following = items[pending[0]] if pending else None
        line.send(("begin", place))
        items[place].config.hook.pytest_runtest_protocol(item=items[place], nextitem=following)


def _more(line: Connection) -> list[int]:
    line.send(("batch", None))
    return line.recv()
