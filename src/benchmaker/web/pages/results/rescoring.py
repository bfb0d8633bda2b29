"""Scoring stored answers again, from a form."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel

from benchmaker.arenas.standard.job_handlers import ask_to_rescore
from benchmaker.errors import SpecError
from benchmaker.plugins import list_ids, web_page
from benchmaker.record import Run
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.web.rendering import fragment
from benchmaker.web.results.rescorings import rescoring_of, wait_briefly
from benchmaker.web.results.subject import Subject, run_subject, series_subject
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="rescoring")
class RescoringPage:
    """A form to rescore stored answers."""

    routes: ClassVar = router


_PROFILES = ("classic", "robust")
_JUDGES = "llm_judge"


def choices(run: Run) -> dict[str, Any]:
    """Return the choices of the form: profiles, scorers, and whether judges may be needed."""
    return {
        "profiles": list(_PROFILES),
        "profile": run.profile,
        "scorers": list_ids("scorer"),
        "judged": bool(run.judge),
    }


class Wanted(BaseModel):
    """The content of the submitted form."""

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
            hint = "Enter dollars, such as 0.50."
            raise SpecError(f"{self.max_cost[:40]!r} is not an amount.", hint=hint)
        return found


Sent = Annotated[Wanted, Form()]


@router.post("/runs/{run}/rescore")
def rescore_run(run: str, bench: Bench, wanted: Sent) -> Response:
    """Score a run again."""
    return _start(bench, run_subject(bench.store, run), wanted)


@router.post("/series/{series}/rescore")
def rescore_series(series: str, bench: Bench, wanted: Sent) -> Response:
    """Score every run of a series again."""
    return _start(bench, series_subject(bench.store, series), wanted)


@router.post("/runs/{run}/rescore/stop")
def stop_run(run: str, bench: Bench) -> Response:
    """Stop the rescoring."""
    return _stop(bench, run_subject(bench.store, run))


@router.post("/series/{series}/rescore/stop")
def stop_series(series: str, bench: Bench) -> Response:
    """Stop the rescoring."""
    return _stop(bench, series_subject(bench.store, series))


@router.get("/runs/{run}/rescore")
def state_of_run(request: Request, run: str, bench: Bench) -> Response:
    """Return the current state, for polling by the page."""
    return _state(request, bench, run_subject(bench.store, run))


@router.get("/series/{series}/rescore")
def state_of_series(request: Request, series: str, bench: Bench) -> Response:
    """Return the current state, for polling by the page."""
    return _state(request, bench, series_subject(bench.store, series))


def _start(bench: Workbench, subject: Subject, wanted: Wanted) -> Response:
    profile, scorer = wanted.profile, wanted.scorer
    if not profile and not scorer:
        raise SpecError("Nothing to rescore.", hint="Choose a profile, a scorer, or both.")
    _refuse_unknown(profile, _PROFILES, "profile")
    _refuse_unknown(scorer, list_ids("scorer"), "scorer")
    asks_judges = bool(subject.run.judge) or scorer == _JUDGES
    job = ask_to_rescore(
        bench.store,
        subject.id,
        profile=profile or None,
        scorer=scorer or None,
        max_cost_usd=wanted.max_cost_usd if asks_judges else None,
    )
    if bench.settings.works:
        wait_briefly(bench.store, job)
    return RedirectResponse(subject.base, 303)


def _refuse_unknown(name: str, known: Sequence[str], what: str) -> None:
    if name and name not in known:
        hint = did_you_mean(name, known) or f"Choose one of: {', '.join(known)}."
        raise SpecError(f"there is no {what} {name[:40]!r}.", hint=hint)


def _stop(bench: Workbench, subject: Subject) -> Response:
    bench.store.jobs.ask_to_stop(subject.id)
    return RedirectResponse(subject.base, 303)


def _state(request: Request, bench: Workbench, subject: Subject) -> Response:
    if not request.headers.get("hx-request"):
        return RedirectResponse(subject.base, 303)
    found = rescoring_of(bench.store, subject)
    if found is None or not found.is_open:
        return Response(status_code=204, headers={"hx-refresh": "true"})
    return HTMLResponse(fragment("results/rescoring", rescoring=found, subject=subject))
