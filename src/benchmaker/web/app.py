"""The application: guard, pages, API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from fastapi import Depends, FastAPI
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmaker.version import __version__
from benchmaker.web import static_files
from benchmaker.web.access import Access
from benchmaker.web.accounts.authentication import Authenticator
from benchmaker.web.accounts.enforcement import require_permission
from benchmaker.web.accounts.oidc.sign_in import OidcSignIn
from benchmaker.web.accounts.sign_ins import SignIns
from benchmaker.web.accounts.workbenches import Benches
from benchmaker.web.api.mounted import add_api
from benchmaker.web.code.preview_hosts import PreviewHost
from benchmaker.web.error_body import plain_answer
from benchmaker.web.faults import add_fault_pages
from benchmaker.web.guard import Guard
from benchmaker.web.kept_answers import KeptAnswers
from benchmaker.web.observing import RequestObserver, health
from benchmaker.web.observing.requests import QUIET
from benchmaker.web.page_list import find_pages
from benchmaker.web.previews import TwoNames, create_previews
from benchmaker.web.settings import Settings
from benchmaker.web.subrouters import subrouter
from benchmaker.web.workbench import Workbench
from benchmaker.web.worker_thread import running_worker

if TYPE_CHECKING:
    from benchmaker.web.observing.metrics import ServerMetrics

MOST: Final = 100
"""Maximum number of waiting readers; at 50 responses a second, the last waits 2 seconds."""

AGAIN_S: Final = 2
"""Seconds after which a rejected reader should retry."""

_READING: Final = frozenset({"GET", "HEAD"})
_STREAM: Final = "text/event-stream"
_BUSY: Final = (
    "The server is overloaded. Your request is valid but was not processed; try again in a moment."
)


class Overload:
    """Counts the readers whose answer has not begun, and sends those beyond the number away."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or not _may_wait(scope):
            await self._app(scope, receive, send)
        elif self._waiting >= self._most:
            refusal = plain_answer(scope["path"], 503, _BUSY, {"retry-after": str(AGAIN_S)})
            await refusal(scope, receive, send)
        else:
            await self._count_reader(scope, receive, send)

    async def _count_reader(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_waiting = True
        self._waiting += 1

        def release() -> None:
            nonlocal is_waiting
            self._waiting -= is_waiting
            is_waiting = False

        async def send_and_release(message: Message) -> None:
            if message["type"] == "http.response.start":
                release()
            await send(message)

        try:
            await self._app(scope, receive, send_and_release)
        finally:
            release()


def _may_wait(scope: Scope) -> bool:
    """True if this is a read that can be delayed."""
    if scope["method"] not in _READING or scope["path"].startswith(QUIET):
        return False
    return _STREAM not in Headers(scope=scope).get("accept", "")


_OTHERS = (static_files, health)
"""Modules with routes that are no pages."""


def create_app(settings: Settings) -> FastAPI:
    """Return the application for one data folder, guarded.

    Without accounts, serve it only on a loopback address; if it is reachable from elsewhere, set
    ``is_shared``.
    """
    bench = Workbench(settings, opener=Benches)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with running_worker(bench):
            yield
            await bench.let_go()
            if app.state.oidc_sign_in is not None:
                await app.state.oidc_sign_in.close()
        bench.close()

    app = FastAPI(
        title="Benchmaker",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
        dependencies=[Depends(require_permission)],
    )
    app.state.bench = bench
    app.state.readiness = health.Readiness(bench)
    app.state.metrics = metrics = _metrics(bench)
    app.state.signed = signed = Authenticator(bench)
    app.state.sign_ins = SignIns(bench)
    app.state.oidc_sign_in = OidcSignIn(bench, settings.oidc) if settings.oidc else None
    app.state.pages = pages = find_pages(
        settings.pages, others=[module.router for module in _OTHERS]
    )
    for router in (*(one.routes for one in pages.pages), *(one.router for one in _OTHERS)):
        app.include_router(subrouter(router))
    add_api(app)
    add_fault_pages(app)
    app.add_middleware(Overload, most=MOST)
    app.add_middleware(KeptAnswers, bench=bench)
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    access = Access(settings.home, settings.token)
    app.add_middleware(Guard, hosts=settings.hosts, access=access, signed=signed)
    if settings.preview_host:
        host = PreviewHost(settings.preview_host)
        app.add_middleware(TwoNames, previews=create_previews(bench), preview_host=host)
    app.add_middleware(RequestObserver, counts=metrics)
    return app


def _metrics(bench: Workbench) -> "ServerMetrics | None":
    if not bench.settings.metrics:
        return None
    from benchmaker.web.observing.metrics import ServerMetrics  # noqa: PLC0415  where it is wanted

    return ServerMetrics(bench)
