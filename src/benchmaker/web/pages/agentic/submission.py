"""One submission: figures and where they come from, criteria, flags, and its scores explained."""

from typing import Any, ClassVar

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.analysis.composite.tool_metrics import tool_metrics
from benchmaker.arenas.agentic.evaluation.computed_evaluations import evaluations_of_submission
from benchmaker.arenas.agentic.evaluation.explanation import explain_evaluation
from benchmaker.arenas.agentic.evaluation.profiles import opening_among, profiles_by_id
from benchmaker.arenas.agentic.evaluation.registered_attempts import attempt_of
from benchmaker.arenas.agentic.evaluation.task_places import place_in_task
from benchmaker.plugins import web_page
from benchmaker.record.account import Actor
from benchmaker.record.counts import count
from benchmaker.record.submissions.evaluation import Evaluation, Verification
from benchmaker.record.submissions.submission import CriterionResult, Submission
from benchmaker.report.arenas.submission_explained import explained_data
from benchmaker.report.sentences.figures import (
    KINDS,
    SubmissionFigure,
    figures,
    metric_value,
    missing_words,
    time_range,
    why_no_cost,
    without_earlier_tries,
)
from benchmaker.report.tables import numbers
from benchmaker.store.agentic.submission_pages import SubmissionRow
from benchmaker.web.accounts.actors import Who
from benchmaker.web.agentic.lookup import (
    Name,
    crumbs_to,
    evidence_level,
    is_of_team,
    lookup_submission_for,
    submission_title,
)
from benchmaker.web.agentic.terms import score_words, sum_of
from benchmaker.web.agentic.traces import trace_of
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import page
from benchmaker.web.turns import RENDERING
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="submission")
class SubmissionPage:
    """A submission with its figures and scores."""

    routes: ClassVar = router
    is_public: ClassVar = True


_SHOWN_CRITERIA = 200
_COLOURS = {
    "input_uncached": "b1",
    "cache_read": "b5",
    "cache_write_5m": "b6",
    "cache_write_1h": "b7",
    "output": "b4",
    "other": "b2",
}


@router.get("/agentic/submissions/{name}.json")
def submission_json(bench: Bench, who: Who, name: Name) -> Response:
    """All of it as data."""
    told = msgspec.to_builtins(lookup_submission_for(who, bench, name).submission)
    body = msgspec.json.encode(bench.redactor.tree(told))
    return Response(body, media_type="application/json")


@router.get("/agentic/submissions/{name}")
def submission(request: Request, bench: Bench, who: Who, name: Name) -> Response:
    """Show the submission under one profile, with the others listed."""
    with RENDERING.turn(), bench.store.read_snapshot():
        return _page(request, bench, who, name)


def _page(request: Request, bench: Workbench, who: Actor | None, name: str) -> Response:
    row = lookup_submission_for(who, bench, name)
    view = read_view(request, filters={"profile": None})
    it, rooms = row.submission, bench.store.agentic
    verified = rooms.verification(it.id)
    reviews = rooms.reviews(submission_id=it.id)
    evaluations = _evaluations(bench, row)
    return page(
        request,
        "agentic/submission",
        title=submission_title(bench, row),
        here="Agentic",
        crumbs=crumbs_to(bench, row),
        view=view,
        row=row,
        it=it,
        hide=bench.redactor.text,
        when_utc=time_range(it),
        tiles=_tiles(it, row, has_criteria=bool(_criteria(it, verified))),
        figures=_own_figures(row),
        metrics=[(one, metric_value(one)) for one in tool_metrics(it)],
        mix=_mix(it),
        cost=_cost(it),
        verified=verified,
        criteria=_criteria(it, verified),
        flags=rooms.flags(it.id),
        review=reviews[0] if reviews else None,
        evaluations=evaluations,
        score_words=score_words,
        attempt=attempt_of(bench.store, it),
        steps=rooms.moderation_steps(it.id) if is_of_team(who) else (),
        **_profile_content(bench, row, view, evaluations),
    )


@router.get("/agentic/submissions/{name}/cost")
def submission_cost(request: Request, bench: Bench, who: Who, name: Name) -> Response:
    """The cost, product by product, as ``benchmaker explain`` prints it."""
    row = lookup_submission_for(who, bench, name)
    trace = trace_of(bench, row)
    return page(
        request,
        "agentic/cost",
        title="Cost calculation",
        here="Agentic",
        crumbs=crumbs_to(bench, row, "Cost"),
        row=row,
        told=explained_data(trace),
        kinds=KINDS,
        cost=_cost(row.submission),
        hide=bench.redactor.text,
    )


def _evaluations(bench: Workbench, row: SubmissionRow) -> dict[str, Evaluation]:
    """Return the current evaluations, by profile."""
    if row.metrics is None:
        return {}
    return evaluations_of_submission(bench.store, row.submission.id)


def _profile_content(
    bench: Workbench, row: SubmissionRow, view: View, evaluations: dict[str, Evaluation]
) -> dict[str, Any]:
    """The profile that is looked at, the sum under it, and the place within the task."""
    asked = view.filters["profile"]
    profile = asked if asked in evaluations else opening_among(evaluations)
    document = profiles_by_id(bench.store).get(profile)
    if document is None:
        return {
            "profile": profile,
            "explained": None,
            "terms": None,
            "place": None,
        }
    explained = explain_evaluation(bench.store, row.submission.id, document)
    return {
        "profile": profile,
        "explained": explained,
        "terms": sum_of(explained),
        "place": place_in_task(bench.store, document, explained.evaluation),
    }


def _correct(it: Submission, row: SubmissionRow, *, has_criteria: bool) -> tuple[str, str]:
    """Return the correctness, and whether criteria or the log itself say so."""
    share = row.metrics.correctness if row.metrics else None
    in_log = "verdict" if it.outcome.reward is None else "reward"
    source = "of weighted criteria" if has_criteria else f"{in_log} in the log"
    if share is not None:
        return numbers.share(share), source
    if it.outcome.success is None or has_criteria:
        return "not graded", ""
    return "success" if it.outcome.success else "no success", "verdict in the log"


def _tiles(it: Submission, row: SubmissionRow, *, has_criteria: bool) -> list[tuple[str, str, str]]:
    cost, time = it.cost, it.time
    usd = "unknown" if cost.usd is None else numbers.money(cost.usd)
    basis = "reported" if cost.reported_usd is not None else "computed"
    basis += without_earlier_tries(it)
    wall = missing_words(it, "time.wall_s", "not reported")
    if time.wall_s is not None:
        wall = numbers.duration(time.wall_s)
    active = "" if time.active_s is None else f"active {numbers.duration(time.active_s)}"
    total = missing_words(it, "total_tokens", "not reported")
    if it.total_tokens is not None:
        total = numbers.tokens(it.total_tokens)
    return [
        ("Correct", *_correct(it, row, has_criteria=has_criteria)),
        ("Cost", usd, basis if cost.usd is not None else why_no_cost(it)),
        ("Wall time", wall, active),
        ("Tokens", total, count(it.llm_calls, "request") if it.llm_calls is not None else ""),
    ]


def _own_figures(row: SubmissionRow) -> list[SubmissionFigure]:
    of_tool = {one.name for one in tool_metrics(row.submission)}
    every = figures(row.submission, evidence=evidence_level(row))
    return [one for one in every if one.name not in of_tool]


def _mix(it: Submission) -> list[dict[str, Any]]:
    """The kinds of tokens with where each begins in the bar, in percent."""
    known = [(kind, n) for kind in _COLOURS if (n := getattr(it.usage, kind))]
    total, at, rows = sum(n for _, n in known), 0.0, []
    for kind, n in known:
        width = n / total * 100
        rows.append(
            {
                "name": KINDS[kind],
                "n": n,
                "share": n / total,
                "colour": _COLOURS[kind],
                "x": f"{at:.2f}",
                "width": f"{max(width - 0.25, 0.1):.2f}",
            }
        )
        at += width
    return rows


def _cost(it: Submission) -> list[tuple[str, str]]:
    """Return the derivation of the cost, in words."""
    cost = it.cost
    usd = cost.computed_usd
    reported = missing_words(it, "cost.reported_usd", "not reported")
    told = [
        (
            "Reported in the log",
            reported if cost.reported_usd is None else f"${cost.reported_usd!r}",
        ),
        (
            "Computed",
            (f"unknown: {why_no_cost(it)}" if usd is None else f"${usd!r}")
            + without_earlier_tries(it),
        ),
    ]
    if usd is not None:
        told.append(("Method", f"{cost.method or 'as given'}, prices {cost.rate_card or 'given'}"))
    if cost.as_of:
        told.append(("Price date", cost.as_of))
    if cost.gap_usd is not None:
        gap = numbers.fixed_point(cost.gap_usd, 6, signed=True)
        told.append(("Computed − reported", f"{gap} dollars"))
    return told


def _criteria(it: Submission, verified: Verification | None) -> tuple[CriterionResult, ...]:
    held = verified.results if verified else it.outcome.criteria
    return tuple(held[:_SHOWN_CRITERIA])
