"""Tasks of agents, and one of them in full."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.spec.tasks.criterion import is_hidden
from benchmaker.store.agentic.tasks import StoredTask
from benchmaker.web.faults import Missing
from benchmaker.web.listing import Column, csv_response, json_response
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="tasks")
class TasksPage:
    """Tasks of coding agents."""

    routes: ClassVar = router
    is_public: ClassVar = True


_SHOWN = 500
_PLAIN = ("difficulty", "category", "isolation", "profile", "version")


class TaskRow(NamedTuple):
    """A task; without ``stored`` only submissions name it."""

    id: str
    submissions: int
    stored: StoredTask | None

    @property
    def title(self) -> str:
        """As its file calls it."""
        return str(self.stored.body.get("title") or "") if self.stored else ""


COLUMNS: tuple[Column[TaskRow], ...] = (
    Column("task", "Task", lambda row: row.id),
    Column("title", "Title", lambda row: row.title),
    Column("category", "Category", lambda row: row.stored and row.stored.category),
    Column("difficulty", "Difficulty", lambda row: row.stored and row.stored.difficulty),
    Column("submissions", "Submissions", lambda row: row.submissions, True),
)


@router.get("/agentic/tasks")
def tasks(request: Request, bench: Bench) -> Response:
    """Every task that is stored or that a submission names."""
    view = read_view(request)
    rows = [row for row in task_rows(bench) if _has(row, view.q)]
    return page(
        request,
        "agentic/tasks",
        title="Tasks",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Tasks")),
        view=view,
        rows=rows[:_SHOWN],
        count=len(rows),
        hide=bench.redactor.text,
    )


@router.get("/agentic/tasks.csv")
def tasks_csv(bench: Bench) -> Response:
    """The same rows for a spreadsheet."""
    return csv_response(COLUMNS, task_rows(bench), "tasks")


@router.get("/agentic/tasks.json")
def tasks_json(bench: Bench) -> Response:
    """The same rows as objects."""
    return json_response(COLUMNS, task_rows(bench), "tasks")


@router.get("/agentic/tasks/{task_id:path}")
def task(request: Request, bench: Bench, task_id: str) -> Response:
    """Show one task: its prompt, its criteria and its known facts."""
    row = next((one for one in task_rows(bench) if one.id == task_id), None)
    if row is None:
        raise Missing("there is no such task.", hint="See Agentic, Tasks.")
    body = row.stored.body if row.stored else {}
    hide = bench.redactor.text
    return page(
        request,
        "agentic/task",
        title=hide(row.title or row.id),
        here="Agentic",
        crumbs=(
            Crumb("Agentic", "/agentic"),
            Crumb("Tasks", "/agentic/tasks"),
            Crumb(hide(row.id)),
        ),
        row=row,
        prompt=hide(str(body.get("prompt") or "")),
        facts=[(name, str(body[name])) for name in _PLAIN if body.get(name)],
        limits=_pairs(body.get("limits")),
        weights=_pairs(body.get("weights")),
        criteria=[_criterion(one) for one in body.get("criteria", ())][:200],
        hide=hide,
    )


def task_rows(bench: Workbench) -> Iterator[TaskRow]:
    """Every task that is stored or that a submission names, by id."""
    stored = {one.id: one for one in bench.store.agentic.tasks()}
    counts = bench.store.submission_pages.counts_by_task()
    for name in sorted({*stored, *counts}):
        yield TaskRow(name, counts.get(name, 0), stored.get(name))


def _has(row: TaskRow, text: str) -> bool:
    wanted = text.casefold()
    return any(wanted in one.casefold() for one in (row.id, row.title))


def _pairs(held: Any) -> list[tuple[str, str]]:  # noqa: ANN401  out of a file
    if not isinstance(held, dict):
        return []
    return [(str(name).replace("_", " "), str(value)) for name, value in held.items() if value]


def _criterion(one: dict[str, Any]) -> dict[str, Any]:
    """Return the visible part of a criterion: only the kind of a hidden one."""
    is_concealed = is_hidden(one)
    kind = str(one.get("type", ""))
    said = (
        ""
        if is_concealed
        else next(
            (str(one[k]) for k in ("command", "path", "rubric", "question") if one.get(k)), ""
        )
    )
    return {
        "id": kind if is_concealed else str(one.get("id") or kind),
        "type": kind,
        "weight": one.get("weight", 1.0),
        "is_required": bool(one.get("required")),
        "is_hidden": is_concealed,
        "said": said,
    }
