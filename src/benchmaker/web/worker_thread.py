"""The server's own worker: a thread with its own event loop."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from benchmaker.engine.jobs.worker import JobWorker
from benchmaker.errors import BenchmakerError
from benchmaker.web.agentic.uploads import running_intake
from benchmaker.web.workbench import Workbench

_AGAIN_S = 2.0
_LOG = logging.getLogger("benchmaker.web")


@contextmanager
def running_worker(bench: Workbench) -> Iterator[None]:
    """Execute jobs in the background, unless the server leaves them to other workers.

    Submissions are evaluated in any case. On exit, and when the server stops, requests in flight
    are finished within the usual time, and the rest is requeued.
    """
    with running_intake(bench):
        if not bench.settings.works:
            yield
            return
        thread = _Thread(bench)
        thread.start()
        bench.worker_seen = thread.last_seen
        bench.on_leave.append(thread.stop_soon)
        try:
            yield
        finally:
            bench.on_leave.remove(thread.stop_soon)
            thread.leave()


class _Thread(threading.Thread):
    def __init__(self, bench: Workbench) -> None:
        super().__init__(name="benchmaker-worker", daemon=True)
        self._bench = bench
        self._begun = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: asyncio.Event | None = None
        self._worker: JobWorker | None = None

    def run(self) -> None:
        """Work until stopped."""
        asyncio.run(self._work())

    def leave(self) -> None:
        """Tell it to leave, and wait until it has."""
        self._begun.wait()
        self.stop_soon()
        self.join()

    def stop_soon(self) -> None:
        """Tell it to leave; for signal handlers, too: it waits for nothing."""
        if self._loop is not None and self._leaving is not None and self.is_alive():
            with suppress(RuntimeError):  # it has left meanwhile
                self._loop.call_soon_threadsafe(self._leaving.set)

    def last_seen(self) -> float | None:
        """When the worker last looked at its jobs or its lease; None where there is none."""
        return self._worker.seen if self._worker is not None and self.is_alive() else None

    async def _work(self) -> None:
        self._loop, self._leaving = asyncio.get_running_loop(), asyncio.Event()
        self._begun.set()
        while not self._leaving.is_set():
            try:
                await asyncio.to_thread(self._bench.settle)
                worker = self._worker = JobWorker(
                    self._bench.store,
                    self._bench.standard.job_handlers(),
                    redactor=self._bench.redactor,
                )
                await worker.work(self._leaving)
            except BenchmakerError as exc:
                _LOG.warning("the worker could not reach the store: %s", exc)
                await asyncio.sleep(_AGAIN_S)
            except Exception:  # noqa: BLE001  without its worker a server leaves runs waiting for ever
                _LOG.exception("the worker failed and restarts")
                await asyncio.sleep(_AGAIN_S)
