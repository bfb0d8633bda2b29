"""Home: running jobs, required actions, recent runs."""

from typing import ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.record import Outcome, Run, RunState
from benchmaker.record.submissions.evaluation import ReviewState
from benchmaker.report.tables.numbers import count
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.rendering import page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="home")
class HomePage:
    """Recent runs, current work and open reviews."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Home", position=0, key="h")


_LAST = 10
_INFRASTRUCTURE = (Outcome.TIMEOUT, Outcome.BAD_RESPONSE, Outcome.PROVIDER_ERROR)


@router.get("/")
def home(request: Request, bench: Bench) -> Response:
    """The last runs, those that are running, and those that are not whole."""
    runs = bench.store.runs(limit=_LAST)
    at_work = {job.target for job in bench.store.jobs.list_open()}
    done = bench.store.run_pages.count_ended([run.id for run in runs])
    return page(
        request,
        "home",
        title="Home",
        here="Home",
        running=[run for run in runs if run.state is RunState.RUNNING],
        waiting=[
            (run, why)
            for run in runs
            if _target(run) not in at_work and (why := _needs_a_person(bench, run))
        ],
        to_review=bench.store.agentic.count_reviews(ReviewState.OPEN),
        to_moderate=bench.store.agentic.count_pending(),
        runs=runs,
        done=done,
    )


def _target(run: Run) -> str:
    """Return the target of a job on the run: its series, or itself."""
    return run.series_id or run.id


def _needs_a_person(bench: Workbench, run: Run) -> str:
    """Return the action a run needs: it stopped early, or infrastructure failed; else empty."""
    if run.state is RunState.RUNNING:
        return ""
    if run.state is not RunState.FINISHED:
        return "stopped early: resume it or leave it as it is"
    outcomes = bench.store.outcomes([run.id])[run.id]
    failed = sum(outcomes.get(one, 0) for one in _INFRASTRUCTURE)
    return f"{count(failed, 'failed request')}: open the run to retry" if failed else ""
