"""Notes and labels of people on trials, entered on the page of a trial."""

from collections.abc import Iterator
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from benchmaker.errors import SpecError, StoreError
from benchmaker.judging.trial_labels import label_trial
from benchmaker.plugins import web_page
from benchmaker.record import Trial
from benchmaker.record.account import Actor, Role, TokenScope
from benchmaker.record.label import TrialNote
from benchmaker.report.sentences.notes import name
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Posted
from benchmaker.web.listing import csv_response, json_response, record_columns
from benchmaker.web.pages.results.case import CaseResults, case_results
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import answers
from benchmaker.web.results.subject import result_crumb
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="trial_notes")
class TrialNotesPage:
    """The notes on the trials of a run."""

    routes: ClassVar = router


_COLUMNS = record_columns(("number", "run_id", "case_id", "model", "author", "created_at", "text"))


@router.get("/runs/{run}/notes")
def notes_page(request: Request, run: str, bench: Bench) -> Response:
    """All notes of a run, with their trials."""
    view = read_view(request)
    found = bench.store.run(run)
    notes = bench.store.trial_notes.of_runs([found.id])
    return page(
        request,
        "results/notes",
        title=f"Notes on {run}",
        here="Results",
        crumbs=(
            Crumb("Results", "/runs"),
            result_crumb(bench, found, f"/runs/{run}"),
            Crumb("Notes"),
        ),
        view=view,
        run=found,
        rows=[_row(bench, note) for note in reversed(notes)],
    )


@router.get("/runs/{run}/notes.csv")
def notes_csv(run: str, bench: Bench) -> Response:
    """All notes of a run, a row each."""
    return csv_response(_COLUMNS, _records(bench, run), "notes")


@router.get("/runs/{run}/notes.json")
def notes_json(run: str, bench: Bench) -> Response:
    """All notes of a run, an object each."""
    return json_response(_COLUMNS, _records(bench, run), "notes")


@router.post("/runs/{run}/trials/{position:int}-{rank:int}/notes")
def add_note(
    request: Request,
    run: str,
    position: int,
    *,
    rank: int,
    bench: Bench,
    who: Who,
    fields: Posted,
) -> Response:
    """Store a note on a trial, or delete one."""
    trial = trial_of(case_results(bench, run, position, alone=True), position, rank)
    if fields["do"] == "delete":
        note = _note_of(bench, trial, _number(fields["number"]))
        if not may_delete(who, note):
            raise HTTPException(403, "Only its author and admins can delete a note.")
        bench.store.trial_notes.delete(note)
        annotate(request, detail=f"note {note.number} deleted")
    else:
        bench.store.trial_notes.add(
            TrialNote(
                run_id=run,
                case_id=trial.case_id,
                model=trial.model,
                text=fields["text"],
                author=name_of(who, ""),
            )
        )
    return RedirectResponse(f"/runs/{run}/trials/{position}-{rank}#notes", status_code=303)


@router.post("/runs/{run}/trials/{position:int}-{rank:int}/label")
def add_label(
    run: str, position: int, *, rank: int, bench: Bench, who: Who, fields: Posted
) -> Response:
    """Store a label of a trial; it replaces the person's earlier one."""
    trial = trial_of(case_results(bench, run, position, alone=True), position, rank)
    label_trial(bench.store, trial, fields["score"], by=name_of(who, "local"))
    return RedirectResponse(f"/runs/{run}/trials/{position}-{rank}#notes", status_code=303)


def _note_of(bench: Workbench, trial: Trial, number: int) -> TrialNote:
    try:
        note = bench.store.trial_notes.find(trial.run_id, number)
    except StoreError as exc:
        raise Missing("There is no such note.", hint="It may have been deleted.") from exc
    if (note.case_id, note.model) != (trial.case_id, trial.model):
        raise Missing("There is no such note.", hint="It is on another trial.")
    return note


def trial_of(found: CaseResults, position: int, rank: int) -> Trial:
    """Return the trial of a model, by its number, among those of a case.

    Raises:
        Missing: the run has no such trial.
    """
    models = found.run.models
    wanted = models[rank] if 0 <= rank < len(models) else None
    trial = next((one for one in found.trials if one.model == wanted), None)
    if trial is None:
        hint = f"The case is at /runs/{found.run.id}/cases/{position}."
        raise Missing("There is no such trial.", hint=hint)
    return trial


def may_delete(who: Actor | None, note: TrialNote) -> bool:
    """True for the author of a note and for admins; without accounts, for everybody."""
    is_author = (
        who is not None and who.name == note.author and who.may(Role.MEMBER, TokenScope.WRITE)
    )
    return who is None or is_author or who.may(Role.ADMIN, TokenScope.ADMIN)


def note_rows(bench: Workbench, trial: Trial, who: Actor | None) -> list[dict[str, Any]]:
    """Return the notes on a trial as its page shows them."""
    found = bench.store.trial_notes.of_runs(
        [trial.run_id], case_id=trial.case_id, model=trial.model
    )
    return [
        {
            "number": note.number,
            "text": answers.safe_text(note.text, bench.redactor),
            "author": name(note.author),
            "at": note.created_at,
            "is_deletable": may_delete(who, note),
        }
        for note in found
    ]


def _row(bench: Workbench, note: TrialNote) -> dict[str, Any]:
    run = bench.store.run(note.run_id)
    position = bench.store.suites.position_of(run.suite_hash, note.case_id)
    return {
        "text": answers.safe_text(note.text, bench.redactor),
        "case": name(bench.redactor.text(note.case_id)),
        "model": name(bench.redactor.text(note.model)),
        "author": name(note.author),
        "at": note.created_at,
        "href": f"/runs/{run.id}/trials/{position}-{run.models.index(note.model)}#notes",
    }


def _records(bench: Workbench, run: str) -> Iterator[dict[str, Any]]:
    for note in bench.store.trial_notes.of_runs([bench.store.run(run).id]):
        yield {
            key: bench.redactor.text(value) if isinstance(value, str) else value
            for key, value in ((column.key, getattr(note, column.key)) for column in _COLUMNS)
        }


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):  # noqa: PLR2004  digits of a row number
        raise SpecError("invalid number of a note.", where="number")
    return int(text)
