"""Submissions waiting for a moderator, and decisions on them."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import ConfigDict, Field

from benchmaker.arenas.agentic.submissions.moderation import moderate, moderation_rows
from benchmaker.record.submissions.evaluation import ModerationState
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.agentic.lookup import lookup_submission_for
from benchmaker.web.api.paging import BodyModel, PagedQuery, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.api.submissions import Name
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router

_STATES = {"accept": ModerationState.ACCEPTED, "reject": ModerationState.REJECTED}


class ModerationQuery(PagedQuery):
    """Filter by state; the waiting ones by default."""

    state: ModerationState = ModerationState.WAITING


class WordIn(BodyModel):
    """A moderator's decision; a rejection needs a reason. `number` is the revision reviewed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    do: Literal["accept", "reject"]
    note: Annotated[str, Field(max_length=2_000)] = ""
    number: Annotated[int, Field(ge=0, lt=2**63)] = 0


@api.get("/moderation", shapes.ModerationPage, name="waiting")
def moderation_queue(bench: Bench, query: Annotated[ModerationQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List submissions waiting for a moderator, oldest first."""
    rows = list(moderation_rows(bench.store, query.state))
    return part(rows, query, lambda one: one.to_dict())


@api.post("/submissions/{name}/moderation", shapes.Moderated, name="decided")
def moderate_submission(request: Request, bench: Bench, who: Who, name: Name, word: WordIn) -> Any:  # noqa: ANN401  its shape
    """Accept or reject a waiting submission; its task settles again.

    With `number` the decision fails if another revision was submitted meanwhile.
    """
    row = lookup_submission_for(who, bench, name)
    state = _STATES[word.do]
    made = moderate(
        row.submission.id,
        state,
        note=word.note,
        actor=name_of(who, "local"),
        number=word.number,
        home=bench.home,
        store=bench.settings.store_url,
        clock=bench.settings.clock,
    )
    annotate(request, object=row.submission.id, detail=str(state))
    return {"moderation": made.step, "settled": made.settled}
