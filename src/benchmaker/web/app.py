"""The application: guard, pages, API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from benchmaker import __version__
from benchmaker.web import static_files
from benchmaker.web.access import Access
from benchmaker.web.faults import add_fault_pages
from benchmaker.web.guard import Guard
from benchmaker.web.pages import (
    about,
    agentic,
    arena,
    arena_live,
    case,
    cases,
    comparing,
    endpoints,
    home,
    judges,
    jump,
    labelling,
    preferences,
    prices,
    profiles,
    rescoring,
    results,
    runs,
    suite,
    suite_case,
    suites,
    trial,
)
from benchmaker.web.settings import Settings
from benchmaker.web.workbench import Workbench
from benchmaker.web.working import working

_PAGES = (
    home,
    arena,
    arena_live,
    runs,
    cases,
    case,
    trial,
    rescoring,
    results,
    comparing,
    agentic,
    suites,
    suite_case,
    suite,
    labelling,
    judges,
    endpoints,
    prices,
    profiles,
    about,
    jump,
    preferences,
    static_files,
)


def create_app(settings: Settings) -> FastAPI:
    """The workbench over one data folder, guarded; serve it on a loopback address alone."""
    bench = Workbench(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with working(bench):
            yield
            await bench.watch.close()
        bench.close()

    app = FastAPI(
        title="Benchmaker",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
    )
    app.state.bench = bench
    for module in _PAGES:
        app.include_router(module.router)
    add_fault_pages(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    app.add_middleware(Guard, hosts=settings.hosts, access=Access(settings.home, settings.token))
    return app
