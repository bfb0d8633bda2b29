"""One case of a suite, to be read and to be changed: each change makes a new version."""

from typing import Annotated, ClassVar

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from benchmaker.plugins import web_page
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Posted
from benchmaker.web.pages.suites.suite import Content, crumb, suite_of
from benchmaker.web.pages.suites.suite_list import HOME, choices
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.suites.case_form import FIELDS, CaseForm, case_texts, read_case
from benchmaker.web.suites.conflicts import (
    EditConflict,
    newest_of,
    save,
    save_without_form,
)
from benchmaker.web.suites.form_errors import Remark
from benchmaker.web.suites.versions import case_count, replace_case, twin_of
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_case")
class SuiteCasePage:
    """A case of a suite, to read and to edit."""

    routes: ClassVar = router


Number = Annotated[int, Path(ge=1, le=2**31)]
"""A case's position, from 1."""


@router.get("/suites/{content}/cases/new")
def new_case(request: Request, bench: Bench, content: Content) -> Response:
    """The form of a further case."""
    return _form(request, bench, suite_of(bench, content), CaseForm(case_texts(None)))


@router.post("/suites/{content}/cases/new")
def add_case(request: Request, bench: Bench, content: Content, fields: Posted) -> Response:
    """Store the suite with another case, or show its faults."""
    suite = suite_of(bench, content)
    form = _read(bench, suite, fields)
    if form.case is None:
        return _form(request, bench, suite, form, status=422)
    made = replace_case(suite, case_count(suite), form.case)
    saved = save(bench.store, suite, fields["newest"], made)
    if isinstance(saved, EditConflict):
        return _form(request, bench, saved.newest, form, status=409, found_newer=saved)
    return RedirectResponse(f"/suites/{saved}?from={content}", 303)


@router.post("/suites/{content}/cases/new/check")
def check_new(bench: Bench, content: Content, fields: Posted) -> HTMLResponse:
    """Return the faults of a new case during typing."""
    return _checked_fragment(_read(bench, suite_of(bench, content), fields))


@router.get("/suites/{content}/cases/{number}")
def case(request: Request, bench: Bench, content: Content, number: Number) -> Response:
    """A case in the form in which it can be changed."""
    suite, found = _case(bench, content, number)
    return _form(request, bench, suite, CaseForm(case_texts(found)), number=number, found=found)


@router.post("/suites/{content}/cases/{number}")
def save_case(
    request: Request, bench: Bench, content: Content, number: Number, fields: Posted
) -> Response:
    """Store the suite with the edited case, or show its faults."""
    suite, found = _case(bench, content, number)
    form = _read(bench, suite, fields, found, number)
    if form.case is None:
        return _form(request, bench, suite, form, number=number, found=found, status=422)
    made = replace_case(suite, number - 1, form.case)
    saved = save(bench.store, suite, fields["newest"], made)
    if isinstance(saved, EditConflict):
        place = saved.number_of(bench.store, found.id)
        return _form(
            request,
            bench,
            saved.newest,
            form,
            number=place,
            found=found if place else None,
            status=409,
            found_newer=saved,
        )
    return RedirectResponse(f"/suites/{saved}?from={content}", 303)


@router.post("/suites/{content}/cases/{number}/check")
def check_case(bench: Bench, content: Content, number: Number, fields: Posted) -> HTMLResponse:
    """Return the faults of the case during typing."""
    suite, found = _case(bench, content, number)
    return _checked_fragment(_read(bench, suite, fields, found, number))


@router.post("/suites/{content}/cases/{number}/delete")
def delete_case(bench: Bench, content: Content, number: Number, fields: Posted) -> RedirectResponse:
    """Store the suite without the case."""
    suite, _ = _case(bench, content, number)
    made = replace_case(suite, number - 1)
    saved = save_without_form(bench.store, suite, fields["newest"], made)
    return RedirectResponse(f"/suites/{saved}?from={content}", 303)


@router.post("/suites/{content}/cases/{number}/duplicate")
def duplicate_case(
    bench: Bench, content: Content, number: Number, fields: Posted
) -> RedirectResponse:
    """Store the suite with the case twice, the second under another id, and open that."""
    suite, found = _case(bench, content, number)
    twin = twin_of(found, (one.id for one in suite.cases))
    made = replace_case(suite, number - 1, found, twin)
    saved = save_without_form(bench.store, suite, fields["newest"], made)
    return RedirectResponse(f"/suites/{saved}/cases/{number + 1}", 303)


def _case(bench: Workbench, content: str, number: int) -> tuple[Suite, Case]:
    suite = suite_of(bench, content)
    if number > case_count(suite):
        hint = f"The suite has {case_count(suite):,}."
        raise Missing(f"there is no case {number:,}.", where=suite.name, hint=hint)
    return suite, bench.store.case(content, number - 1)


def _read(
    bench: Workbench, suite: Suite, fields: Posted, before: Case | None = None, number: int = 0
) -> CaseForm:
    """The form, an id that another case has objected to."""
    form = read_case(fields, suite, before)
    name = fields["id"].strip()
    at = bench.store.suites.position_of(suite.content_hash, name) if name else None
    if at is None or at == number - 1:
        return form
    taken = Remark("id", f"case {at + 1:,} has the id {name!r}.", "Choose another id.")
    return CaseForm(form.texts, None, (taken, *form.remarks))


def _checked_fragment(form: CaseForm) -> HTMLResponse:
    return HTMLResponse(fragment("suites/checked", remarks=form.remarks, fields=FIELDS))


def _form(
    request: Request,
    bench: Workbench,
    suite: Suite,
    form: CaseForm,
    *,
    number: int = 0,
    found: Case | None = None,
    status: int = 200,
    found_newer: EditConflict | None = None,
) -> Response:
    changed = found_newer.of_case(found.id) if found_newer and found else None
    title = found.id if found else "New case"
    return page(
        request,
        "suites/case",
        title=title,
        here="Suites",
        crumbs=(HOME, crumb(suite), Crumb(f"Case {number}" if number else "New case")),
        status=status,
        suite=suite,
        count=case_count(suite),
        number=number,
        form=form,
        newest=newest_of(bench.store, suite),
        overtaken=found_newer,
        own_changes=changed.fields if changed else (),
        metadata=block_of(found.metadata) if found and found.metadata else "",
        **choices(),
    )
