"""A new suite from a pasted table: its name and scorer, a preview, then the suite."""

from dataclasses import replace
from typing import ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.spec import Suite
from benchmaker.web.form_body import FieldLists, Fields, PostedLists
from benchmaker.web.pages.suites.paste import PasteForm, preview_content, read_cases, read_form
from benchmaker.web.pages.suites.suite_list import DRAFT, HOME, choices
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.suites.header_form import HeaderForm, header_texts, read_suite
from benchmaker.web.suites.paste import PastedCases
from benchmaker.web.suites.versions import amend_cases, keep
from benchmaker.web.workbench import Bench

router = APIRouter(include_in_schema=False)


@web_page(id="new_suite_paste")
class NewSuitePastePage:
    """A new suite from a pasted table, with a preview."""

    routes: ClassVar = router
    palette: ClassVar = {"New suite by pasting": "/suites/new/paste"}


@router.get("/suites/new/paste")
def new_paste_page(request: Request) -> Response:
    """Show the form for a name and a text."""
    return _page(request, HeaderForm(header_texts(None)), PasteForm(mode="replace"))


@router.post("/suites/new/paste/preview")
def preview_new(request: Request, posted: PostedLists) -> Response:
    """Show what a text is read as; nothing is stored."""
    header, form = _read(posted)
    return _page(request, header, form, made=read_cases(_draft(header), form))


@router.post("/suites/new/paste")
def make_pasted(request: Request, bench: Bench, posted: PostedLists) -> Response:
    """Store a suite with the cases of a previewed text, or show its faults."""
    header, form = _read(posted)
    draft = _draft(header)
    made = read_cases(draft, form)
    is_seen = posted.first("seen") == form.mark
    if header.suite is None or not made.can_be_added or not is_seen:
        return _page(request, header, form, made=made, status=422)
    try:
        content = keep(bench.store, amend_cases(draft, {}, made.cases))
    except SpecError as exc:
        return _page(request, header, form, made=made, status=422, refused=exc)
    return RedirectResponse(f"/suites/{content}", 303)


def _read(posted: FieldLists) -> tuple[HeaderForm, PasteForm]:
    """The header with the entered name and scorer, and the form; pasted cases are all cases."""
    entered = {name: posted.first(name) for name in ("name", "scorer")}
    header = read_suite(Fields(header_texts(None) | entered), DRAFT)
    return header, read_form(posted)._replace(mode="replace", scorer=entered["scorer"])


def _draft(header: HeaderForm) -> Suite:
    """The suite without cases, under any name while it has none."""
    return replace(header.draft or DRAFT, cases=())


def _page(
    request: Request,
    header: HeaderForm,
    form: PasteForm,
    *,
    made: PastedCases | None = None,
    status: int = 200,
    refused: SpecError | None = None,
) -> Response:
    return page(
        request,
        "suites/new_paste",
        title="New suite by pasting",
        here="Suites",
        crumbs=(HOME, Crumb("New suite by pasting")),
        status=status,
        header=header,
        refused=refused,
        scorers=choices()["scorers"],
        **preview_content(_draft(header), form, made),
    )
