"""The application: guard, pages, API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from benchmaker import __version__
from benchmaker.web import overload, static_files
from benchmaker.web.access import Access
from benchmaker.web.accounts.enforced import permitted
from benchmaker.web.accounts.oidc.elsewhere import Elsewhere
from benchmaker.web.accounts.opening import opened
from benchmaker.web.accounts.sign_ins import SignIns
from benchmaker.web.accounts.signed import Signed
from benchmaker.web.api.mounted import add_api
from benchmaker.web.faults import add_fault_pages
from benchmaker.web.guard import Guard
from benchmaker.web.observing import Observed, health
from benchmaker.web.overload import Overload
from benchmaker.web.pages import (
    about,
    account,
    agentic,
    arena,
    arena_live,
    audit_log,
    case,
    cases,
    code,
    code_files,
    code_live,
    code_page,
    code_standings,
    code_vote,
    comparing,
    corrected_suite,
    elsewhere,
    endpoints,
    home,
    judges,
    jump,
    labelling,
    people,
    preferences,
    prices,
    profiles,
    rescoring,
    results,
    runs,
    sign_in,
    suite,
    suite_case,
    suites,
    team_secrets,
    trial,
)
from benchmaker.web.parted import part
from benchmaker.web.previews import TwoNames, create_previews
from benchmaker.web.settings import Settings
from benchmaker.web.workbench import Workbench
from benchmaker.web.working import working

if TYPE_CHECKING:
    from benchmaker.web.observing.metrics import Metrics

_PAGES = (
    home,
    arena,
    arena_live,
    runs,
    cases,
    case,
    trial,
    rescoring,
    corrected_suite,
    results,
    comparing,
    code_standings,
    code_files,
    code_page,
    code_live,
    code_vote,
    code,
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
    sign_in,
    elsewhere,
    account,
    people,
    team_secrets,
    audit_log,
    static_files,
    health,
)


def create_app(settings: Settings) -> FastAPI:
    """The workbench over one data folder, guarded.

    Where there are no accounts, serve it on a loopback address alone; where it can be reached from
    elsewhere, say so with ``is_shared``.
    """
    bench = Workbench(settings, opener=opened)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with working(bench):
            yield
            await bench.let_go()
            if app.state.elsewhere is not None:
                await app.state.elsewhere.close()
        bench.close()

    app = FastAPI(
        title="Benchmaker",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
        dependencies=[Depends(permitted)],
    )
    app.state.bench = bench
    app.state.readiness = health.Readiness(bench)
    app.state.metrics = metrics = _metrics(bench)
    app.state.signed = signed = Signed(bench)
    app.state.sign_ins = SignIns(bench)
    app.state.elsewhere = Elsewhere(bench, settings.oidc) if settings.oidc else None
    for module in _PAGES:
        app.include_router(part(module.router))
    add_api(app)
    add_fault_pages(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    app.add_middleware(Overload, most=overload.MOST)
    access = Access(settings.home, settings.token)
    app.add_middleware(Guard, hosts=settings.hosts, access=access, signed=signed)
    if settings.preview_host:
        host = settings.preview_host
        app.add_middleware(TwoNames, previews=create_previews(bench), preview_host=host)
    app.add_middleware(Observed, counts=metrics)
    return app


def _metrics(bench: Workbench) -> "Metrics | None":
    if not bench.settings.metrics:
        return None
    from benchmaker.web.observing.metrics import Metrics  # noqa: PLC0415  where it is wanted

    return Metrics(bench)
