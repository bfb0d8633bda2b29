"""Cases pasted as text: a preview of what they are read as, then a new version."""

import hashlib
from typing import Any, ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.spec import Suite
from benchmaker.store.suites.suite_pages import PlacedCase
from benchmaker.web.form_body import UPLOAD_BYTES, FieldLists, PostedLists
from benchmaker.web.pages.suites.suite import (
    Content,
    Named,
    crumb,
    has_hash,
    suite_of,
    to_newest,
)
from benchmaker.web.pages.suites.suite_list import HOME
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.suites.conflicts import EditConflict, newest_of, save
from benchmaker.web.suites.paste import CHOICES, LISTED, PastedCases, read_pasted
from benchmaker.web.suites.sheet import VARIABLE, sheet_columns, sheet_rows
from benchmaker.web.suites.versions import amend_cases, case_count
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_paste")
class SuitePastePage:
    """Cases pasted into a suite, with a preview."""

    routes: ClassVar = router


_SHOWN = 10
_IDS = {"": None, "keep": False, "make": True}


class PasteForm(NamedTuple):
    """The entered text and choices; ``scorer`` is that of a new suite."""

    text: str = ""
    mode: str = "append"
    ids: str = ""
    chosen: tuple[tuple[str, str], ...] = ()
    scorer: str = ""

    @property
    def mark(self) -> str:
        """A mark of text and choices, which shows if they differ from those of a preview."""
        return hashlib.sha256(repr(tuple(self)).encode("utf-8", "replace")).hexdigest()[:32]


@router.get("/suites/{content}/paste")
def paste_page(request: Request, bench: Bench, content: Named) -> Response:
    """Show the form for a text."""
    if not has_hash(content):
        return to_newest(bench, content, "/paste")
    return _page(request, bench, suite_of(bench, content), PasteForm())


@router.post("/suites/{content}/paste/preview")
def preview_pasted(
    request: Request, bench: Bench, content: Content, posted: PostedLists
) -> Response:
    """Show what a text is read as; nothing is stored."""
    suite, form = suite_of(bench, content), read_form(posted)
    known = posted.first("newest")
    return _page(request, bench, suite, form, made=read_cases(suite, form), known=known)


@router.post("/suites/{content}/paste")
def save_pasted(request: Request, bench: Bench, content: Content, posted: PostedLists) -> Response:
    """Store the suite with the cases of a previewed text, or show its faults."""
    suite, form = suite_of(bench, content), read_form(posted)
    made, known = read_cases(suite, form), posted.first("newest")
    if not made.can_be_added or posted.first("seen") != form.mark:
        return _page(request, bench, suite, form, made=made, status=422, known=known)
    try:
        saved = save(bench.store, suite, known, _with_cases(suite, form, made))
    except SpecError as exc:
        return _page(request, bench, suite, form, made=made, status=422, refused=exc, known=known)
    if isinstance(saved, EditConflict):
        newer = saved.newest
        read = read_cases(newer, form)
        return _page(request, bench, newer, form, made=read, status=409, newer=saved)
    return RedirectResponse(f"/suites/{saved}?from={content}", 303)


def read_form(posted: FieldLists) -> PasteForm:
    """Return the text and the choices of a form."""
    mode, ids = posted.first("mode"), posted.first("ids")
    pairs = zip(posted["of"], posted["as"], strict=False)
    chosen = tuple((name, field) for name, field in pairs if _is_choice(field))
    return PasteForm(
        posted.first("text"),
        "replace" if mode == "replace" else "append",
        ids if ids in _IDS else "",
        chosen,
    )


def _is_choice(field: str) -> bool:
    return not field or field in CHOICES or field.startswith(VARIABLE)


def read_cases(suite: Suite, form: PasteForm) -> PastedCases:
    """Return the cases of a form, checked as cases of the suite."""
    return read_pasted(
        form.text,
        suite,
        chosen=dict(form.chosen),
        makes_ids=_IDS[form.ids],
        replaces=form.mode == "replace",
    )


def _with_cases(suite: Suite, form: PasteForm, made: PastedCases) -> Suite:
    """The suite with the pasted cases behind its own, or instead of them."""
    if form.mode == "append":
        return amend_cases(suite, {}, made.cases)
    first, *others = range(case_count(suite))
    return amend_cases(suite, {first: made.cases, **dict.fromkeys(others, ())})


def _page(
    request: Request,
    bench: Workbench,
    suite: Suite,
    form: PasteForm,
    *,
    made: PastedCases | None = None,
    status: int = 200,
    newer: EditConflict | None = None,
    refused: SpecError | None = None,
    known: str = "",
) -> Response:
    return page(
        request,
        "suites/paste",
        title="Paste cases",
        here="Suites",
        crumbs=(HOME, crumb(suite), Crumb("Paste cases")),
        status=status,
        suite=suite,
        count=case_count(suite),
        newest=newest_of(bench.store, suite),
        known=known,
        overtaken=newer,
        refused=refused,
        **preview_content(suite, form, made),
    )


def preview_content(suite: Suite, form: PasteForm, made: PastedCases | None) -> dict[str, Any]:
    """Return what a page shows of a form and of the cases that its text is read as."""
    shown: dict[str, Any] = {"columns": (), "rows": ()}
    if made is not None:
        form = _as_shown(form, made)
        placed = [PlacedCase(at, case) for at, case in enumerate(made.cases[:_SHOWN])]
        columns = sheet_columns(suite.without_cases(), placed)
        shown = {"columns": columns, "rows": sheet_rows(placed, columns)}
    return {
        "form": form,
        "made": made,
        "shown": shown,
        "listed": LISTED,
        "most": UPLOAD_BYTES,
        "choices": _choices(made),
    }


def _as_shown(form: PasteForm, made: PastedCases) -> PasteForm:
    """The form as the browser will send it, with a choice for each column of a table."""
    if not made.is_table:
        return form._replace(chosen=())
    return form._replace(chosen=tuple((one.name, one.field) for one in made.columns))


def _choices(made: PastedCases | None) -> dict[str, tuple[str, ...]]:
    """The fields that each column can be read as."""
    columns = made.columns if made else ()
    return {one.name: (*CHOICES, _variable(one.name, one.field)) for one in columns}


def _variable(name: str, field: str) -> str:
    """The variable that a column can be read as: its own, else the chosen one."""
    if field.startswith(VARIABLE):
        return field
    return f"{VARIABLE}{name.removeprefix(VARIABLE)}"
