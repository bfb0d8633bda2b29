"""A run of the Code Arena: its prompts and pages, unnamed while votes on them are open."""

from contextlib import suppress
from typing import ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.standard.job_handlers import ask_to_resume
from benchmaker.errors import Conflict
from benchmaker.plugins import web_page
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.code.improvements import comparison_address
from benchmaker.web.code.links import (
    duel_address,
    next_address,
    run_address,
    shot_events_address,
)
from benchmaker.web.code.pairs import next_pair
from benchmaker.web.code.rows import blind_rows, prompt_rows
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.code.thumbnails import USUAL_WIDTH, WIDTH_WORDS, WIDTHS
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.pages.code.live_pages import (
    is_over,
    live_response,
    place_after,
    voter_of,
)
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="code_run")
class CodeRunPage:
    """A run's prompts and generated pages."""

    routes: ClassVar = router


_FILTERS = {"by": None, "names": ("1",), "w": WIDTH_WORDS}


@router.get("/code/{run}")
def code_run(request: Request, bench: Bench, run: str) -> Response:
    """Show one run: its prompts and pages, with names and scores once they are voted on."""
    with bench.store.read_snapshot():
        return _run_page(request, bench, CodeRun.of(bench.store, run))


def _run_page(request: Request, bench: Workbench, subject: CodeRun) -> Response:
    view = by_actor(request, read_view(request, filters=_FILTERS))
    voter = voter_of(view)
    is_running = not is_over(bench, subject.run.id)
    waiting = len(subject.waiting_pairs(voter))
    if (is_running or waiting) and not view.filters["names"]:
        if len(subject.prompts) == 1:
            ended = not is_running
            return live_response(request, bench, subject, 1, voter=voter, has_ended=ended)
        return _blind_page(request, subject, view, waiting=waiting, is_running=is_running)
    return _named_page(request, bench, subject, view, waiting=waiting)


@router.post("/code/{run}/render")
def render_again(bench: Bench, run: str) -> Response:
    """Render the pages again whose render failed, and show the run."""
    subject = CodeRun.of(bench.store, run)
    series = subject.run.series_id
    only = {"run": subject.run.id} if series else {}
    with suppress(Conflict):  # pressed twice: it goes on already
        ask_to_resume(bench.store, series or subject.run.id, retry_failed=True, body=only)
    return RedirectResponse(run_address(subject.run.id), 303)


def _blind_page(
    request: Request, subject: CodeRun, view: View, *, waiting: int, is_running: bool
) -> Response:
    voter, width = voter_of(view), int(view.filters["w"] or USUAL_WIDTH)
    place = subject.last_place
    events = shot_events_address(subject.run.id, voter, width=width, after=place)
    return page(
        request,
        "code/blind_run",
        title=subject.run.suite_name,
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name)),
        view=view,
        subject=subject,
        rows=blind_rows(subject, voter, width),
        events=events if is_running else "",
        voting=next_address(subject.run.id, voter, after=0),
        pairs=len(subject.queue(voter)),
        waiting=waiting,
        widths=WIDTHS,
        width=width,
        by=voter,
    )


def _named_page(
    request: Request, bench: Workbench, subject: CodeRun, view: View, *, waiting: int
) -> Response:
    voter, width = voter_of(view), int(view.filters["w"] or USUAL_WIDTH)
    over = is_over(bench, subject.run.id)
    return page(
        request,
        "code/run",
        title=subject.run.suite_name,
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name)),
        view=view,
        subject=subject,
        run=subject.run,
        rows=prompt_rows(subject, width, is_over=over),
        over=over,
        waiting=waiting,
        pairs=len(subject.queue(voter)),
        comparison=comparison_address(subject),
        votes=len(bench.store.votes.read([subject.run.id])),
        widths=WIDTHS,
        width=width,
        by=voter,
    )


@router.get("/code/{run}/vote")
def vote_on_next(request: Request, bench: Bench, run: str) -> Response:
    """Redirect to the next pair without a vote of this voter, after the current one."""
    with bench.store.read_snapshot():
        return _vote_page(request, CodeRun.of(bench.store, run))


def _vote_page(request: Request, subject: CodeRun) -> Response:
    view = by_actor(request, read_view(request, filters={"by": None}))
    voter = voter_of(view)
    pair = next_pair(subject, voter, after=place_after(view))
    if pair is not None:
        return RedirectResponse(duel_address(subject, pair, voter), 303)
    return page(
        request,
        "code/done",
        title="Voting finished",
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb("Vote")),
        subject=subject,
        pairs=len(subject.queue(voter)),
        by=voter,
    )
