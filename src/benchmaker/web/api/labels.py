"""Human labels of answers: the queue, labels, and progress."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from benchmaker.analysis.judges.label_status import LabelStatus, label_status
from benchmaker.errors import SpecError
from benchmaker.judging.label_queue import Item, LabelPlan
from benchmaker.judging.labelling import LabelInput, LabellingQueue
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import BodyModel, PagedQuery, part
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


class LabelQueueQuery(PagedQuery):
    """The person of the queue, and the number of answers."""

    by: By = "local"
    n: Annotated[int, Query(ge=1, le=10_000)] = LabelPlan().n


class LabelIn(BodyModel):
    """A label of an answer: a score on the scale, and a remark."""

    model_config = _STRICT

    id: Annotated[str, Field(max_length=100, description="The answer's id from the queue.")]
    score: Annotated[float | Grade, Field(description="On the queue's scale, or pass or fail.")]
    note: Annotated[str, Field(max_length=2_000)] = ""
    flag: bool = False
    by: By = "local"
    n: Annotated[int, Field(ge=1, le=10_000)] = LabelPlan().n


class UndoIn(BodyModel):
    """The person and the answer of a label to withdraw."""

    model_config = _STRICT

    id: Annotated[str, Field(max_length=100)]
    by: By = "local"
    n: Annotated[int, Field(ge=1, le=10_000)] = LabelPlan().n


@api.get("/runs/{run}/labels", shapes.LabelPage)
def labels(bench: Bench, run: RunName, query: Annotated[PagedQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List the labels of all people."""
    return part(bench.store.labels(resolve_runs(bench.store, run).run_ids), query, scale="0-1")


@api.get("/runs/{run}/labels/queue", shapes.LabelQueue)
def queue(bench: Bench, who: Who, run: RunName, query: Annotated[LabelQueueQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List one person's waiting items without model and score, as in `label --queue --json`."""
    labels = _open_queue(bench, run, name_of(who, query.by), query.n)
    return part(
        labels.open_items,
        query,
        lambda item: labels.blind_answer(item).to_dict(),
        by=labels.by,
        scale=_scale(labels),
        done=labels.labelled_count,
        waiting=len(labels.open_items),
    )


@api.get("/runs/{run}/labels/status", LabelStatus)
def status(bench: Bench, run: RunName) -> Any:  # noqa: ANN401  its shape
    """Return the labels per person, and all agreements."""
    run_ids = resolve_runs(bench.store, run).run_ids
    return label_status(bench.store.columns(run_ids), bench.store.labels(run_ids)).to_dict()


@api.post("/runs/{run}/labels", shapes.Labelled, name="say")
def keep_label(bench: Bench, who: Who, run: RunName, label: LabelIn) -> Any:  # noqa: ANN401  its shape
    """Store a label; it replaces an earlier one."""
    queue = _open_queue(bench, run, name_of(who, label.by), label.n)
    given = queue.read(_word(label.score))
    queue.settle()
    note = " ".join(label.note.split())
    said = f"{FLAGGED} {note}".strip() if label.flag else note
    kept = queue.keep(_item(queue, label.id), LabelInput(given.raw, said))
    return _label_state(queue, kept)


@api.post("/runs/{run}/labels/undo", shapes.Labelled)
def undo(bench: Bench, who: Who, run: RunName, label: UndoIn) -> Any:  # noqa: ANN401  its shape
    """Withdraw a label; its answer returns to the queue."""
    queue = _open_queue(bench, run, name_of(who, label.by), label.n)
    queue.withdraw(_item(queue, label.id))
    return _label_state(queue, None)


def _open_queue(bench: Workbench, run: str, by: str, n: int) -> LabellingQueue:
    if not by.strip():
        raise SpecError("no name given.", where="by", hint="Give the name of the labeller.")
    run_ids = resolve_runs(bench.store, run).run_ids
    return LabellingQueue(bench.store, run_ids, by=by.strip(), wish=LabelPlan(n=n))


def _item(queue: LabellingQueue, name: str) -> Item:
    item = queue.find(name)
    if item is None:
        raise Missing("there is no such answer.", where=name, hint="Take ids out of the queue.")
    return item


def _scale(queue: LabellingQueue) -> list[float]:
    return [queue.scale.minimum, queue.scale.maximum]


def _label_state(queue: LabellingQueue, label: Any) -> dict[str, Any]:  # noqa: ANN401  a label
    return {
        "by": queue.by,
        "scale": _scale(queue),
        "label": label,
        "waiting": len(queue.open_items),
    }


def _word(score: float | str) -> str:
    return score if isinstance(score, str) else f"{score:.15g}"
