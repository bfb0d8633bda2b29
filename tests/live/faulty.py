"""A model server that goes wrong on request, for tests and to try things out.

It speaks OpenAI's chat completions and Anthropic's messages, whole and as a stream. A model named
``fault:NAME`` always shows that fault, ``fault:NAME:2`` twice for each case, any other name none.
As a program it says where it listens, and keeps its journal under ``/_log``::

    python -m tests.live.faulty --port 8000 --latency .05
"""

import argparse
import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.live.server.app import Service
from tests.live.server.journal import Entry, Journal
from tests.live.server.pace import Pace

HOST = "127.0.0.1"
_START_S = 120.0


class FaultyServer:
    """The server in a thread of its own, from ``with`` to its end.

    ``journal`` may be read at any time. ``url`` has no path: chat completions live under
    ``openai_url``, messages under ``anthropic_url``. By ``clock`` it keeps promises and limits.
    """

    def __init__(
        self,
        pace: Pace | None = None,
        *,
        port: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.journal = Journal(clock)
        self.port = port
        self._service = Service(self.journal, pace or Pace())
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="faulty server", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def settled(self, *, key: str | None = None, timeout_s: float = 120.0) -> list[Entry]:
        """The journal once nothing is in flight; a client may have it all a moment before."""
        until = time.monotonic() + timeout_s
        while any(entry.end == "open" for entry in self.journal.entries(key=key)):
            if time.monotonic() > until:
                raise TimeoutError("requests are still in flight")
            time.sleep(0.005)
        return self.journal.entries(key=key)

    @contextmanager
    def paced(self, pace: Pace) -> Iterator[None]:
        """Another pace inside, for the requests that come then."""
        before, self._service.pace = self._service.pace, pace
        try:
            yield
        finally:
            self._service.pace = before

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_S):
            raise TimeoutError("the faulty server does not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_START_S)
        if self._thread.is_alive():
            raise TimeoutError("the faulty server does not end")

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        runner = web.AppRunner(
            self._service.app(), handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )
        await runner.setup()
        site = web.TCPSite(runner, HOST, self.port, backlog=512)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before any reply")
    parser.add_argument("--rate", type=float, help="requests a second that each key may send")
    asked = parser.parse_args()
    pace = Pace(latency_s=asked.latency, rate=asked.rate)
    with FaultyServer(pace, port=asked.port) as server:
        print(f"ready {server.url}", flush=True)  # noqa: T201  what waits for it reads this
        threading.Event().wait()


if __name__ == "__main__":
    main()
