"""What waits for a moderator, and the word on it."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import ConfigDict, Field

from benchmaker.arenas.agentic.submissions.moderation import moderate, moderation_rows
from benchmaker.record.submissions.evaluation import ModerationState
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import noted
from benchmaker.web.agentic.lookup import meant_by
from benchmaker.web.api.paging import Paged, Sent, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.api.submissions import Name
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router

_STATES = {"accept": ModerationState.ACCEPTED, "reject": ModerationState.REJECTED}


class AskedModeration(Paged):
    """Which: those that wait, unless another state is named."""

    state: ModerationState = ModerationState.WAITING


class WordIn(Sent):
    """A moderator's word; a rejection says why. `number` is what was looked at."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    do: Literal["accept", "reject"]
    note: Annotated[str, Field(max_length=2_000)] = ""
    number: Annotated[int, Field(ge=0, lt=2**63)] = 0


@api.get("/moderation", shapes.ModerationPage)
def waiting(bench: Bench, asked: Annotated[AskedModeration, Query()]) -> Any:  # noqa: ANN401  its shape
    """What waits for a moderator, the longest waiting first."""
    rows = list(moderation_rows(bench.store, asked.state))
    return part(rows, asked, lambda one: one.to_dict())


@api.post("/submissions/{name}/moderation", shapes.Moderated)
def decided(request: Request, bench: Bench, who: Who, name: Name, word: WordIn) -> Any:  # noqa: ANN401  its shape
    """Accept what waits, or reject it; its task settles again.

    With `number` nothing is decided where something else was handed in meanwhile.
    """
    row = meant_by(who, bench, name)
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
    noted(request, object=row.submission.id, detail=str(state))
    return {"moderation": made.step, "settled": made.settled}
