"""The Code Arena: a prompt for a page, and the runs with generated pages."""

from collections.abc import Callable
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from benchmaker.arenas.code.prompt_suite import bundled_suite, suite_name, suite_of_prompt
from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.plugins import web_page
from benchmaker.store.runs.code_pages import CodeRunRow
from benchmaker.web.code.links import CODE, run_address
from benchmaker.web.code.prompt_form import (
    MOST_MODELS,
    PromptForm,
    ReadForm,
    form_content,
    read_form,
    refuse_unready,
    start_run,
)
from benchmaker.web.code.thumbnails import first_thumbnails
from benchmaker.web.form_body import PostedLists
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="code_runs")
class CodeRunsPage:
    """A prompt for a page, and runs with generated pages."""

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
    """Show the form for a page, and the runs with generated pages, the newest first."""
    view = _view(request)
    example = _examples().get(view.filters["example"], "")
    return _page(request, bench, view, read_form(bench, PromptForm(prompt=example)))


@router.post("/code")
def start(request: Request, bench: Bench, fields: PostedLists) -> Response:
    """Start a run of one prompt and show its pages; or show the form with what is missing."""
    form = PromptForm.of(fields)
    read = read_form(bench, form, names=True)
    view = _view(request)
    if fields.first("do") == "find":
        return _page(request, bench, view, read_form(bench, form))
    try:
        if not read.is_named:
            return _page(request, bench, view, read, fault=_unknown(read), status=422)
        refuse_unready(bench, read.form)
        suite = suite_of_prompt(read.form.prompt)
        run, _ = start_run(bench, suite, models=read.form.models, judges=read.form.judges)
    except BenchmakerError as exc:
        status = 424 if isinstance(exc, PrerequisiteError) else 422
        fault = bench.redactor.text(f"{exc.message} {exc.hint}".strip())
        return _page(request, bench, view, read, fault=fault, status=status)
    return RedirectResponse(run_address(run.id), 303)


@router.post("/code/estimate")
def form_estimate(bench: Bench, fields: PostedLists) -> Response:
    """Return the models that a text names or finds, with the estimate, as a piece of the form."""
    read = read_form(bench, PromptForm.of(fields))
    typed = fields.first("typed")
    content = {**form_content(read), "most": MOST_MODELS, "typed": typed, "oob": True}
    return HTMLResponse(fragment("code/models", **content))


def _unknown(read: ReadForm) -> str:
    words = f"No model is named “{read.form.search[:60]}”."
    return f"{words} {read.models.error or 'Choose one of those found below.'}"


def _page(
    request: Request,
    bench: Workbench,
    view: View,
    read: ReadForm,
    *,
    fault: str = "",
    status: int = 200,
) -> Response:
    part = _part(bench)(view)
    return page(
        request,
        "code/runs",
        title="Code",
        here="Code",
        status=status,
        view=view,
        part=part,
        columns=COLUMNS,
        thumbnails=first_thumbnails(bench.store, [row.run.id for row in part.rows]),
        examples=_examples(),
        example_name=suite_name(next(iter(_examples().values()))),
        most=MOST_MODELS,
        fault=fault,
        typed=read.form.typed,
        oob=False,
        **form_content(read),
    )


def _examples() -> dict[str, str]:
    """The bundled prompts by their ids."""
    return {case.id: (case.prompt or "").strip() for case in bundled_suite().cases}


def _view(request: Request) -> View:
    filters = {"example": tuple(_examples())}
    return read_view(request, sortable=("started",), filters=filters, sort="-started")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        words: dict[str, Any] = {"descending": view.descending, "after": view.after}
        found = bench.store.code_pages.page(text=view.q, limit=ROWS, **words)
        return RowPage(found.rows, found.after)

    return part


add_files(router, "/code", Listing("runs", COLUMNS, _view, _part))
