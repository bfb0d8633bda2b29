"""Scoring stored answers anew, from a form."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel

from benchmaker.errors import SpecError
from benchmaker.plugins import available
from benchmaker.record import Run
from benchmaker.web.rendering import fragment
from benchmaker.web.rescorings import Jobs, Rescorings
from benchmaker.web.subject import Subject, run_subject, series_subject
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)

_PROFILES = ("classic", "robust")
_JUDGES = "llm_judge"


def choices(run: Run) -> dict[str, Any]:
    """What the form offers: profiles, scorers, and whether judges may have to be asked."""
    return {
        "profiles": list(_PROFILES),
        "profile": run.profile,
        "scorers": [one.id for one in available("scorer") if not one.error],
        "judged": bool(run.judge),
    }


class Wanted(BaseModel):
    """What the form sends."""

    profile: str = ""
    scorer: str = ""
    max_cost: str = ""

    @property
    def max_cost_usd(self) -> float:
        """Dollars that judges may cost; none unless some are named.

        Raises:
            SpecError: this is no amount.
        """
        try:
            found = float(self.max_cost or 0)
        except ValueError:
            found = -1.0
        if not 0 <= found < float("inf"):
            hint = "Write dollars, such as 0.50."
            raise SpecError(f"{self.max_cost[:40]!r} is no amount.", hint=hint)
        return found


Sent = Annotated[Wanted, Form()]


@router.post("/runs/{run}/rescore")
def rescore_run(run: str, bench: Bench, jobs: Jobs, wanted: Sent) -> Response:
    """Score a run anew."""
    return _start(bench, jobs, run_subject(bench.store, run), wanted)


@router.post("/series/{series}/rescore")
def rescore_series(series: str, bench: Bench, jobs: Jobs, wanted: Sent) -> Response:
    """Score every run of a series anew."""
    return _start(bench, jobs, series_subject(bench.store, series), wanted)


@router.get("/runs/{run}/rescore")
def state_of_run(request: Request, run: str, bench: Bench, jobs: Jobs) -> Response:
    """How it stands, for the page to look at now and then."""
    return _state(request, jobs, run_subject(bench.store, run))


@router.get("/series/{series}/rescore")
def state_of_series(request: Request, series: str, bench: Bench, jobs: Jobs) -> Response:
    """How it stands, for the page to look at now and then."""
    return _state(request, jobs, series_subject(bench.store, series))


def _start(bench: Workbench, jobs: Rescorings, subject: Subject, wanted: Wanted) -> Response:
    profile, scorer = wanted.profile, wanted.scorer
    if not profile and not scorer:
        raise SpecError("Nothing was asked to change.", hint="Choose a profile, a scorer, or both.")
    asked = ", ".join(part for part in (profile and f"profile {profile}", scorer) if part)
    asks_judges = bool(subject.run.judge) or scorer == _JUDGES
    jobs.start(
        bench,
        subject.id,
        asked,
        profile=profile or None,
        scorer=scorer or None,
        max_cost_usd=wanted.max_cost_usd if asks_judges else None,
    )
    return RedirectResponse(subject.base, 303)


def _state(request: Request, jobs: Rescorings, subject: Subject) -> Response:
    if not request.headers.get("hx-request"):
        return RedirectResponse(subject.base, 303)
    state = jobs.state(subject.id)
    if state is None or state.state != "running":
        return Response(status_code=204, headers={"hx-refresh": "true"})
    return HTMLResponse(fragment("rescoring", rescoring=state, subject=subject))
