"""Submissions of coding agents."""

from collections.abc import Callable
from itertools import islice
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.arenas.agentic.submissions.moderation import moderation_rows
from benchmaker.plugins import web_page
from benchmaker.record.account import Actor
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS
from benchmaker.store.agentic.submission_pages import SORTABLE, SubmissionRow
from benchmaker.web.accounts.actors import Who
from benchmaker.web.agentic.lookup import evidence_level, is_of_team
from benchmaker.web.agentic.names import known_names
from benchmaker.web.listing import ROWS, Column, Listing, RowPage, add_files
from benchmaker.web.query import View, read_view
from benchmaker.web.render_cache import RenderedBody
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.unchanged import answer_unless_kept
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="submissions")
class SubmissionsPage:
    """All submissions of coding agents."""

    routes: ClassVar = router
    is_public: ClassVar = True


WAITING = 20
"""Maximum number of listed submissions that wait for a moderator."""

LEVELS = tuple(str(level) for level in EVIDENCE_LEVELS)


def success_of(row: SubmissionRow) -> bool | None:
    """The verdict that counts now."""
    return row.metrics.success if row.metrics else row.submission.outcome.success


COLUMNS: tuple[Column[SubmissionRow], ...] = (
    Column("submission", "Submission", lambda row: row.submission.id, is_sortable=False),
    Column("id", "Id in its table", lambda row: row.submission.row_id, is_sortable=False),
    Column("tool", "Tool", lambda row: row.submission.system.harness),
    Column("model", "Model", lambda row: row.submission.system.model),
    Column("effort", "Effort", lambda row: row.submission.system.effort, is_sortable=False),
    Column("task", "Task", lambda row: row.submission.task and row.submission.task.id),
    Column("started", "Started", lambda row: row.submission.started_at),
    Column("success", "Success", success_of, is_sortable=False),
    Column("tokens", "Tokens", lambda row: row.submission.total_tokens, True, False),
    Column("cost_usd", "Cost", lambda row: row.submission.cost.usd, True, False),
    Column("wall_s", "Wall time", lambda row: row.submission.time.wall_s, True, False),
    Column("evidence", "Evidence", evidence_level, is_sortable=False),
    Column("added", "Added", lambda row: row.number, is_number=True),
)
_SHOWN = ("submission",), ("tool", "model"), ("task",), ("started",), ("success", "evidence")
_FIGURES = ("tokens",), ("cost_usd",), ("wall_s",)
_HEADS = tuple(
    tuple(column for key in keys for column in COLUMNS if column.key == key)
    for keys in (*_SHOWN, *_FIGURES)
)
"""The columns of the page, each with the values that it shows below each other."""


@router.get("/agentic/submissions")
def submissions(request: Request, bench: Bench, who: Who) -> Response:
    """List submissions, latest arrival first by default."""

    def draw() -> RenderedBody:
        with bench.store.read_snapshot():
            return RenderedBody.of_response(_page(request, bench, who))

    return answer_unless_kept(request, bench, draw)


def _page(request: Request, bench: Workbench, who: Actor | None) -> Response:
    view = _view(request)
    return page(
        request,
        "agentic/submissions",
        title="Submissions",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Submissions")),
        view=view,
        part=_part(bench)(view),
        columns=_HEADS,
        levels=LEVELS,
        names=known_names(bench),
        waiting=list(islice(moderation_rows(bench.store), WAITING)) if is_of_team(who) else (),
        evidence_of=evidence_level,
        success_of=success_of,
        hide=bench.redactor.text,
    )


def _view(request: Request) -> View:
    filters: dict[str, Any] = {"tool": None, "model": None, "task": None, "evidence": LEVELS}
    return read_view(request, sortable=SORTABLE, filters=filters, sort="-added")


def _part(bench: Workbench) -> Callable[[View], RowPage]:
    def part(view: View) -> RowPage:
        return RowPage(
            *bench.store.submission_pages.page(
                sort=view.sort,
                descending=view.descending,
                after=view.after,
                limit=ROWS,
                text=view.q,
                **view.filters,
            )
        )

    return part


add_files(router, "/agentic/submissions", Listing("submissions", COLUMNS, _view, _part))
