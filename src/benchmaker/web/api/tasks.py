"""Tasks of coding agents, usage, and the review queue."""

from datetime import UTC
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import ConfigDict, Field

from benchmaker.analysis.usage.session_usage import By, UsageTable
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery, usage_table
from benchmaker.arenas.agentic.submissions.reviews import decide_submission_review, review_rows
from benchmaker.arenas.agentic.unknown_names import unknown_in_usage
from benchmaker.record.submissions.evaluation import ReviewState
from benchmaker.spec.tasks.criterion import is_hidden
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.agentic.lookup import lookup_submission
from benchmaker.web.api.name_lookup import refuse_unknown
from benchmaker.web.api.paging import BodyModel, PagedQuery, QueryModel, SearchQuery, Word, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.api.submissions import Name
from benchmaker.web.faults import Missing
from benchmaker.web.pages.agentic.tasks import TaskRow, task_rows
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router

_VERSION_DIGITS = 12
_STATES = {"clear": ReviewState.CLEARED, "quarantine": ReviewState.QUARANTINED}


class AgentUsageQuery(QueryModel):
    """The grouping of sums; days as `2026-02-28` or `7d`, in the server's time zone or in UTC."""

    by: Annotated[By, Query()] = "day"
    since: Word = ""
    until: Word = ""
    task: Word = ""
    project: Word = ""
    tool: Word = ""
    utc: bool = False
    benchmarks: bool = False


class ReviewsQuery(PagedQuery):
    """Filters of reviews."""

    state: ReviewState | None = None


class DecisionIn(BodyModel):
    """A decision, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    do: Literal["clear", "quarantine"]
    note: Annotated[str, Field(max_length=2_000)] = ""
    actor: Annotated[str, Field(min_length=1, max_length=200)] = "local"


@api.get("/agentic/tasks", shapes.TaskPage)
def tasks(bench: Bench, query: Annotated[SearchQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Every task that is stored or that a submission names."""
    wanted = query.q.casefold()
    found = [one for one in task_rows(bench) if wanted in f"{one.id}\n{one.title}".casefold()]
    return part(found, query, _task)


@api.get("/agentic/tasks/{task:path}", shapes.TaskOut)
def task(bench: Bench, task: Annotated[str, Path(max_length=300)]) -> Any:  # noqa: ANN401  its shape
    """Return a stored task in full, without hidden criteria."""
    found = bench.store.agentic.task(task)
    if found is None:
        raise Missing("there is no such task in the store.", hint="See /api/v1/agentic/tasks.")
    seen = [one for one in found.body.get("criteria", ()) if not is_hidden(one)]
    return {"task": found.body | {"criteria": seen}, "version": found.digest[:_VERSION_DIGITS]}


@api.get("/agentic/usage", UsageTable)
def usage_by(bench: Bench, parameters: Annotated[AgentUsageQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Tokens, cost and time, as `usage --json` prints them."""
    query = UsageQuery(
        by=parameters.by,
        since=parameters.since,
        until=parameters.until,
        zone=UTC if parameters.utc else None,
        task=parameters.task,
        project=parameters.project,
        tool=parameters.tool,
        benchmarks=parameters.benchmarks,
    )
    made = usage_table(bench.store, query, bench.home, now=bench.settings.clock())
    if not made.rows:
        refuse_unknown(unknown_in_usage(bench.store, query))
    return made.to_dict()


@api.get("/agentic/reviews", shapes.ReviewPage)
def reviews(bench: Bench, query: Annotated[ReviewsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Flagged submissions, the longest waiting first."""
    return part(review_rows(bench.store, query.state), query, lambda one: one.to_dict())


@api.post("/agentic/reviews/{name}", shapes.Decided, name="decided")
def decide_review(bench: Bench, who: Who, name: Name, decision: DecisionIn) -> Any:  # noqa: ANN401  its shape
    """Clear a submission or put it under quarantine; its task settles again."""
    made = decide_submission_review(
        lookup_submission(bench, name).submission.id,
        _STATES[decision.do],
        note=decision.note.strip(),
        actor=name_of(who, decision.actor),
        home=bench.home,
        store=bench.settings.store_url,
        clock=bench.settings.clock,
    )
    return {"review": made.review, "settled": made.settled, "left": made.left}


def _task(row: TaskRow) -> dict[str, Any]:
    it = row.stored
    return {
        "task": row.id,
        "title": row.title,
        "category": it.category if it else None,
        "difficulty": it.difficulty if it else None,
        "version": it.digest[:_VERSION_DIGITS] if it else None,
        "submissions": row.submissions,
    }
