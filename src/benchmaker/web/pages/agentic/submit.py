"""Submitting a log: it is read into a report first, and stored on confirmation."""

from pathlib import Path
from typing import Any, ClassVar, Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.agentic.sessions.importing import Imported, import_logs
from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.plugins import web_page
from benchmaker.record.account import Role
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import FIGURE_ROWS, Submission
from benchmaker.report.sentences.figures import missing_words, time_range, why_no_cost
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.spec.documents.files import is_there
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.web.accounts.guests import Guest
from benchmaker.web.agentic.staging import Staging
from benchmaker.web.agentic.unevaluated import start_evaluation
from benchmaker.web.agentic.uploads import intake_queue_of
from benchmaker.web.form_body import UPLOAD_BYTES, Posted, Uploaded
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="submit")
class SubmitPage:
    """A form to submit a log."""

    routes: ClassVar = router
    role: ClassVar = Role.MEMBER


_CRUMBS = (Crumb("Agentic", "/agentic"), Crumb("Submit"))
_SHOWN: Final = 50
_LONGEST_TASK: Final = 200


@router.get("/agentic/submit")
def form(request: Request) -> Response:
    """Show the form for choosing a log."""
    return page(
        request,
        "agentic/submit",
        title="Submit a log",
        here="Agentic",
        crumbs=_CRUMBS,
        most=UPLOAD_BYTES,
    )


@router.post("/agentic/submit")
def receive(bench: Bench, upload: Uploaded) -> Response:
    """Read the upload; a file without a session is deleted immediately."""
    staging = Staging(bench.home)
    token = staging.put(upload.name, upload.body)
    try:
        found = _read(bench, staging.path(token))
        if not found.submissions:
            raise SpecError(
                "the file contains no session.", where=upload.name, hint=why_none(found)
            )
    except BenchmakerError as error:
        staging.drop(token)
        error.where = (error.where or "").replace(str(bench.home), "")
        raise
    return RedirectResponse(f"/agentic/submit/{token}", 303)


@router.post("/agentic/evaluate")
def evaluate_all(bench: Bench) -> Response:
    """Evaluate everything stored, as ``benchmaker evaluate`` does; the board waits for it."""
    start_evaluation(bench)
    return RedirectResponse("/agentic", 303)


@router.get("/agentic/submit/{token}")
def preview(request: Request, bench: Bench, token: str) -> Response:
    """Show the content of the upload before it is stored."""
    path = Staging(bench.home).path(token)
    found = _read(bench, path)
    return page(
        request,
        "agentic/preview",
        title="Preview of the log",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Submit", "/agentic/submit"), Crumb("Preview")),
        token=token,
        name=path.name,
        size=path.stat().st_size,
        sessions=[_session(one, found) for one in found.submissions[:_SHOWN]],
        count=len(found.submissions),
        skipped=found.skipped_lines[:_SHOWN],
        skipped_total=found.skipped,
        notes=found.notes[:_SHOWN],
        others=_rest_lines(found),
        task=next((it.task.id for it in found.submissions if it.task), ""),
        tasks=_tasks(bench),
        hide=bench.redactor.text,
    )


@router.post("/agentic/submit/{token}")
def keep_or_discard(bench: Bench, guest: Guest, token: str, fields: Posted) -> Response:
    """Keep the sessions, or discard them."""
    staging = Staging(bench.home)
    if fields["do"] != "keep":
        staging.drop(token)
        return RedirectResponse("/agentic/submit", 303)
    path, task = staging.path(token), fields["task"].strip()
    refuse_odd(task)
    handed = intake_queue_of(bench).submit(
        path, profile=BUILT_IN[OPENING], task=task or None, guest=guest
    )
    handed.rows()
    staging.drop(token)
    ids = [one.id for one in handed.found.submissions]
    numbers_of = bench.store.submission_pages.numbers(ids)
    if guest is not None and len(ids) == 1:
        waiting = bench.store.agentic.find_pending(ids[0])
        numbers_of = {ids[0]: waiting.step.number} if waiting else numbers_of
    if len(numbers_of) == 1:
        return RedirectResponse(f"/agentic/submissions/{next(iter(numbers_of.values()))}", 303)
    return RedirectResponse("/agentic/submissions", 303)


def _read(bench: Workbench, path: Path, task: str = "") -> Imported:
    return import_logs(
        path,
        task=task or None,
        task_is_chosen=True,
        dry_run=True,
        home=bench.home,
        store=bench.settings.store_url,
        clock=bench.settings.clock,
    )


def refuse_odd(task: str) -> None:
    """A task is named by its id here, never by a folder of this machine."""
    if len(task) > _LONGEST_TASK or "\n" in task:
        raise SpecError("the task id is too long.", hint="Enter the task id.")
    if task and task not in shipped_ids() and ("/" in task or "\\" in task or is_there(task)):
        raise SpecError(
            "enter a task id, not a folder.",
            hint="On the command line, name the folder: benchmaker submit LOG --task FOLDER",
        )


def _tasks(bench: Workbench) -> list[str]:
    rooms = bench.store.agentic
    known = {one.id for one in rooms.tasks()} | set(rooms.metric_tasks()) | set(shipped_ids())
    return sorted(known)[:500]


def why_none(found: Imported) -> str:
    """Return the reason why a file contains no session."""
    if found.skipped_lines:
        first = found.skipped_lines[0]
        return f"Line {first.line}: {first.reason}" if first.line else capitalise(first.reason)
    if found.empty:
        return "It is empty: it has no rows, or its session has no steps."
    return "Choose another file."


def _rest_lines(found: Imported) -> list[str]:
    """Return the other content of the file, in words."""
    told = (
        (found.copies, "duplicate session", "duplicate sessions"),
        (found.repeats, "duplicate file", "duplicate files"),
        (found.empty, "empty session", "empty sessions"),
        (found.refused, "rejected file", "rejected files"),
        (found.unknown, "file that is not a log", "files that are not logs"),
    )
    numbers_of = [(len(paths), one, many) for paths, one, many in told]
    numbers_of.append((found.refused_rows, "rejected row", "rejected rows"))
    return [f"{n:,} {one if n == 1 else many}." for n, one, many in numbers_of if n]


def _session(it: Submission, found: Imported) -> dict[str, Any]:
    """Return label, value and note of a session's facts; and the removed secrets."""
    cost, time = it.cost, it.time
    calls = "" if not it.tool_errors else f"{it.tool_errors:,} failed"
    usd = "unknown" if cost.usd is None else numbers.money(cost.usd)
    basis = "reported" if cost.reported_usd is not None else f"computed, {cost.rate_card or ''}"
    wall = missing_words(it, "time.wall_s")
    if time.wall_s is not None:
        wall = numbers.duration(time.wall_s)
    total = it.total_tokens
    tokens = missing_words(it, "total_tokens") if total is None else f"{total:,}"
    rows = (
        ("Tool", " ".join(filter(None, (it.system.harness, it.system.harness_version))), ""),
        ("Model", it.system.model or "not in the log", it.system.effort or ""),
        (
            "Task",
            it.task.id if it.task else "not in the log",
            "" if it.task else "choose one above",
        ),
        ("Time", time_range(it) or "not in the log", ""),
        ("Tokens", tokens, count(it.llm_calls or 0, "request")),
        _count_row(it, "tool_calls", calls),
        _count_row(it, "iterations"),
        ("Cost", usd, basis if cost.usd is not None else why_no_cost(it)),
        (FIGURE_ROWS["time.wall_s"].label, wall, ""),
        ("Content", it.completeness, f"imported by {it.importer} {it.importer_version}"),
    )
    secrets = found.secrets.get(it.id, ())
    return {"name": it.id, "rows": rows, "secrets": secrets[:_SHOWN], "n_secrets": len(secrets)}


def _count_row(it: Submission, name: str, beside: str = "") -> tuple[str, str, str]:
    """Return a count: its label, its number or the reason for none, and a remark."""
    n: int | None = getattr(it, name)
    shown = missing_words(it, name) if n is None else f"{n:,}"
    return FIGURE_ROWS[name].label, shown, beside
