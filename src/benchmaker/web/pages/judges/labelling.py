"""Labelling: answers one after the other, without model and score; and its progress."""

import io
from typing import Any, ClassVar, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.analysis.judges.label_status import LabelStatus, label_status
from benchmaker.errors import SpecError
from benchmaker.judging.label_queue import Item, LabelPlan
from benchmaker.judging.labelling import LabelInput, LabellingQueue
from benchmaker.plugins import web_page
from benchmaker.report.judges.labels import status_text, write_labels
from benchmaker.report.result_tables.label_tables import LABELLERS
from benchmaker.report.tables.declaration import Surface
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.pages.judges.calibrations import HOME
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="labelling")
class LabellingPage:
    """A queue of answers to label."""

    routes: ClassVar = router
    title: ClassVar = "Label answers"


LABEL = "/judges/label"
FLAGGED = "[flag]"
"""The prefix of a flagged answer's note."""

_RUNS = 50
_MOST = 10_000
_ONE_LINE = 100_000
_WORDS: dict[str, None] = dict.fromkeys(("run", "by", "n", "at", "said"))


@router.get("/judges/label")
def label(request: Request, bench: Bench) -> Response:
    """The next answer of the queue; without a run, which there are."""
    view = by_actor(request, read_view(request, filters=_WORDS))
    if not view.filters["run"]:
        return _choose(request, bench, view)
    return _ask(request, bench, view)


@router.post("/judges/label")
def post_label(request: Request, bench: Bench, fields: Posted) -> Response:
    """Store a label, or withdraw the last one; then show the next answer."""
    view = by_actor(request, _view_of(fields))
    annotate(request, object=view.filters["run"])
    queue = _open_queue(bench, view)
    if fields["do"] == "undo":
        return _undo(queue, view, fields)
    item = queue.find(fields["item"])
    if item is None:
        raise Missing("there is no such answer in this queue.", where=view.filters["run"])
    try:
        given = _read_label(queue, fields)
    except SpecError as exc:
        return _ask(request, bench, view, item=item, refused=exc, fields=fields)
    queue.settle()
    queue.keep(item, given)
    said = f"{given.raw:g}{', flagged' if given.note.startswith(FLAGGED) else ''}"
    return _redirect(view, at=_place(queue, item) + 1, said=said)


@router.get("/judges/label/status")
def status(request: Request, bench: Bench) -> Response:
    """Show the labels per person, the agreement of people, and of the judge with them."""
    view = read_view(request, filters={"run": None})
    run_ids = _run_ids(bench, view)
    made = label_status(bench.store.columns(run_ids), bench.store.labels(run_ids))
    return page(
        request,
        "judges/label_status",
        title="Labelling progress",
        here="Judges",
        crumbs=(HOME, Crumb("Labelling", LABEL), Crumb("Progress")),
        run=view.filters["run"],
        made=made,
        people=LABELLERS.table(made, Surface.PAGE),
        sentences=_sentences(made) if made.people else [],
    )


@router.get("/judges/label/labels.csv")
def labels_csv(request: Request, bench: Bench) -> Response:
    """Return all labels as CSV."""
    return _file(request, bench, "csv", "text/csv; charset=utf-8")


@router.get("/judges/label/labels.jsonl")
def labels_lines(request: Request, bench: Bench) -> Response:
    """Return all labels as JSON lines."""
    return _file(request, bench, "jsonl", "application/jsonl")


def _sentences(made: LabelStatus) -> list[str]:
    """Return the command's sentences below its table."""
    return status_text(made, width=_ONE_LINE).split("\n\n", 1)[-1].split("\n")


def _file(request: Request, bench: Workbench, form: Literal["csv", "jsonl"], kind: str) -> Response:
    run_ids = _run_ids(bench, read_view(request, filters={"run": None}))
    stream = io.StringIO()
    write_labels(bench.store.labels(run_ids), stream, form=form, redactor=bench.redactor)
    headers = {"content-disposition": f'attachment; filename="labels.{form}"'}
    return Response(stream.getvalue(), media_type=kind, headers=headers)


def _choose(request: Request, bench: Workbench, view: View) -> Response:
    return page(
        request,
        "judges/label_choice",
        title="Labelling",
        here="Judges",
        crumbs=(HOME, Crumb("Labelling")),
        view=view,
        runs=bench.store.runs(limit=_RUNS),
    )


def _ask(
    request: Request,
    bench: Workbench,
    view: View,
    *,
    item: Item | None = None,
    refused: SpecError | None = None,
    fields: Fields | None = None,
) -> Response:
    queue = _open_queue(bench, view)
    at = _number(view, "at", 0)
    current = item or _next_item(queue, at)
    return page(
        request,
        "judges/label",
        title="Labelling",
        here="Judges",
        crumbs=(HOME, Crumb("Labelling", LABEL), Crumb("Queue")),
        status=422 if refused else 200,
        words={name: value for name, value in view.filters.items() if name in {"run", "by", "n"}},
        run=view.filters["run"],
        by=queue.by,
        queue=queue,
        item=current,
        shown=queue.blind_answer(current) if current else None,
        at=_place(queue, current) if current else len(queue.items),
        skip=_address(view, at=_place(queue, current) + 1) if current else "",
        has_before=_previous_item(queue, _place(queue, current) if current else len(queue.items))
        is not None,
        has_skipped=bool(queue.open_items),
        again=_address(view),
        said=view.filters["said"],
        refused=refused,
        typed=fields or Fields(),
        meanings=queue.scale.meanings(),
    )


def _read_label(queue: LabellingQueue, fields: Fields) -> LabelInput:
    """Return the entered label; a flag precedes the remark."""
    said = queue.read(fields["score"])
    note = " ".join(fields["note"].split())
    return LabelInput(said.raw, f"{FLAGGED} {note}".strip() if fields["flag"] else note)


def _undo(queue: LabellingQueue, view: View, fields: Fields) -> RedirectResponse:
    """Take back the label before this place, and show its answer again."""
    at = _number(view, "at", len(queue.items), fields["at"])
    item = _previous_item(queue, at)
    if item is None:
        raise SpecError("there is nothing to undo.", hint="Label an answer first.")
    queue.withdraw(item)
    return _redirect(view, at=_place(queue, item), said="undone")


def _next_item(queue: LabellingQueue, at: int) -> Item | None:
    """The first that waits from a place on."""
    waiting = {one.blind_id for one in queue.open_items}
    return next((one for one in queue.items[at:] if one.blind_id in waiting), None)


def _previous_item(queue: LabellingQueue, at: int) -> Item | None:
    """The nearest before a place that this person has labelled."""
    waiting = {one.blind_id for one in queue.open_items}
    return next((one for one in reversed(queue.items[:at]) if one.blind_id not in waiting), None)


def _place(queue: LabellingQueue, item: Item) -> int:
    names = [one.blind_id for one in queue.items]
    return names.index(item.blind_id) if item.blind_id in names else 0


def _open_queue(bench: Workbench, view: View) -> LabellingQueue:
    by = view.filters["by"].strip() or "local"
    wish = LabelPlan(n=_number(view, "n", LabelPlan().n))
    return LabellingQueue(bench.store, _run_ids(bench, view), by=by[:200], wish=wish)


def _run_ids(bench: Workbench, view: View) -> tuple[str, ...]:
    return bench.store.resolve(view.filters["run"]).run_ids


def _view_of(fields: Fields) -> View:
    return View(LABEL, filters={name: fields[name] for name in _WORDS})


def _number(view: View, word: str, usual: int, given: str = "") -> int:
    text = given or view.filters[word]
    if not text:
        return usual
    if not text.isdecimal() or int(text) > _MOST:
        raise SpecError(
            f"invalid value for {word}: {text[:40]!r}.", hint=f"Enter a number up to {_MOST:,}."
        )
    return int(text)


def _redirect(view: View, **words: Any) -> RedirectResponse:  # noqa: ANN401  texts and numbers
    return RedirectResponse(_address(view, **words), 303)


def _address(view: View, **words: Any) -> str:  # noqa: ANN401  texts and numbers
    kept = {name: view.filters[name] for name in ("run", "by", "n") if view.filters[name]}
    return f"{LABEL}?{urlencode(kept | words)}"
