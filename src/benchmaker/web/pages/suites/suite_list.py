"""Suites: the list, new ones, and uploads."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.plugins import list_plugins, web_page
from benchmaker.spec import Case, Family, ScorerSpec, Suite
from benchmaker.store.suites.suite_pages import SORTABLE
from benchmaker.web.form_body import UPLOAD_BYTES, Fields, Posted, Uploaded
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.page_declaration import NavigationPlace
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.suites import case_form, header_form, uploads
from benchmaker.web.suites.last_means import MeasuredSuite, with_last_means
from benchmaker.web.suites.versions import keep
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_list")
class SuiteListPage:
    """All suites, and a form for new ones."""

    routes: ClassVar = router
    navigation: ClassVar = NavigationPlace("Suites", position=10, key="s")
    palette: ClassVar = {"New suite": "/suites/new"}


HOME = Crumb("Suites", "/suites")

_ANY = Case(id="any", prompt="?", expected="?", scorer=ScorerSpec(id="exact"))
DRAFT = Suite(name="", cases=(_ANY,), profile="robust")
"""A new suite, before anything is entered."""


def _mean(row: MeasuredSuite) -> float | None:
    return row.mean.mean if row.mean else None


def _end(row: MeasuredSuite, at: int) -> float | None:
    return row.interval[at] if row.interval else None


COLUMNS: tuple[Column[MeasuredSuite], ...] = (
    Column("suite", "Suite", lambda row: row.suite.name),
    Column("cases", "Cases", lambda row: row.suite.cases, is_number=True),
    Column("runs", "Runs", lambda row: row.runs, is_number=True, is_sortable=False),
    Column("mean", "Last mean", _mean, is_number=True, is_sortable=False),
    Column("model", "Best model", lambda row: row.model, is_sortable=False),
    Column("ci95_low", "95% CI, low", lambda row: _end(row, 0), is_sortable=False),
    Column("ci95_high", "95% CI, high", lambda row: _end(row, 1), is_sortable=False),
    Column("stored", "Stored", lambda row: row.suite.created_at),
    Column("hash", "Version", lambda row: row.suite.hash, is_sortable=False),
)
_SHOWN = tuple(one for one in COLUMNS if not one.key.startswith(("ci95", "model")))


@router.get("/suites")
def suites(request: Request, bench: Bench) -> Response:
    """Suites, each by its newest version, the one stored last first."""
    view = _view(request)
    part = _part(bench)(view)
    means = [row.mean for row in part.rows if row.mean and row.mean.interval]
    return page(
        request,
        "suites/suites",
        title="Suites",
        here="Suites",
        view=view,
        part=part,
        columns=_SHOWN,
        methods=" or ".join(dict.fromkeys(mean.method.split(", ")[1] for mean in means)),
    )


@router.get("/suites/new")
def new_suite(request: Request) -> Response:
    """The form of a new suite with its first case, and that of a file."""
    header = header_form.HeaderForm(header_form.header_texts(None))
    return _form(request, header, case_form.CaseForm(case_form.case_texts(None)))


@router.post("/suites")
def make_suite(request: Request, bench: Bench, fields: Posted) -> Response:
    """Store a new suite with one case, or show its faults."""
    header, first = _read(fields)
    if header.suite is None or first.case is None:
        return _form(request, header, first, status=422)
    content = keep(bench.store, header.suite)
    return RedirectResponse(f"/suites/{content}", 303)


@router.post("/suites/check")
def check_new(fields: Posted) -> HTMLResponse:
    """Return the faults of a new suite during typing."""
    header, first = _read(fields)
    names = (*header_form.FIELDS, *_case_fields())
    remarks = (*header.remarks, *_prefix_remarks(first))
    return HTMLResponse(fragment("suites/checked", remarks=remarks, fields=names))


@router.post("/suites/import")
def import_suite(request: Request, bench: Bench, upload: Uploaded) -> Response:
    """Store the uploaded suite, or show its faults."""
    try:
        content = uploads.take(bench.store, upload)
    except (SpecError, PrerequisiteError) as exc:
        header = header_form.HeaderForm(header_form.header_texts(None))
        empty = case_form.CaseForm(case_form.case_texts(None))
        status = uploads.refusal_status(exc)
        return _form(request, header, empty, status=status, refused=exc, file=upload.name)
    return RedirectResponse(f"/suites/{content}", 303)


def choices() -> dict[str, Any]:
    """Return the choices in the forms of suites and cases."""
    return {
        "scorers": [one.id for one in list_plugins("scorer") if not one.error],
        "profiles": [str(one) for one in Family],
        "parameters": header_form.PARAMETERS,
        "policies": header_form.POLICIES,
    }


def _read(fields: Posted) -> tuple[header_form.HeaderForm, case_form.CaseForm]:
    """The suite and its first case, whose fields begin with ``case_``.

    The header is first read beside a case that nothing can be said against.
    """
    typed = Fields({name: fields[f"case_{name}"] for name in case_form.FIELDS})
    header = header_form.read_suite(fields, DRAFT)
    first = case_form.read_case(typed, header.draft or DRAFT)
    if header.suite is not None and first.case is not None:
        header = replace(header, suite=replace(header.suite, cases=(first.case,)))
    return header, first


def _case_fields() -> list[str]:
    return [f"case_{name}" for name in case_form.FIELDS]


def _prefix_remarks(first: case_form.CaseForm) -> list[Any]:
    return [one._replace(field=f"case_{one.field}" if one.field else "") for one in first.remarks]


def _form(
    request: Request,
    header: header_form.HeaderForm,
    first: case_form.CaseForm,
    *,
    status: int = 200,
    refused: SpecError | PrerequisiteError | None = None,
    file: str = "",
) -> Response:
    return page(
        request,
        "suites/new",
        title="New suite",
        here="Suites",
        crumbs=(HOME, Crumb("New suite")),
        status=status,
        header=header,
        first=first,
        refused=refused,
        file=file,
        at=uploads.FIELDS,
        kinds=uploads.KINDS,
        choosable=uploads.CHOOSABLE,
        most=UPLOAD_BYTES,
        **choices(),
    )


def _view(request: Request) -> View:
    filters = {"versions": ("all",)}
    return read_view(request, sortable=SORTABLE, filters=filters, sort="-stored")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        found = bench.store.suites.page(
            sort=view.sort,
            descending=view.descending,
            after=view.after,
            limit=ROWS,
            text=view.q,
            every_version=bool(view.filters["versions"]),
        )
        return RowPage(with_last_means(bench, found.rows), found.after)

    return part


add_files(router, "/suites", Listing("suites", COLUMNS, _view, _part))
