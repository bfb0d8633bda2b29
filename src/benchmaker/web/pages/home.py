"""Home: running jobs, required actions, results of recent runs."""

from collections.abc import Container, Mapping
from typing import Annotated, ClassVar, NamedTuple

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse
from msgspec.structs import replace

from benchmaker.engine.runs.control import runs_of
from benchmaker.plugins import web_page
from benchmaker.providers.endpoints.advice import CHECK_NAME
from benchmaker.record import Run, RunState
from benchmaker.record.submissions.evaluation import ReviewState
from benchmaker.report.runs.state import ShownState, shown_states, sum_of
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store.runs.run_filters import FAILED, STOPPED
from benchmaker.web.arena.setup import EXAMPLE
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.pages.results.newest_failures import newest_failures
from benchmaker.web.rendering import page
from benchmaker.web.results.latest_results import LatestResult, results_page
from benchmaker.web.results.run_cache import Known, OverviewCache
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="home")
class HomePage:
    """Results of recent runs, current work and open reviews."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Home", position=0, key="h")


_LONGEST = 120
"""Number of characters of a reason."""

_LAST = 10
"""Maximum number of listed series, and runs without one."""

_CHECKED = 40
"""Number of the latest series, and runs without one, that are checked for a required action."""


@router.get("/")
def home(request: Request, bench: Bench, known: Known) -> Response:
    """The results of the last runs, those that are running, and those that are not whole."""
    found = results_page(bench, "home", lambda: bench.store.target_pages.page(limit=_CHECKED))
    with bench.store.read_snapshot():
        return _page(request, bench, known, found.rows)


def _page(
    request: Request, bench: Workbench, known: OverviewCache, checked: list[LatestResult]
) -> Response:
    latest = checked[:_LAST]
    runs = [run for it in checked for run in it.runs]
    at_work = {job.target for job in bench.store.jobs.list_open()}
    states = _states(bench, checked)
    return page(
        request,
        "home",
        title="Home",
        here="Home",
        running=[run for run in runs if run.state is RunState.RUNNING],
        waiting=[task for it in checked if (task := _task_of(it, states, at_work))],
        to_review=bench.store.agentic.count_reviews(ReviewState.OPEN),
        to_moderate=bench.store.agentic.count_pending(),
        latest=latest,
        wrong=newest_failures(bench, known, latest),
        example=EXAMPLE,
        states=states,
    )


def _states(bench: Workbench, latest: list[LatestResult]) -> dict[str, ShownState]:
    """The states of the runs with a result, and of those in progress, whose trials are counted."""
    running = [run for it in latest for run in it.runs if run.state is RunState.RUNNING]
    known = {
        run.id: state
        for it in latest
        if it.states
        for run, state in zip(it.runs, it.states, strict=True)
    }
    return known | shown_states(bench.store, running)


class _Task(NamedTuple):
    """A series, or a run without one, that needs a person, with the reason in short.

    ``runs`` is the number of its runs that need one; numbers in ``why`` are over all of these.
    """

    result: LatestResult
    why: str
    runs: int


def _task_of(
    result: LatestResult, states: Mapping[str, ShownState], at_work: Container[str]
) -> _Task | None:
    """The task of the runs that need a person like the first of them; None if none does."""
    reason = result.leader.failure if result.leader else ""
    needed = [
        run
        for run in result.runs
        if run.id in states
        and (result.name not in at_work or run.state is RunState.PAUSED)
        and _needs_a_person(run, states[run.id], reason)
    ]
    if not needed:
        return None
    whole = sum_of([states[run.id] for run in needed])
    why = _needs_a_person(needed[0], whole, reason)
    is_stopped = needed[0].state is RunState.INTERRUPTED
    return _Task(result, (is_stopped and result.budget_end) or why, len(needed))


def _needs_a_person(run: Run, state: ShownState, reason: str) -> str:
    """Return the action a run needs, as a sentence; empty if it needs none or was dismissed.

    A run that failures stopped, or in which every trial failed, has the reason before the action.
    Failures among recorded answers need none.
    """
    if run.is_dismissed:
        return ""
    if run.state is RunState.PAUSED:
        return "Paused: open the run to resume it."
    if run.state is RunState.INTERRUPTED:
        return "Stopped early: resume it or leave it as it is."
    if run.provider.get("kind") == "recorded":
        return ""
    if state.word in {FAILED, STOPPED} and reason:
        return f"{_shorten(reason)}. {_retry_sentence(reason)}"
    return f"{capitalise(state.action)}." if state.action else ""


def _shorten(reason: str) -> str:
    """The beginning of a long reason, without its full stop."""
    return (reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST].rstrip()}…").rstrip(".")


def _retry_sentence(reason: str) -> str:
    """Return the action after a failure; a model that does not exist fails again."""
    if CHECK_NAME in reason:
        return "Set up a run with another model."
    return "Open the run to retry."


@router.post("/runs/{run}/dismiss")
def dismiss(bench: Bench, run: str, place: Annotated[int, Form()] = 0) -> Response:
    """Take a run, with its series, off the list of those that need action, until it is resumed.

    ``place`` is that of the button that gets the focus then, from 1.
    """
    now = bench.store.now_utc()
    for found in runs_of(bench.store, run):
        bench.store.amend_run(replace(found, dismissed_at=now))
    return RedirectResponse(f"/#dismiss-{place}" if place > 0 else "/", 303)
