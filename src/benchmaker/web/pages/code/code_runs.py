"""The Code Arena: runs with generated pages, one of them, and its prompts."""

from collections.abc import Callable
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.store.runs.code_pages import CodeRunRow
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.code.links import CODE, duel_address, run_address
from benchmaker.web.code.pairs import next_pair
from benchmaker.web.code.rows import prompt_rows
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="code_runs")
class CodeRunsPage:
    """Runs with generated pages."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Code", position=30, key="c")


HOME = Crumb("Code", CODE)
COLUMNS: tuple[Column[CodeRunRow], ...] = (
    Column("run", "Run", lambda row: row.run.id, is_sortable=False),
    Column("suite", "Suite", lambda row: row.run.suite_name, is_sortable=False),
    Column("models", "Models", lambda row: list(row.run.models), is_sortable=False),
    Column("started", "Started", lambda row: row.run.started_at),
    Column("pages", "Pages", lambda row: row.pages, is_number=True, is_sortable=False),
    Column("votes", "Votes", lambda row: row.votes, is_number=True, is_sortable=False),
)


@router.get("/code")
def code(request: Request, bench: Bench) -> Response:
    """Runs with generated pages, the newest first."""
    view = _view(request)
    return page(
        request,
        "code/runs",
        title="Code",
        here="Code",
        view=view,
        part=_part(bench)(view),
        columns=COLUMNS,
    )


@router.get("/code/{run}")
def code_run(request: Request, bench: Bench, run: str) -> Response:
    """Show one run: its prompts, its pages, their scores."""
    subject = CodeRun.of(bench.store, run)
    view = by_actor(request, read_view(request, filters={"by": None}))
    voter = voter_of(view)
    return page(
        request,
        "code/run",
        title=subject.run.suite_name,
        here="Code",
        crumbs=(HOME, Crumb(subject.run.id)),
        subject=subject,
        run=subject.run,
        rows=prompt_rows(subject),
        waiting=len(subject.waiting_pairs(voter)),
        pairs=len(subject.queue(voter)),
        votes=len(bench.store.votes.read([subject.run.id])),
        by=voter,
    )


@router.get("/code/{run}/vote")
def vote_on_next(request: Request, bench: Bench, run: str) -> Response:
    """Redirect to the next pair without a vote of this voter, after the current one."""
    subject = CodeRun.of(bench.store, run)
    view = by_actor(request, read_view(request, filters={"by": None}))
    voter = voter_of(view)
    pair = next_pair(subject, voter, after=_place(view.after))
    if pair is not None:
        return RedirectResponse(duel_address(subject, pair, voter), 303)
    return page(
        request,
        "code/done",
        title="Voting finished",
        here="Code",
        crumbs=(HOME, Crumb(subject.run.id, run_address(subject.run.id)), Crumb("Vote")),
        subject=subject,
        pairs=len(subject.queue(voter)),
        by=voter,
    )


def _place(after: str) -> int:
    if after and not (after.isascii() and after.isdecimal()):
        raise SpecError(f"there is no pair {after[:20]!r}.", hint="Start at the first pair.")
    return int(after[:9] or 0)


def voter_of(view: View) -> str:
    """Return the voter: the signed-in user, the word ``by``, or the only local person."""
    return view.filters["by"].strip()[:200] or "local"


def _view(request: Request) -> View:
    return read_view(request, sortable=("started",), sort="-started")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        words: dict[str, Any] = {"descending": view.descending, "after": view.after}
        found = bench.store.code_pages.page(text=view.q, limit=ROWS, **words)
        return RowPage(found.rows, found.after)

    return part


add_files(router, "/code", Listing("runs", COLUMNS, _view, _part))
