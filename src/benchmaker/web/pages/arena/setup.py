"""Arena: a run is put together, priced, and begun."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from benchmaker.arenas.standard.job_handlers import RUN, ask_for
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.plugins import web_page
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.suites.parameters import EFFORTS
from benchmaker.store.suites.suites import StoredSuite
from benchmaker.web.arena import model_choices
from benchmaker.web.arena.costs import costs_of, estimate_content
from benchmaker.web.arena.setup import (
    EXAMPLE,
    FIELDS,
    LOCKED,
    SELECTION,
    TIMES,
    Setup,
    read_setup,
    requested_models,
)
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="setup")
class SetupPage:
    """A form to start a run, with its estimate."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Arena", position=20, key="a")


_MOST_SUITES = 200


async def _form(request: Request) -> FormData:
    return await request.form(max_files=0, max_fields=500)


Form = Annotated[FormData, Depends(_form)]


class FormFault(NamedTuple):
    """The reason why a run was not started."""

    message: str
    hint: str = ""
    where: str = ""


@router.get("/arena")
def arena(request: Request, bench: Bench) -> Response:
    """Show the form, filled in from the address."""
    setup, suite, fault = _read(bench, request.query_params)
    return _page(request, bench, setup, suite, fault=fault)


@router.get("/arena/models")
def models(request: Request, bench: Bench) -> Response:
    """The models that a search found."""
    setup, _, _ = _read(bench, request.query_params)
    chosen = model_choices.describe_models(bench, setup.models)
    content = {"setup": setup, "chosen": chosen, "oob": True, **_search_content(bench, setup)}
    return HTMLResponse(fragment("arena/found", **content))


@router.get("/arena/estimate")
def estimate(request: Request, bench: Bench) -> Response:
    """Return the estimated cost and duration of the run."""
    setup, suite, _ = _read(bench, request.query_params)
    content = {
        **estimate_content(costs_of(bench, setup, suite)),
        **_missing_keys_content(bench, setup),
        "setup": setup,
    }
    return HTMLResponse(fragment("arena/estimate", **content))


@router.get("/arena/parameters")
def parameters(request: Request, bench: Bench) -> Response:
    """The parameter panel, locked or not."""
    setup, suite, _ = _read(bench, request.query_params)
    return HTMLResponse(fragment("arena/parameters", oob=False, **_suite_content(setup, suite)))


@router.get("/arena/suite")
def chosen_suite(request: Request, bench: Bench) -> Response:
    """Return the parts of a chosen suite: its description, its parameters, its switches."""
    setup, suite, _ = _read(bench, request.query_params)
    content = _suite_content(setup, suite)
    about = fragment("arena/suite", example=EXAMPLE, **content)
    return HTMLResponse(about + fragment("arena/parameters", oob=True, **content))


def _suite_content(setup: Setup, suite: Suite | None) -> dict[str, Any]:
    """Return the content of a suite's part of the form."""
    usual = suite.parameters if suite else Parameters()
    return {
        "setup": setup,
        "suite": suite,
        "usual": usual,
        "locked": LOCKED,
        "efforts": EFFORTS,
        "missing_prompts": _missing_prompts(setup, suite),
    }


def _missing_prompts(setup: Setup, suite: Suite | None) -> tuple[str, ...]:
    """Return the requested prompts that the suite lacks."""
    known = {one.id for one in suite.prompts} if suite else set()
    return tuple(one for one in setup.prompts if one not in known)


@router.post("/arena")
def begin(request: Request, bench: Bench, form: Form) -> Response:
    """Create the runs, queue a job for them, and show their progress."""
    setup, suite, fault = _read(bench, form)
    times = _times(form)
    fault = fault or _readiness_fault(bench, setup, suite)
    if suite is None or fault or setup.faults:
        return _page(request, bench, setup, suite, fault=fault, status=422)
    try:
        target = _queue_run(bench, setup, suite, times)
    except BenchmakerError as exc:
        status = 424 if isinstance(exc, PrerequisiteError) else 422
        return _page(request, bench, setup, suite, fault=_fault(bench, exc), status=status)
    return RedirectResponse(f"/arena/{target}", 303)


def _queue_run(bench: Workbench, setup: Setup, suite: Suite, times: int) -> str:
    options = replace(setup.options(), runs=times, dotenv=bench.settings.dotenv)
    made = asyncio.run(
        enqueue_runs(
            bench.store,
            suite,
            options,
            home=bench.home,
            recorded=Path(str(resource_path("demo", "answers.jsonl")))
            if setup.uses_example
            else None,
            models=()
            if setup.uses_example
            else tuple(one.name for one in requested_models(suite, setup)),
            environ=bench.settings.environ,
        )
    )
    target = made[0].series_id or made[0].id
    ask_for(bench.store, RUN, target, options.to_job())
    return target


def _read(bench: Workbench, given: Any) -> tuple[Setup, Suite | None, FormFault | None]:  # noqa: ANN401  a query or a form
    """Return the form's values, its suite, and their fault."""
    name = str(given.get("suite") or EXAMPLE)
    try:
        suite = _suite(bench, name)
    except BenchmakerError as exc:
        return read_setup(given), None, _fault(bench, exc)
    return read_setup(given, defaults=suite.parameters), suite, None


def _suite(bench: Workbench, name: str) -> Suite:
    if name == EXAMPLE:
        return runnable_suite(Path(str(resource_path("demo", "suite.yaml"))))
    return bench.store.suite(name)


def _fault(bench: Workbench, error: BenchmakerError) -> FormFault:
    told = bench.redactor.text
    return FormFault(told(error.message), told(error.hint), told(error.where))


def _readiness_fault(bench: Workbench, setup: Setup, suite: Suite | None) -> FormFault | None:
    """Return the missing requirement before anything may be sent."""
    if setup.uses_example or suite is None:
        return None
    try:
        models = tuple(one.model for one in requested_models(suite, setup))
    except SpecError as exc:
        return _fault(bench, exc)
    if not models:
        return FormFault("No model chosen.", "Search for a model or enter its name.")
    missing = model_choices.missing_keys(bench, (*models, *setup.judges))
    if missing:
        hint = "Set them in the server's environment or .env file, then restart the server."
        return FormFault(f"Missing API keys. {'; '.join(missing)}.", hint)
    return None


def _times(form: FormData) -> int:
    text = form.get("times", "1")
    return int(text) if isinstance(text, str) and text in map(str, TIMES) else 1


def _page(
    request: Request,
    bench: Workbench,
    setup: Setup,
    suite: Suite | None,
    *,
    fault: FormFault | None = None,
    status: int = 200,
) -> Response:
    return page(
        request,
        "arena/arena",
        title="Arena",
        here="Arena",
        crumbs=(Crumb("Arena"),),
        status=status,
        suites=_suites(bench),
        fault=fault,
        example=EXAMPLE,
        fields=FIELDS,
        selection=SELECTION,
        chosen=model_choices.describe_models(bench, setup.models),
        oob=False,
        **_suite_content(setup, suite),
        **_search_content(bench, setup),
        **_missing_keys_content(bench, setup),
        **estimate_content(costs_of(bench, setup, suite)),
    )


def _search_content(bench: Workbench, setup: Setup) -> dict[str, Any]:
    try:
        doors = model_choices.doors(bench)
    except BenchmakerError as exc:
        return {"doors": (), "found": model_choices.ModelMatches(error=f"{exc.message} {exc.hint}")}
    return {"doors": doors, "found": model_choices.find_models(bench, setup.q, setup.endpoint)}


def _missing_keys_content(bench: Workbench, setup: Setup) -> dict[str, Any]:
    if setup.uses_example:
        return {"missing": ()}
    return {"missing": model_choices.missing_keys(bench, (*setup.models, *setup.judges))}


def _suites(bench: Workbench) -> tuple[StoredSuite, ...]:
    return bench.store.find_suites()[:_MOST_SUITES]
