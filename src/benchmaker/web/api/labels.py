"""What people say of answers: the queue, labels, and how far it has come."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from benchmaker.analysis.judges.label_status import label_status
from benchmaker.errors import SpecError
from benchmaker.judging.label_queue import Item, Wish
from benchmaker.judging.labelling import Desk, Given
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.api.name_lookup import RunName, resolved
from benchmaker.web.api.paging import Paged, Sent, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import judges as shapes
from benchmaker.web.faults import Missing
from benchmaker.web.pages.judges.labelling import FLAGGED
from benchmaker.web.workbench import Bench, Workbench

api = Api("judges")
router = api.router

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
By = Annotated[str, Field(max_length=200)]
Grade = Annotated[str, Field(min_length=1, max_length=100)]


class AskedQueue(Paged):
    """Whose queue, and how many answers it has."""

    by: By = "local"
    n: Annotated[int, Query(ge=1, le=10_000)] = Wish().n


class LabelIn(Sent):
    """What somebody says of an answer: a score of the scale, and a remark."""

    model_config = _STRICT

    id: Annotated[str, Field(max_length=100, description="Of the answer, out of the queue.")]
    score: Annotated[float | Grade, Field(description="Of the queue's scale, pass or fail.")]
    note: Annotated[str, Field(max_length=2_000)] = ""
    flag: bool = False
    by: By = "local"
    n: Annotated[int, Field(ge=1, le=10_000)] = Wish().n


class UndoIn(Sent):
    """Whose label is taken back, and of which answer."""

    model_config = _STRICT

    id: Annotated[str, Field(max_length=100)]
    by: By = "local"
    n: Annotated[int, Field(ge=1, le=10_000)] = Wish().n


@api.get("/runs/{run}/labels", shapes.LabelPage)
def labels(bench: Bench, run: RunName, asked: Annotated[Paged, Query()]) -> Any:  # noqa: ANN401  its shape
    """Everybody's labels."""
    return part(bench.store.labels(resolved(bench.store, run).run_ids), asked, scale="0-1")


@api.get("/runs/{run}/labels/queue", shapes.LabelQueue)
def queue(bench: Bench, who: Who, run: RunName, asked: Annotated[AskedQueue, Query()]) -> Any:  # noqa: ANN401  its shape
    """What waits for one person, without model and score, as `label --queue --json` prints it."""
    desk = _desk(bench, run, name_of(who, asked.by), asked.n)
    return part(
        desk.waiting,
        asked,
        lambda item: desk.shown(item).to_dict(),
        by=desk.by,
        scale=_scale(desk),
        done=desk.done,
        waiting=len(desk.waiting),
    )


@api.get("/runs/{run}/labels/status", shapes.LabelStatus)
def status(bench: Bench, run: RunName) -> Any:  # noqa: ANN401  its shape
    """Who labelled how much, and how far all agree."""
    run_ids = resolved(bench.store, run).run_ids
    return label_status(bench.store.columns(run_ids), bench.store.labels(run_ids)).to_dict()


@api.post("/runs/{run}/labels", shapes.Labelled)
def say(bench: Bench, who: Who, run: RunName, label: LabelIn) -> Any:  # noqa: ANN401  its shape
    """Keep a label; said again, it takes the place of the one before."""
    desk = _desk(bench, run, name_of(who, label.by), label.n)
    given = desk.read(_word(label.score))
    desk.settle()
    note = " ".join(label.note.split())
    said = f"{FLAGGED} {note}".strip() if label.flag else note
    kept = desk.keep(_item(desk, label.id), Given(given.raw, said))
    return _told(desk, kept)


@api.post("/runs/{run}/labels/undo", shapes.Labelled)
def undo(bench: Bench, who: Who, run: RunName, label: UndoIn) -> Any:  # noqa: ANN401  its shape
    """Take a label back; its answer waits again."""
    desk = _desk(bench, run, name_of(who, label.by), label.n)
    desk.take_back(_item(desk, label.id))
    return _told(desk, None)


def _desk(bench: Workbench, run: str, by: str, n: int) -> Desk:
    if not by.strip():
        raise SpecError("whoever labels needs a name.", where="by", hint="Give one.")
    run_ids = resolved(bench.store, run).run_ids
    return Desk(bench.store, run_ids, by=by.strip(), wish=Wish(n=n))


def _item(desk: Desk, name: str) -> Item:
    item = desk.find(name)
    if item is None:
        raise Missing("there is no such answer.", where=name, hint="Take ids out of the queue.")
    return item


def _scale(desk: Desk) -> list[float]:
    return [desk.scale.minimum, desk.scale.maximum]


def _told(desk: Desk, label: Any) -> dict[str, Any]:  # noqa: ANN401  a label
    return {"by": desk.by, "scale": _scale(desk), "label": label, "waiting": len(desk.waiting)}


def _word(score: float | str) -> str:
    return score if isinstance(score, str) else f"{score:.15g}"
