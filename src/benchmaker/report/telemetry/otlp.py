"""Spans, sent to a collector through OTLP over HTTP during a run.

Sending never slows or ends a run: spans that cannot be sent in time are counted and dropped.
"""

import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, Full, Queue
from typing import Final
from urllib.parse import urlsplit

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record import Run, Trial
from benchmaker.report.telemetry.spans import Span, spans_of
from benchmaker.version import __version__

Export = Callable[[Sequence[Span]], bool]
"""Sends spans and waits for the response; False if they were rejected."""

PATH: Final = "/v1/traces"
_MOST: Final = 20_000
_AT_ONCE: Final = 512
_LOOK_S: Final = 0.2
_PATIENCE_S: Final = 5.0


class Sender:
    """Receives durable trials, and sends their spans from its own thread."""

    def __init__(self, export: Export, *, most: int = _MOST) -> None:
        self._export = export
        self._queue: Queue[Span] = Queue(most)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="otlp", daemon=True)
        self._thread.start()
        self.sent = 0
        self.lost = 0

    def enqueue(self, run: Run, trial: Trial) -> None:
        """Queue a trial's spans for sending; thread-safe, returns immediately."""
        for span in spans_of(run, trial):
            try:
                self._queue.put_nowait(span)
            except Full:
                self.lost += 1

    def close(self, *, patience_s: float = _PATIENCE_S) -> None:
        """Send queued spans within the time limit; the rest is dropped."""
        self._closing.set()
        self._thread.join(patience_s)
        self.lost += self._queue.qsize()

    def _work(self) -> None:
        while not (self._closing.is_set() and self._queue.empty()):
            batch = self._next_batch()
            if batch and self._export(batch):
                self.sent += len(batch)
            else:
                self.lost += len(batch)

    def _next_batch(self) -> list[Span]:
        batch: list[Span] = []
        until = time.monotonic() + _LOOK_S
        while len(batch) < _AT_ONCE:
            try:
                batch.append(self._queue.get(timeout=max(0.0, until - time.monotonic())))
            except Empty:
                break
        return batch


def exporter(endpoint: str) -> Export:
    """Sends to a collector at this base URL, or at this URL where it has a path.

    Headers, certificates and compression are those of OpenTelemetry's own variables, such as
    ``OTEL_EXPORTER_OTLP_HEADERS``.

    Raises:
        SpecError: this is no URL of HTTP, or it holds a password.
        PrerequisiteError: the packages are not installed.
    """
    url = _url(endpoint)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415  an extra
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.trace.export import SpanExportResult  # noqa: PLC0415
    except ImportError as exc:
        raise PrerequisiteError(
            "the OpenTelemetry packages are not installed, so spans can't be exported.",
            hint='Install them with: pip install "benchmaker[otel]"',
        ) from exc
    from benchmaker.report.telemetry.otlp_spans import to_readable_span  # noqa: PLC0415

    sending = OTLPSpanExporter(endpoint=url, timeout=_PATIENCE_S)

    def export(spans: Sequence[Span]) -> bool:
        try:
            done = sending.export([to_readable_span(span, __version__) for span in spans])
        except Exception:  # noqa: BLE001  whatever a network does, the run goes on
            return False
        return done is SpanExportResult.SUCCESS

    return export


def _url(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SpecError(
            "the address of the collector is not an HTTP URL.",
            hint="Use an address such as --otel-endpoint http://127.0.0.1:4318",
        )
    if parts.username or parts.password:
        raise SpecError(
            "the address of the collector contains a user name or a password.",
            hint="Set OTEL_EXPORTER_OTLP_HEADERS instead, as authorization=…",
        )
    has_path = parts.path not in {"", "/"}
    return endpoint if has_path else parts._replace(path=PATH).geturl()
