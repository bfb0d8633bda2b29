"""Submissions of coding agents: lists, one with all that was made of it, its trace."""

from typing import Annotated, Any

from fastapi import Path, Query

from benchmaker.analysis.composite.tool_metrics import tool_metrics
from benchmaker.arenas.agentic.evaluation.computed_evaluations import evaluations_of_submission
from benchmaker.arenas.agentic.evaluation.explanation import explain_evaluation, opening_evaluation
from benchmaker.arenas.agentic.evaluation.registered_attempts import attempt_of
from benchmaker.arenas.agentic.submissions.deletion import DeletedSubmission, delete_and_settle
from benchmaker.arenas.agentic.traces.trace import build_trace
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.account import Actor
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.record.submissions.submission import EvidenceLevel, Submission
from benchmaker.report.arenas.submission_explained import explained_data
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.store.agentic.submission_pages import SORTABLE, SubmissionRow
from benchmaker.web.accounts.actors import Who
from benchmaker.web.agentic.board_view import named_profile
from benchmaker.web.agentic.lookup import is_of_team, lookup_submission, lookup_submission_for
from benchmaker.web.agentic.traces import source_of, trace_of
from benchmaker.web.api.paging import (
    NUMBER,
    PagedQuery,
    QueryModel,
    SearchQuery,
    Word,
    checked_cursor,
    page_data,
    part,
)
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.pages.agentic.compare import figures_by_label, rows_by_name, scores_of
from benchmaker.web.pages.agentic.submissions import COLUMNS
from benchmaker.web.workbench import Bench, Workbench

api = Api("agentic")
router = api.router

Name = Annotated[str, Path(max_length=300, description="A submission's id or number.")]
"""A submission's id or number as a path parameter."""


class SubmissionsQuery(SearchQuery):
    """Filters of submissions."""

    sort: Annotated[str, Query(pattern=f"^-?({'|'.join(SORTABLE)})$")] = "-added"
    tool: Word = ""
    model: Word = ""
    task: Word = ""
    evidence: EvidenceLevel | None = None


class TraceQuery(PagedQuery):
    """Filter steps by agent, or by a text that they contain."""

    agent: Word = ""
    q: Word = ""


class SubmissionProfileQuery(QueryModel):
    """Under which profile."""

    profile: Word = OPENING


class SubmissionIdsQuery(QueryModel):
    """Up to three submissions."""

    id: Annotated[list[str], Query(min_length=1, max_length=3)]


@api.get("/agentic/submissions", shapes.SubmissionPage)
def submissions(bench: Bench, query: Annotated[SubmissionsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List submissions, latest arrival first by default."""
    sort = query.sort.removeprefix("-")
    found = bench.store.submission_pages.page(
        sort=sort,
        descending=query.sort.startswith("-"),
        after=checked_cursor(query.after, NUMBER if sort == "added" and not query.q else str),
        limit=query.limit,
        text=query.q,
        tool=query.tool,
        model=query.model,
        task=query.task,
        evidence=query.evidence or "",
    )
    return page_data(map(_row, found.rows), found.after)


@api.get("/agentic/submissions/{name}", shapes.SubmissionOut)
def submission(bench: Bench, who: Who, name: Name) -> Any:  # noqa: ANN401  its shape
    """One with its tool's metrics, its evaluations and its flags."""
    row = lookup_submission_for(who, bench, name)
    it, rooms = row.submission, bench.store.agentic
    reviews = rooms.reviews(submission_id=it.id)
    steps = rooms.moderation_steps(it.id) if is_of_team(who) else ()
    return {
        "scale": "0-100",
        "submission": it,
        "metrics": {one.name: one.to_dict() for one in tool_metrics(it)},
        "evaluations": _evaluations(bench, row),
        "verification": rooms.verification(it.id),
        "flags": rooms.flags(it.id),
        "review": reviews[0] if reviews else None,
        "moderation": steps,
        "attempt": _attempt(bench, who, it),
    }


@api.delete("/agentic/submissions/{name}", DeletedSubmission)
def delete(bench: Bench, who: Who, name: Name) -> Any:  # noqa: ANN401  its shape
    """Delete the submission with all its reviews and evaluations; its task settles again."""
    it = lookup_submission_for(who, bench, name).submission
    return delete_and_settle(bench.store, it.id, now_us=int(bench.settings.clock() * 1e6)).to_dict()


@api.get("/agentic/submissions/{name}/trace", shapes.TracePage)
def trace(bench: Bench, who: Who, name: Name, query: Annotated[TraceQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return the agent's steps, as printed by `trace --json`."""
    row = lookup_submission_for(who, bench, name)
    made, graded = trace_of(bench, row), Graded.from_store(bench.store, row.submission)
    steps = list(made.select(agent=query.agent or None, text=query.q or None))
    chosen = part(steps, query)
    data = made.to_dict(steps=chosen["items"])
    chosen["items"] = data.pop("steps")
    return data | graded.to_dict() | chosen | {"count": len(steps)}


@api.get("/agentic/submissions/{name}/explain", shapes.SubmissionExplained, name="explained")
def explain_submission(bench: Bench, who: Who, name: Name) -> Any:  # noqa: ANN401  its shape
    """Return the derivation of its figures and its score, term by term."""
    row = lookup_submission_for(who, bench, name)
    made = build_trace(source_of(bench, row), Prices(bench.home), content=False)
    scored = opening_evaluation(bench.store, row.submission.id)
    return {
        **explained_data(made),
        "evaluation": scored.score_data if scored else None,
        **Graded.from_store(bench.store, row.submission).to_dict(),
    }


@api.get("/agentic/submissions/{name}/evaluation", shapes.EvaluationExplained)
def evaluation(bench: Bench, name: Name, query: Annotated[SubmissionProfileQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Its evaluation under a profile term by term, computed again."""
    it = lookup_submission(bench, name).submission
    document = named_profile(bench.store, query.profile)
    return explain_evaluation(bench.store, it.id, document).to_dict()


@api.get("/agentic/compare", shapes.SubmissionsCompared, name="compare")
def compare_submissions(bench: Bench, query: Annotated[SubmissionIdsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Figures and scores of up to three submissions, side by side."""
    rows = rows_by_name(bench, query.id)
    return {
        "submissions": [row.submission.id for row in rows],
        "figures": [{"name": name, "values": cells} for name, cells in figures_by_label(rows)],
        "scores": [{"name": name, "values": cells} for name, cells in scores_of(bench, rows)],
    }


def _attempt(bench: Workbench, who: Actor | None, it: Submission) -> dict[str, Any] | None:
    """Return the registered attempt it belongs to; only the team learns whose it was."""
    found = attempt_of(bench.store, it)
    if found is None:
        return None
    return found.to_dict() | ({} if is_of_team(who) else {"by": ""})


def _row(row: SubmissionRow) -> dict[str, Any]:
    data = {column.key: column.value(row) for column in COLUMNS}
    data["number"] = data.pop("added")
    return data


def _evaluations(bench: Workbench, row: SubmissionRow) -> list[Evaluation]:
    """Return the current evaluations, by profile."""
    if row.metrics is None:
        return []
    return list(evaluations_of_submission(bench.store, row.submission.id).values())
