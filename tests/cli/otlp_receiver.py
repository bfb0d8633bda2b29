"""A collector of this machine that takes OTLP over HTTP and keeps what it was sent."""

import asyncio
import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

_PATIENCE_S = 600


class Receiver:
    """Where it listens, and the spans that came, each with its attributes as plain values."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.url = ""
        self.spans: list[Span] = []
        self.services: set[str] = set()
        self.kinds: set[str] = set()

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.kinds.add(request.content_type)
        found = ExportTraceServiceRequest.FromString(body)
        if self.status == 200:
            self._keep(found)
        answer = ExportTraceServiceResponse().SerializeToString()
        return web.Response(status=self.status, body=answer, content_type="application/x-protobuf")

    def _keep(self, found: ExportTraceServiceRequest) -> None:
        for one in found.resource_spans:
            self.services.add(plain(one.resource.attributes)["service.name"])
            for scope in one.scope_spans:
                self.spans.extend(scope.spans)


def plain(attributes) -> dict:
    """Attributes as a plain mapping."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def receiving(status: int = 200) -> Iterator[Receiver]:
    """A receiver in a thread of its own, that answers with this status."""
    receiver, ready, stop = Receiver(status), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/traces", receiver.take)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        receiver.url = f"http://127.0.0.1:{port}"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(_PATIENCE_S)
    try:
        yield receiver
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(_PATIENCE_S)
