"""The cases of a suite as a sheet, edited in place; saving makes a new version."""

from typing import Any, ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.spec import Suite
from benchmaker.web.form_body import PostedLists
from benchmaker.web.listing import ROWS
from benchmaker.web.pages.suites.suite import (
    Content,
    Named,
    crumb,
    has_hash,
    suite_of,
    to_newest,
)
from benchmaker.web.pages.suites.suite_list import HOME, choices
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.suites.conflicts import EditConflict, newest_of, save
from benchmaker.web.suites.sheet import SheetRow, cell_texts, sheet_columns, sheet_rows
from benchmaker.web.suites.sheet_form import (
    PostedSheet,
    add_rows,
    apply_sheet,
    duplicate_row,
    moved_to,
    read_sheet,
)
from benchmaker.web.suites.versions import case_count
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_sheet")
class SuiteSheetPage:
    """The cases of a suite as a sheet to edit."""

    routes: ClassVar = router


_MORE_ROWS = 5
"""The number of rows that *Add rows* adds where scripts are off."""


@router.get("/suites/{content}/sheet")
def sheet(request: Request, bench: Bench, content: Named) -> Response:
    """Show a page of the cases as fields, filtered as on the page of the suite.

    A suite's name instead of a hash redirects to the sheet of its latest version.
    """
    if not has_hash(content):
        query = f"?{request.url.query}" if request.url.query else ""
        return to_newest(bench, content, f"/sheet{query}")
    suite, view = suite_of(bench, content), _view(request)
    part = bench.store.suites.page_of_cases(
        content,
        after=view.after,
        limit=ROWS,
        text=view.q,
        tag=view.filters["tag"],
        scorer=view.filters["scorer"],
        default_scorer=suite.default_scorer.id if suite.default_scorer else "",
    )
    columns = sheet_columns(suite, part.rows)
    rows = (*sheet_rows(part.rows, columns), SheetRow("n1", cell_texts(None, columns)))
    return _page(request, bench, suite, PostedSheet(columns, rows), view=view, after=part.after)


@router.post("/suites/{content}/sheet")
def save_sheet(request: Request, bench: Bench, content: Content, posted: PostedLists) -> Response:
    """Store the suite with the rows of the sheet, or show their faults."""
    suite, view = suite_of(bench, content), _view(request)
    sent = read_sheet(bench.store, suite, posted)
    if not sent.has_changes:
        return RedirectResponse(_address(content, view), 303)
    refused: SpecError | None = None
    try:
        sent, made = apply_sheet(bench.store, suite, sent)
        saved = save(bench.store, suite, posted.first("newest"), made) if made else None
    except SpecError as exc:
        refused, saved = exc, None
    if isinstance(saved, EditConflict):
        sent = moved_to(bench.store, sent, saved)
        return _page(request, bench, saved.newest, sent, view=view, status=409, newer=saved)
    if saved is None:
        return _page(
            request,
            bench,
            suite,
            sent,
            view=view,
            status=422,
            refused=refused,
            known=posted.first("newest"),
        )
    return RedirectResponse(_address(saved, view, **{"from": content}), 303)


@router.post("/suites/{content}/sheet/rows")
def more_rows(request: Request, bench: Bench, content: Content, posted: PostedLists) -> Response:
    """Show the sheet as entered with further rows, or with a copy of one; nothing is stored."""
    suite = suite_of(bench, content)
    sent = read_sheet(bench.store, suite, posted)
    if key := posted.first("duplicate"):
        sent = duplicate_row(sent, suite, key)
    else:
        sent = add_rows(sent, _MORE_ROWS)
    known = posted.first("newest")
    return _page(request, bench, suite, sent, view=_view(request), is_changed=True, known=known)


def _view(request: Request) -> View:
    filters: dict[str, Any] = dict.fromkeys(("tag", "scorer", "from"))
    return read_view(request, filters=filters)


def _address(content: str, view: View, **changes: str) -> str:
    """The sheet of a version with the same filters, at the same place unless it is changed."""
    words = {**view.words, "from": "", **changes}
    kept = {name: value for name, value in words.items() if value}
    return f"/suites/{content}/sheet{'?' if kept else ''}{urlencode(kept)}"


def _page(
    request: Request,
    bench: Workbench,
    suite: Suite,
    shown: PostedSheet,
    *,
    view: View,
    after: str = "",
    status: int = 200,
    newer: EditConflict | None = None,
    refused: SpecError | None = None,
    is_changed: bool = False,
    known: str = "",
) -> Response:
    here = _address(suite.content_hash, view)
    return page(
        request,
        "suites/sheet",
        title=f"Cases of {suite.name}",
        here="Suites",
        crumbs=(HOME, crumb(suite), Crumb("Edit cases")),
        status=status,
        suite=suite,
        count=case_count(suite),
        sheet=shown,
        blank=SheetRow("n0", cell_texts(None, shown.columns)),
        view=view,
        next_at=_address(suite.content_hash, view, after=after) if after else "",
        first_at=_address(suite.content_hash, view, after="") if view.after else "",
        save_at=here,
        rows_at=here.replace("/sheet", "/sheet/rows", 1),
        newest=newest_of(bench.store, suite),
        known=known,
        before=view.filters["from"],
        overtaken=newer,
        refused=refused,
        is_changed=is_changed or status != 200,  # noqa: PLR2004  as entered
        scorers=choices()["scorers"],
    )
