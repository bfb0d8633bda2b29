"""Reviews: flagged submissions, and the decisions on them."""

from typing import ClassVar, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.agentic.submissions.moderation import moderate, moderation_rows
from benchmaker.arenas.agentic.submissions.reviews import decide_submission_review, review_rows
from benchmaker.errors import Conflict, SpecError
from benchmaker.plugins import web_page
from benchmaker.record.account import Role
from benchmaker.record.submissions.evaluation import ModerationState, ReviewState
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.agentic.lookup import lookup_submission
from benchmaker.web.downloads import json_answer
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="review")
class ReviewPage:
    """Flagged submissions and decisions on them."""

    routes: ClassVar = router
    role: ClassVar = Role.MEMBER


ROWS: Final = 20
_STATES: Final = tuple(str(state) for state in ReviewState)
_DECISIONS: Final = {"clear": "cleared", "quarantine": "quarantined"}
_WORDS: Final = {"accept": ModerationState.ACCEPTED, "reject": ModerationState.REJECTED}
WAITING: Final = "waiting"
_DIGITS: Final = 19
_LONGEST_NOTE: Final = 2_000


@router.get("/agentic/review")
def review(request: Request, bench: Bench) -> Response:
    """The queue, the longest waiting first."""
    view = _view(request)
    state = view.filters["state"]
    if state == WAITING:
        return _queue(request, bench, view)
    found = review_rows(bench.store, ReviewState(state) if state in _STATES else None)
    first = _first_row(view)
    shown = found[first : first + ROWS]
    numbers = bench.store.submission_pages.numbers([one.submission_id for one in shown])
    return page(
        request,
        "agentic/review",
        title="Review queue",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Review")),
        view=view,
        states=_STATES,
        waiting=bench.store.agentic.count_pending(),
        rows=[(one, numbers.get(one.submission_id)) for one in shown],
        count=len(found),
        first=first,
        after=str(first + ROWS) if first + ROWS < len(found) else "",
        hide=bench.redactor.text,
    )


def _queue(request: Request, bench: Workbench, view: View) -> Response:
    """Return the submissions waiting for a moderator, oldest first."""
    found = list(moderation_rows(bench.store))
    first = _first_row(view)
    return page(
        request,
        "agentic/waiting",
        title="Awaiting moderation",
        here="Agentic",
        crumbs=(Crumb("Agentic", "/agentic"), Crumb("Review")),
        view=view,
        states=_STATES,
        waiting=len(found),
        rows=found[first : first + ROWS],
        first=first,
        after=str(first + ROWS) if first + ROWS < len(found) else "",
        hide=bench.redactor.text,
    )


@router.get("/agentic/review.json")
def review_json(request: Request, bench: Bench) -> Response:
    """All of it as ``reviews --json`` prints it, or as ``moderate --json`` does."""
    state = _view(request).filters["state"]
    if state == WAITING:
        rows = [one.to_dict() for one in moderation_rows(bench.store)]
        return json_answer(bench.redactor.tree({"moderation": rows}))
    found = review_rows(bench.store, ReviewState(state) if state else None)
    return json_answer(bench.redactor.tree({"reviews": [one.to_dict() for one in found]}))


@router.post("/agentic/review")
def post_review(request: Request, bench: Bench, who: Who, fields: Posted) -> Response:
    """Clear a submission or put it under quarantine; its task settles again."""
    state = _DECISIONS.get(fields["do"])
    if state is None:
        raise SpecError(
            "the decision must be clear or quarantine.", hint="Use the buttons of the page."
        )
    note = _note(fields)
    row = lookup_submission(bench, fields["n"])
    decide_submission_review(
        row.submission.id,
        state,
        note=note,
        actor=name_of(who, "local"),
        home=bench.home,
        store=bench.settings.store_url,
        clock=bench.settings.clock,
    )
    annotate(request, object=row.submission.id, detail=state)
    kept = {"state": fields["state"]} if fields["state"] in _STATES else {}
    return RedirectResponse(f"/agentic/review{'?' if kept else ''}{urlencode(kept)}", 303)


@router.post("/agentic/moderation")
def post_moderation(request: Request, bench: Bench, who: Who, fields: Posted) -> Response:
    """Accept or reject a submission waiting for a moderator; its task settles again."""
    state = _WORDS.get(fields["do"])
    number = fields["n"]
    if state is None or not (number.isascii() and number.isdecimal() and len(number) < _DIGITS):
        raise SpecError(
            "the decision must be accept or reject.", hint="Use the buttons of the page."
        )
    note = _note(fields)
    found = bench.store.agentic.find_pending(number=int(number))
    if found is None:
        raise Conflict(
            "the submission is no longer waiting, or was resubmitted with other figures.",
            hint="Review the waiting submissions again.",
        )
    moderate(
        found.step.submission_id,
        state,
        note=note,
        actor=name_of(who, "local"),
        number=int(number),
        home=bench.home,
        store=bench.settings.store_url,
        clock=bench.settings.clock,
    )
    annotate(request, object=found.step.submission_id, detail=str(state))
    return RedirectResponse(f"/agentic/review?state={WAITING}", 303)


def _note(fields: Fields) -> str:
    note = fields["note"].strip()
    if len(note) > _LONGEST_NOTE:
        raise SpecError(
            f"the note is longer than {_LONGEST_NOTE:,} characters.", hint="Shorten it."
        )
    return note


def _view(request: Request) -> View:
    return read_view(request, filters={"state": (*_STATES, WAITING)})


def _first_row(view: View) -> int:
    after = view.after
    if after and not (after.isascii() and after.isdecimal() and len(after) < 10):  # noqa: PLR2004  digits
        raise SpecError("invalid value for after.", hint="Start at the first page.")
    return int(after or 0)
