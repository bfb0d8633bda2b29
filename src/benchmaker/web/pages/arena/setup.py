"""Arena: a run is put together, priced, and begun."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData

from benchmaker.arenas.standard.job_handlers import RUN, ask_for
from benchmaker.arenas.standard.model_check import ModelCheck
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.engine.trials.plan import count_selected
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.plugins import web_page
from benchmaker.record import Selection
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.suites.parameters import EFFORTS
from benchmaker.store.suites.suites import StoredSuite
from benchmaker.web.arena import model_checks, model_choices
from benchmaker.web.arena.costs import costs_of, estimate_content
from benchmaker.web.arena.matrix import matrix_of
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
from benchmaker.web.fault_words import advice_of, fault_location, message_of
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
_MOST_ROWS = 80


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
    """The models that a search found, and the matrix with those that are chosen now."""
    setup, suite, _ = _read(bench, request.query_params)
    is_added = bool(request.query_params.get("add"))
    found = fragment("arena/found", setup=setup, oob=is_added, **_search_content(bench, setup))
    prices = _price_content(bench, setup, suite, request.query_params.getlist("listed"))
    content = {**_suite_content(setup, suite), **prices}
    body = found + fragment("arena/matrix", oob=True, **content)
    return HTMLResponse(body, headers={"HX-Trigger-After-Swap": "chosen"} if is_added else {})


@router.get("/arena/estimate")
def estimate(request: Request, bench: Bench) -> Response:
    """Return the estimated cost and duration of the run, and the address of this choice."""
    setup, suite, _ = _read(bench, request.query_params)
    given = request.query_params
    content = {
        **_suite_content(setup, suite),
        **_price_content(bench, setup, suite, given.getlist("listed")),
        **_missing_keys_content(bench, setup),
    }
    body = fragment("arena/estimate", shape=given.get("shape", ""), oob=True, **content)
    return HTMLResponse(body, headers={"HX-Replace-Url": setup.address(suite)})


@router.post("/arena/test")
def test(request: Request, bench: Bench, form: Form) -> Response:
    """Ask a model one small question; with htmx only its result, else the whole form with it."""
    setup, suite, fault = _read(bench, form)
    model = str(form.get("test") or form.get("add") or "").strip()[:300]
    tested = model_checks.check_named_model(bench, suite, model)
    if request.headers.get("HX-Request"):
        return HTMLResponse(fragment("arena/tested", tested=tested))
    return _page(request, bench, setup, suite, fault=fault, tested=tested)


@router.get("/arena/parameters")
def parameters(request: Request, bench: Bench) -> Response:
    """The parameter panel, locked or not."""
    setup, suite, _ = _read(bench, request.query_params)
    return HTMLResponse(fragment("arena/parameters", oob=False, **_suite_content(setup, suite)))


@router.get("/arena/suite")
def chosen_suite(request: Request, bench: Bench) -> Response:
    """Return the parts of a chosen suite: its description, its parameters, its switches."""
    setup, suite, _ = _read(bench, request.query_params)
    prices = _price_content(bench, setup, suite, request.query_params.getlist("listed"))
    content = {**_suite_content(setup, suite), **prices, "oob": True}
    about = fragment("arena/suite", example=EXAMPLE, **content)
    parts = ("parameters", "matrix")
    return HTMLResponse(about + "".join(fragment(f"arena/{part}", **content) for part in parts))


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
        "n_cases": count_selected(suite.cases, Selection()) if suite else 0,
    }


def _price_content(
    bench: Workbench, setup: Setup, suite: Suite | None, listed: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the estimate, and the matrix of setups with its prices; ``listed`` are its rows."""
    costs = costs_of(bench, setup, suite)
    own = () if suite is None or setup.uses_example else suite.models
    names = setup.models or tuple(one.name for one in own)
    rows = tuple(dict.fromkeys((*listed, *names)))[:_MOST_ROWS]
    models = model_choices.describe_models(bench, rows)
    made = costs.made if costs else None
    matrix = matrix_of(setup, suite, models, made, chosen=names)
    return {**estimate_content(costs), "matrix": matrix}


def _missing_prompts(setup: Setup, suite: Suite | None) -> tuple[str, ...]:
    """Return the requested prompts that the suite lacks."""
    known = {one.id for one in suite.prompts} if suite else set()
    return tuple(one for one in setup.prompts if one not in known)


@router.post("/arena")
def begin(request: Request, bench: Bench, form: Form) -> Response:
    """Create the runs, queue a job for them, and show their progress."""
    setup, suite, fault = _read(bench, form)
    times = _times(form, setup)
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
        shown = "The example suite is shown instead. Choose a suite."
        return read_setup(given), None, _fault(bench, exc)._replace(hint=shown)
    setup = read_setup(given, defaults=suite.parameters)
    if setup.suite != EXAMPLE:
        setup = replace(setup, suite=suite.content_hash)
    return setup, suite, None


def _suite(bench: Workbench, name: str) -> Suite:
    """Return a suite by its content hash, or the latest one of that name."""
    if name == EXAMPLE:
        return runnable_suite(Path(str(resource_path("demo", "suite.yaml"))))
    versions = bench.store.suites.versions(name, limit=1)
    return bench.store.suite(versions[0].suite.hash if versions else name)


def _fault(bench: Workbench, error: BenchmakerError) -> FormFault:
    hide = bench.redactor.text
    return FormFault(
        hide(message_of(error.message, str(bench.home))),
        hide(advice_of(error.hint)),
        hide(fault_location(error.where)),
    )


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


def _times(form: FormData, setup: Setup) -> int:
    """Return the number of runs: that of the button, else that of the form."""
    text = form.get("times", "")
    return int(text) if isinstance(text, str) and text in map(str, TIMES) else setup.runs


def _page(
    request: Request,
    bench: Workbench,
    setup: Setup,
    suite: Suite | None,
    *,
    fault: FormFault | None = None,
    tested: ModelCheck | None = None,
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
        tested=tested,
        oob=False,
        **_suite_content(setup, suite),
        **_search_content(bench, setup),
        **_missing_keys_content(bench, setup),
        **_price_content(bench, setup, suite),
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
