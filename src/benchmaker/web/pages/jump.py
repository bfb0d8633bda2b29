"""Jump: any suite, run, model, submission, task or page by a few letters; and the list of keys."""

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import ClassVar, NamedTuple
from urllib.parse import quote_plus

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from benchmaker.plugins import web_page
from benchmaker.record.counts import count
from benchmaker.web.filters import format_time
from benchmaker.web.pages.agentic import search as agentic_search
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, fragment, page, pages_of
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="jump")
class JumpPage:
    """Search for suites, runs, models, submissions and pages."""

    routes: ClassVar = router
    palette: ClassVar = {"Keyboard": "/keys"}


HITS = 8


class Hit(NamedTuple):
    """A target of a jump: its kind, its name, and a distinguishing remark."""

    kind: str
    name: str
    href: str
    note: str = ""


@router.get("/jump")
def jump(request: Request, bench: Bench) -> Response:
    """Return up to eight targets whose names contain the text."""
    view = read_view(request)
    text = view.q.strip()
    hits = tuple(islice(_hits(request, bench, text), HITS))
    if request.headers.get("hx-request"):
        return HTMLResponse(fragment("jump_hits", hits=hits, text=text))
    return page(
        request, "jump", title="Jump to", crumbs=(Crumb("Jump"),), view=view, hits=hits, text=text
    )


@router.get("/keys")
def keys(request: Request) -> Response:
    """Every key that does something."""
    actor = getattr(request.state, "actor", None)
    shown = pages_of(request).navigation_of(actor)
    places = [(one.key, one.name) for one in shown if one.key]
    return page(request, "keys", title="Keyboard", crumbs=(Crumb("Keyboard"),), places=places)


def _hits(request: Request, bench: Workbench, text: str) -> Iterator[Hit]:
    """Of each kind the best, in turn, pages first."""
    if not text:
        yield from _pages(request, text)
        return
    if agentic := tuple(islice(_agentic_hits(bench, text), HITS // 2)):
        last = agentic_search.search_for(text)
        agentic = (*agentic[: HITS // 2 - 1], Hit("Search", last.name, last.href))
    pages = _pages(request, text)
    found = (pages, _suites(bench, text), _runs(bench, text), _models(bench, text), agentic)
    for row in zip_longest(*found):
        yield from (hit for hit in row if hit is not None)


def _agentic_hits(bench: Workbench, text: str) -> Iterator[Hit]:
    for kind, it in agentic_search.hits(bench, text):
        hide = bench.redactor.text
        yield Hit(kind, hide(it.name), it.href, hide(it.note))


def _pages(request: Request, text: str) -> Iterator[Hit]:
    actor = getattr(request.state, "actor", None)
    for name, href in pages_of(request).palette_of(actor).items():
        if text.casefold() in name.casefold():
            yield Hit("Page", name, href)


def _suites(bench: Workbench, text: str) -> Iterator[Hit]:
    for row in bench.store.suites.page(text=text, limit=HITS).rows:
        note = count(row.suite.cases, "case")
        yield Hit("Suite", row.suite.name, f"/suites/{row.suite.hash}", note)


def _runs(bench: Workbench, text: str) -> Iterator[Hit]:
    for run, _ in bench.store.run_pages.page(text=text, limit=HITS).rows:
        yield Hit("Run", f"{run.suite_name}", f"/runs/{run.id}", format_time(run.started_at))


def _models(bench: Workbench, text: str) -> Iterator[Hit]:
    for name in bench.store.change_feed.models_used(text, most=HITS):
        yield Hit("Model", name, f"/runs?model={quote_plus(name)}", "its runs")
