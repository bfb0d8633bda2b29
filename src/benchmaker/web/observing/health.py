"""Liveness, readiness and metrics of the server; for programs, without a session."""

import asyncio
import logging
import time
from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from benchmaker.errors import BenchmakerError
from benchmaker.store.database.schema import REVISIONS
from benchmaker.web.workbench import Bench, Workbench

if TYPE_CHECKING:
    from benchmaker.web.observing.metrics import ServerMetrics

router = APIRouter(include_in_schema=False)

OK: Final = "ok"
_PATIENCE_S: Final = 3.0
_AGAIN_S: Final = 1.0
_STALE_S: Final = 60.0
"""A worker that has not looked at its jobs and leases for so long is taken for stuck."""

_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_LOG = logging.getLogger("benchmaker.web.health")


class Readiness:
    """The last readiness result, cached so that the store is checked at most once a second."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._lock = asyncio.Lock()
        self._looked_at = -_AGAIN_S
        self._found: Mapping[str, str] = {}
        self._looking: asyncio.Future[Mapping[str, str]] | None = None

    async def checks(self) -> Mapping[str, str]:
        """Return each part with ``ok``, or the word for its fault."""
        async with self._lock:
            if time.monotonic() - self._looked_at >= _AGAIN_S:
                self._found = await self._store()
                self._looked_at = time.monotonic()
        return {**self._found, "worker": self._worker()}

    async def _store(self) -> Mapping[str, str]:
        if self._looking is None:  # one look at a time, however long it takes
            self._looking = asyncio.ensure_future(asyncio.to_thread(self._check_database))
        done, _ = await asyncio.wait({self._looking}, timeout=_PATIENCE_S)
        if not done:
            return {"database": "late", "schema": "unknown"}
        found, self._looking = self._looking.result(), None
        return found

    def _check_database(self) -> Mapping[str, str]:
        try:
            found = self._bench.store.schema_revision()
        except BenchmakerError as exc:
            _LOG.warning("not ready: %s", exc)
            return {"database": "unreachable", "schema": "unknown"}
        return {"database": OK, "schema": OK if found == REVISIONS[-1] else "another"}

    def _worker(self) -> str:
        if self._bench.is_leaving:
            return "leaving"
        if not self._bench.settings.works:
            return "elsewhere"
        seen = self._bench.worker_seen()
        return OK if seen is not None and time.monotonic() - seen < _STALE_S else "stuck"


_WELL: Final = frozenset({OK, "elsewhere"})


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Confirm that the server answers, without further checks."""
    return {"status": OK}


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Check that the database answers, its schema is ours, and the local worker runs."""
    readiness: Readiness = request.app.state.readiness
    checks = await readiness.checks()
    is_ready = _WELL.issuperset(checks.values())
    body: dict[str, Any] = {"ready": is_ready, "checks": dict(checks)}
    return JSONResponse(body, 200 if is_ready else 503)


@router.get("/metrics")
def metrics(request: Request, bench: Bench) -> Response:
    """Return the metrics to clients on this machine; 404 if they are disabled.

    Requests through a proxy are not local.
    """
    kept: ServerMetrics | None = request.app.state.metrics
    if kept is None or not bench.settings.metrics or not _is_from_here(request):
        return Response("There is no such page.\n", 404, media_type="text/plain")
    from benchmaker.web.observing.metrics import CONTENT_TYPE  # noqa: PLC0415  where it is kept

    return Response(kept.text(), headers={"content-type": CONTENT_TYPE})


def _is_from_here(request: Request) -> bool:
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False
