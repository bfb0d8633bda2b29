"""The audit log: actor, change and time; in ``main`` for every team, elsewhere for the own one."""

from collections.abc import Callable
from typing import ClassVar, Final

from fastapi import APIRouter, Depends, Request, Response

from benchmaker.plugins import web_page
from benchmaker.record.account import MAIN, AuditEntry, Role
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.web.accounts.people_context import accounts_of, actor_of
from benchmaker.web.listing import ROWS, Column, RowPage, all_rows, csv_response, json_response
from benchmaker.web.pages.people.sign_in import where_accounts_are
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page

router = APIRouter(include_in_schema=False, dependencies=[Depends(where_accounts_are)])


@web_page(id="audit_log")
class AuditLogPage:
    """The audit log."""

    routes: ClassVar = router
    role: ClassVar = Role.ADMIN


HOME: Final = "/settings/audit"
_HIGHEST: Final = 2**62
"""No line has such a number; larger ones are none to a database."""

COLUMNS: Final[tuple[Column[AuditEntry], ...]] = (
    Column("number", "Number", lambda row: row.number, is_number=True),
    Column("at", "Time", lambda row: row.at),
    Column("actor", "User", lambda row: row.actor),
    Column("action", "Action", lambda row: row.action),
    Column("object", "Object", lambda row: row.object),
    Column("detail", "Detail", lambda row: row.detail),
    Column("team", "Team", lambda row: row.team),
    Column("address", "Address", lambda row: row.address),
    Column("request_id", "Request", lambda row: row.request_id),
)


@router.get(HOME)
def audit_log(request: Request) -> Response:
    """The newest lines first, 50 a page."""
    view, own = _view(request), actor_of(request)
    return page(
        request,
        "people/audit_log",
        title="Audit log",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Audit log")),
        view=view,
        part=_part_of(request)(view),
        own=own,
        teams=[it.slug for it in accounts_of(request).teams()] if own.team == MAIN else [],
    )


@router.get(f"{HOME}.csv")
def audit_csv(request: Request) -> Response:
    """The same for a spreadsheet, all of it."""
    return csv_response(COLUMNS, all_rows(_part_of(request), _view(request)), "audit")


@router.get(f"{HOME}.json")
def audit_json(request: Request) -> Response:
    """The same as objects, all of it."""
    return json_response(COLUMNS, all_rows(_part_of(request), _view(request)), "audit")


def _view(request: Request) -> View:
    return read_view(request, filters={"actor": None, "action": None, "team": None})


def _part_of(request: Request, limit: int = ROWS) -> Callable[[View], RowPage]:
    """Return a reader of a page of lines that the requester may see."""
    accounts, own = accounts_of(request), actor_of(request)

    def part(view: View) -> RowPage:
        place = decode_cursor(view.after)
        found = accounts.audit_entries(
            before=min(place[1], _HIGHEST) if place else None,
            limit=limit + 1,
            actor=view.filters["actor"].strip() or None,
            action=view.filters["action"].strip() or None,
            team=(view.filters["team"] or None) if own.team == MAIN else own.team,
        )
        rows = found[:limit]
        return RowPage(rows, encode_cursor("", rows[-1].number) if len(found) > limit else "")

    return part
