"""Pages while they are being written: each model's preview follows its answer."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from typing import ClassVar, NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from benchmaker.arenas.code.prompt_suite import improved_page_of
from benchmaker.errors import SpecError, StoreError
from benchmaker.plugins import web_page
from benchmaker.record import RunState, Trial, TrialKey
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.sentences.code_words import NOT_RENDERED_WORDS, state_of
from benchmaker.web.accounts.actors import by_actor
from benchmaker.web.code.comparison_view import policy_headers, preview_address, user_agent_of
from benchmaker.web.code.links import live_events_address, next_address, run_address
from benchmaker.web.code.rows import BEING_RENDERED, blind_cells, has_failed_render
from benchmaker.web.code.shot_stream import ShotStream
from benchmaker.web.code.subject import CodeRun, letter_of
from benchmaker.web.code.thumbnails import USUAL_WIDTH, WIDTH_WORDS, WIDTHS
from benchmaker.web.live.state import live_state_of
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.previews import answer_of, find_trial
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.tickets import PreviewOf
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="live_pages")
class LivePagesPage:
    """Generated pages while models write them."""

    routes: ClassVar = router


_LOOK_S = 1.0
_WORDS = {
    "waiting": "not started",
    "writing": "writing",
    "whole": "written",
}
_BEATS = 15
"""Looks without any change, after which something is sent all the same."""


PaneState = dict[str, str | int]


class LivePane(NamedTuple):
    """One model's place on the page: its number and letter there, and its preview's address."""

    n: int
    letter: str
    src: str
    page: PreviewOf


@router.get("/code/{run}/{number:int}/live")
def live_page(request: Request, bench: Bench, run: str, number: int) -> Response:
    """Show every model's page for one prompt, in an order that does not reveal the models."""
    view = by_actor(request, read_view(request, filters={"by": None}))
    with bench.store.read_snapshot():
        subject = CodeRun.of(bench.store, run)
        has_ended = is_over(bench, subject.run.id)
        return live_response(
            request, bench, subject, number, voter=voter_of(view), has_ended=has_ended
        )


def live_response(
    request: Request,
    bench: Workbench,
    subject: CodeRun,
    number: int,
    *,
    voter: str,
    has_ended: bool,
) -> Response:
    """Return the page with every unnamed answer to one prompt, which follows the run.

    ``has_ended`` is true if nothing more will arrive.
    """
    case = subject.prompt(number)
    panes = _panes(bench, subject, case.id, voter, user_agent=user_agent_of(request))
    cells = blind_cells(subject, number, voter, WIDTHS)
    states = _states(bench, subject, case.id, panes, has_ended=has_ended)
    answer = page(
        request,
        "code/live",
        title="Pages as they are written",
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb("Pages")),
        subject=subject,
        case=case,
        number=number,
        prompts=len(subject.prompts),
        panes=list(zip(panes, states, cells, strict=True)),
        widths=WIDTHS,
        improves=improved_page_of(case) is not None,
        over=has_ended,
        waiting=len(subject.waiting_pairs(voter)),
        events=live_events_address(subject.run.id, number, voter, after=subject.last_place),
        voting=next_address(subject.run.id, voter, after=0),
        by=voter,
    )
    answer.headers.update(policy_headers(bench))
    return answer


@router.get("/code/{run}/{number:int}/live/events")
async def events(request: Request, bench: Bench, run: str, number: int) -> Response:
    """Stream progress and screenshots, at most once a second, until the run has ended."""
    view = by_actor(request, read_view(request, filters={"by": None}))
    voter = voter_of(view)
    subject = await asyncio.to_thread(CodeRun.of, bench.store, run)
    case = await asyncio.to_thread(subject.prompt, number)
    panes = await asyncio.to_thread(_panes, bench, subject, case.id, voter)
    shots = ShotStream.after(place_after(view), subject, voter, numbers=(number,), widths=WIDTHS)
    return _stream(bench, panes, shots)


@router.get("/code/{run}/events")
async def shot_events(request: Request, bench: Bench, run: str) -> Response:
    """Stream the screenshots of all unnamed answers as they are made, until the run has ended."""
    view = by_actor(request, read_view(request, filters={"by": None, "w": WIDTH_WORDS}))
    subject = await asyncio.to_thread(CodeRun.of, bench.store, run)
    prompts = await asyncio.to_thread(lambda: subject.prompts)
    numbers, widths = range(1, len(prompts) + 1), (int(view.filters["w"] or USUAL_WIDTH),)
    shots = ShotStream.after(
        place_after(view), subject, voter_of(view), numbers=numbers, widths=widths
    )
    return _stream(bench, (), shots)


def place_after(view: View) -> int:
    """Return the number after which an address goes on; 0 without one.

    Raises:
        SpecError: it is no number.
    """
    after = view.after
    if after and not (after.isascii() and after.isdecimal()):
        raise SpecError(f"there is no place {after[:20]!r}.", hint="Start at the beginning.")
    return int(after[:18] or 0)


def voter_of(view: View) -> str:
    """Return the voter: the signed-in user, the word ``by``, or the only local person."""
    return view.filters["by"].strip()[:200] or "local"


def _stream(bench: Workbench, panes: tuple[LivePane, ...], shots: ShotStream) -> Response:
    return StreamingResponse(_live_events(bench, panes, shots), media_type="text/event-stream")


async def _live_events(
    bench: Workbench, panes: tuple[LivePane, ...], shots: ShotStream
) -> AsyncIterator[bytes]:
    before, quiet = b"", 0
    while True:
        is_last = await asyncio.to_thread(is_over, bench, shots.subject.run.id)
        while made := await asyncio.to_thread(shots.read):
            yield _event("shots", msgspec.json.encode(made))
        states = await asyncio.to_thread(
            _panes_json, bench, shots.subject, panes, has_ended=is_last
        )
        quiet = quiet + 1 if states == before else 0
        if states != before or quiet >= _BEATS:
            yield _event("panes", states)
            before, quiet = states, 0
        if is_last:
            waiting = await asyncio.to_thread(_waiting, shots)
            yield _event("over", msgspec.json.encode({"waiting": waiting}))
            return
        await asyncio.sleep(_LOOK_S)


def _waiting(shots: ShotStream) -> int:
    """The number of pairs without a vote of this voter, now that all answers are stored."""
    try:
        return len(CodeRun(shots.subject.store, shots.subject.run).waiting_pairs(shots.voter))
    except StoreError:
        return 0


def _event(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


def _panes(
    bench: Workbench, subject: CodeRun, case_id: str, voter: str, *, user_agent: str = ""
) -> tuple[LivePane, ...]:
    hidden = subject.blind_order(case_id, voter)
    pages = [PreviewOf(subject.run.id, case_id, model) for model in hidden]
    return tuple(
        LivePane(n, letter_of(n), preview_address(bench, it, user_agent=user_agent), it)
        for n, it in enumerate(pages, 1)
    )


def _states(
    bench: Workbench, subject: CodeRun, case_id: str, panes: Iterable[LivePane], *, has_ended: bool
) -> list[PaneState]:
    """The state of each answer to a prompt, from what was read of it."""
    trials, prepared = subject.trials(case_id), subject.prepared_pages
    is_queued = subject.is_retry_queued
    return [
        _state(
            bench,
            pane,
            trials.get(pane.page.model),
            prepared.get((case_id, pane.page.model)),
            has_ended=has_ended,
            is_queued=is_queued,
        )
        for pane in panes
    ]


def _panes_json(
    bench: Workbench, subject: CodeRun, panes: Iterable[LivePane], *, has_ended: bool
) -> bytes:
    """The state of each answer, as it is now."""
    with bench.store.read_snapshot():
        is_queued = subject.is_retry_queued
        states = [
            _state(
                bench,
                pane,
                find_trial(bench, pane.page),
                bench.store.renders.find_prepared(_trial_key(pane.page)),
                has_ended=has_ended,
                is_queued=is_queued,
            )
            for pane in panes
        ]
    return msgspec.json.encode(states)


def _trial_key(of: PreviewOf) -> TrialKey:
    return TrialKey(of.run_id, of.model, of.case_id)


def _state(
    bench: Workbench,
    pane: LivePane,
    trial: Trial | None,
    made: PreparedAnswer | None,
    *,
    has_ended: bool,
    is_queued: bool,
) -> PaneState:
    text, state = answer_of(bench, pane.page, trial)
    version = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    words = _WORDS[state] if trial is None else _stored_words(made, trial)
    is_due = is_queued and words == NOT_RENDERED_WORDS
    if is_due or (words == _WORDS["whole"] and not has_ended):
        words = BEING_RENDERED
    return {"n": pane.n, "state": state, "words": words, "version": f"{state[:2]}{version}"}


def _stored_words(made: PreparedAnswer | None, trial: Trial) -> str:
    """The state of a stored answer, without the outcome of its render."""
    if made is not None and made.artifact.reason:
        return "written, no code"
    if made is not None and made.rendering is not None:
        return "rendered"
    state = state_of(made, trial)
    if state != NOT_RENDERED_WORDS:
        return state
    return state if has_failed_render(trial) else _WORDS["whole"]


def is_over(bench: Workbench, run_id: str) -> bool:
    """True if nothing more will arrive; a run that waits for its worker has not started."""
    try:
        run = bench.store.run(run_id)
        if run.state in {RunState.RUNNING, RunState.PAUSED}:
            return False
        return not live_state_of(bench.store, run.series_id or run.id).is_live
    except StoreError:
        return True
