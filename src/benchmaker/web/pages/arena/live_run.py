"""A run or a series while it fills: the page, its stream, stop and resume."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Depends, Form, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from markupsafe import Markup

from benchmaker.arenas.standard.controlling import (
    Wanted,
    end_pause,
    send_commands,
    wanted_commands,
)
from benchmaker.arenas.standard.job_handlers import ask_to_resume
from benchmaker.engine.runs.control import store_budget
from benchmaker.errors import Conflict, SpecError
from benchmaker.plugins import web_page
from benchmaker.providers.live_text import LiveTexts
from benchmaker.record.run_command import ControlAction
from benchmaker.store.runs.change_feed import Cell
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.arena.fragments import (
    Pieces,
    changed_pieces,
    displayed_run,
    heads,
    page_parts,
    partial_answer,
    whole_grid,
)
from benchmaker.web.arena.grid import CellAddress, GridRow, Look, answer_at, grid_rows
from benchmaker.web.form_body import Fields, Posted
from benchmaker.web.live.events import Listener, LiveChange, SharedReads
from benchmaker.web.live.state import LiveState, live_state_of, target_of
from benchmaker.web.rendering import Crumb, fragment, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="live_run")
class LiveRunPage:
    """A run or a series in progress."""

    routes: ClassVar = router


_WAIT_S = 2.0
_MOST_USD = 1_000_000.0
_DIGITS = 4
"""Digits of a number of parallel requests."""

_LINES = re.compile("\r\n|\r|\n")


def _look(
    name: str,
    run: Annotated[int | None, Query(ge=1)] = None,
    start: Annotated[int, Query(ge=0)] = 0,
    at: str = "",
) -> Look:
    return Look(name, run, start, CellAddress.read(at))


After = Annotated[int | None, Query(ge=0)]


@router.get("/arena/{name}")
def live_page(
    request: Request, bench: Bench, look: Annotated[Look, Depends(_look)], confirm: str = ""
) -> Response:
    """Show the run in its current state, with live updates."""
    series = target_of(bench.store, look.target).runs[0].series_id
    if series is not None and series != look.target:
        return RedirectResponse(f"/arena/{series}", 303)
    with bench.store.read_snapshot():
        return _page(request, bench, look, confirms=confirm == "stop")


@router.get("/arena/{name}/cell")
def cell(bench: Bench, look: Annotated[Look, Depends(_look)]) -> Response:
    """Return the selected cell, with a stream of its updates."""
    state = live_state_of(bench.store, look.target, rate=bench.watch.rate(look.target))
    return HTMLResponse(fragment("arena/chosen", **_answer_content(bench, look, state)))


@router.post("/arena/{name}/stop")
def stop(bench: Bench, name: str) -> Response:
    """Stop the job; finished trials are kept."""
    target_of(bench.store, name)
    bench.store.jobs.ask_to_stop(name)
    return RedirectResponse(f"/arena/{name}", 303)


@router.post("/arena/{name}/control")
def control(request: Request, bench: Bench, who: Who, name: str, form: Posted) -> Response:
    """Pause, resume or change a run; a paused run without a process gets a job."""
    run = target_of(bench.store, name).runs[0]
    wanted = _command_of(form)
    annotate(request, detail=str(wanted[0][0]))
    with suppress(SpecError):  # it has finished meanwhile, as the page shows
        actor = name_of(who, "local")
        send_commands(bench.store, run.id, wanted, actor=actor, wait_s=_WAIT_S)
    is_resumed = wanted[0][0] is ControlAction.RESUME
    if is_resumed and live_state_of(bench.store, name).can_resume:
        return resume(bench, name)
    return RedirectResponse(f"/arena/{name}", 303)


def _command_of(form: Fields) -> tuple[Wanted, ...]:
    """The command of a form.

    Raises:
        SpecError: none, or an invalid number.
    """
    number = form["concurrency"]
    if number and not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        raise SpecError(
            f"parallel requests must be a whole number, not {number!r}.", hint="Use 1 or more."
        )
    dropped = form["drop_model"]
    return wanted_commands(
        pause=form["action"] == ControlAction.PAUSE,
        resume=form["action"] == ControlAction.RESUME,
        concurrency=int(number) if number else None,
        max_cost_usd=_dollars(form["max_cost"]),
        drop_models=(dropped,) if dropped else (),
    )


def _dollars(text: str) -> float | None:
    """Return the budget; None without one."""
    try:
        return _from_zero(float(text)) if text else None
    except ValueError as exc:
        raise SpecError(
            f"the budget must be a number of dollars, not {text[:40]!r}.",
            hint="Use 0 to 1,000,000.",
        ) from exc


def _from_zero(dollars: float) -> float:
    if not 0 <= dollars <= _MOST_USD:
        raise ValueError(dollars)
    return dollars


@router.post("/arena/{name}/resume")
def resume(
    bench: Bench,
    name: str,
    again: Annotated[str, Form()] = "",
    add: Annotated[str, Form(max_length=2_000)] = "",
    max_cost: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Queue a job that resumes the run; ``again`` retries infrastructure failures.

    ``max_cost`` is the budget in dollars of the whole run or series, from now on.
    ``add`` is a dropped setup whose remaining trials are run after all. The job for one run of a
    series is a job on the series, whose page shows its progress.
    """
    run = target_of(bench.store, name).runs[0]
    budget = _dollars(max_cost)
    end_pause(bench.store, run.id)
    target = run.series_id or name
    if budget is not None:
        store_budget(bench.store, run.id, budget)
    only = {} if name == target else {"run": name}
    added = {"add": [add]} if add else {}
    with suppress(Conflict):  # pressed twice: it goes on already
        ask_to_resume(bench.store, target, retry_failed=again == "failed", body=only | added)
    return RedirectResponse(
        f"/arena/{target}?run={run.number}" if only else f"/arena/{target}", 303
    )


@router.get("/arena/{name}/events")
async def events(
    bench: Bench,
    look: Annotated[Look, Depends(_look)],
    after: After = None,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Stream changes as server-sent events; the id is the row sequence, so that none is lost."""
    await asyncio.to_thread(target_of, bench.store, look.target)
    since = int(last_event_id) if last_event_id.isdecimal() else after
    stream = _Stream(bench, look, since)
    return StreamingResponse(stream.events(), media_type="text/event-stream")


class _Stream:
    """The events of one page."""

    def __init__(self, bench: Workbench, look: Look, since: int | None) -> None:
        self._bench = bench
        self._look = look
        self._since = since
        self._sent: Pieces | None = None
        self._rows: tuple[GridRow, ...] = ()
        self._run_id = ""

    async def events(self) -> AsyncIterator[bytes]:
        """Yield missed events first, then new ones."""
        bench, name = self._bench, self._look.target
        tail = bench.watch.tail(bench.store, name, lambda: bench.standard.heard.get(name))
        listener: Listener[LiveChange] = Listener()
        tail.listeners.add(listener)
        try:
            missed = await tail.shared.read(("missed", self._since), self._missed_changes)
            yield await self._message(missed, tail.shared)
            if not missed.state.is_live:
                yield _event("over", "", missed.upto)
                return
            async for change in listener.changes():
                if change is None:
                    yield _event("beat", "", None)
                    continue
                if change.upto < missed.upto:
                    continue
                if change.state.read_at < missed.state.read_at:
                    change = change.with_state(missed.state)  # noqa: PLW2901
                yield await self._message(change, tail.shared)
                if not change.state.is_live:
                    yield _event("over", "", change.upto)
                    return
        finally:
            tail.listeners.discard(listener)

    def _missed_changes(self) -> LiveChange:
        """Return all changes since the page was rendered, or since its last event."""
        with self._bench.store.read_snapshot():
            return self._read_missed_changes()

    def _read_missed_changes(self) -> LiveChange:
        bench = self._bench
        state = live_state_of(
            bench.store, self._look.target, rate=bench.watch.rate(self._look.target)
        )
        upto = state.seq if self._since is None else self._since
        cells: dict[tuple[int, int, int], Cell] = {}
        while True:
            found = bench.store.change_feed.changes_after(state.target.run_ids, upto)
            cells |= {cell.place: cell for cell in found.cells}
            upto = found.upto
            if not found.cells:
                return LiveChange(upto, tuple(cells.values()), state)

    async def _message(self, change: LiveChange, shared: SharedReads) -> bytes:
        """Return the change for this page, without parts it already has.

        It is rendered once for all pages with the same view and state.
        """
        run = displayed_run(self._look, change.state)
        seen = (self._look, run.id)
        if run.id != self._run_id:
            self._rows = await shared.read(
                ("rows", seen), lambda: grid_rows(self._bench.store, run, self._look.start)
            )
            is_other, self._run_id, self._sent = bool(self._run_id), run.id, None
            if is_other:
                return await change.draw(("grid", seen), lambda: self._grid(change))
        if self._sent is not None and not change.state.is_live:
            return await change.draw(("grid", seen), lambda: self._grid(change))
        pieces = await change.draw(seen, lambda: self._pieces(change))
        before, self._sent = self._sent, pieces
        return await change.draw((seen, before), lambda: _live_event(pieces, before, change.upto))

    async def _pieces(self, change: LiveChange) -> Pieces:
        bench, look = self._bench, self._look
        heard = bench.standard.heard.get(look.target)
        return await asyncio.to_thread(_pieces_now, bench, look, self._rows, change, heard)

    async def _grid(self, change: LiveChange) -> bytes:
        """The whole grid: the series went on to its next run."""
        text = await asyncio.to_thread(_full_grid, self._bench, self._look, change.state)
        return _event("live", text, change.upto)


async def _live_event(pieces: Pieces, before: Pieces | None, upto: int) -> bytes:
    return _event("live", pieces.changes_since(before), upto)


def _pieces_now(
    bench: Workbench,
    look: Look,
    rows: tuple[GridRow, ...],
    change: LiveChange,
    heard: LiveTexts | None,
) -> Pieces:
    """The effect of a change, with counts and figures of one moment."""
    with bench.store.read_snapshot():
        now = _state_now(bench, look, change.state)
        return changed_pieces(bench, look, rows, LiveChange(change.upto, change.cells, now), heard)


def _state_now(bench: Workbench, look: Look, state: LiveState) -> LiveState:
    """The state at the moment of the snapshot, unless it was final or its run is another one."""
    if not state.is_live:
        return state
    now = live_state_of(bench.store, look.target, rate=state.rate)
    return now if displayed_run(look, now).id == displayed_run(look, state).id else state


def _full_grid(bench: Workbench, look: Look, state: LiveState) -> str:
    with bench.store.read_snapshot():
        content = _content(bench, look, _state_now(bench, look, state), oob=True)
    parts: dict[str, Markup] = content["parts"]
    return fragment("arena/grid", **content) + "".join(
        it for name, it in parts.items() if not name.startswith("figure")
    )


def _event(kind: str, text: str, number: int | None) -> bytes:
    lines = "\n".join(f"data: {line}" for line in _LINES.split(text))
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {kind}\n{lines}\n\n".encode("utf-8", "replace")


def _page(request: Request, bench: Workbench, look: Look, *, confirms: bool) -> Response:
    state = live_state_of(bench.store, look.target, rate=bench.watch.rate(look.target))
    content = _content(bench, look, state, oob=False)
    crumbs = (Crumb("Arena", "/arena"), Crumb(content["run"].suite_name), Crumb(look.target))
    return page(
        request,
        "arena/live",
        title=f"{content['run'].suite_name}, live",
        here="Arena",
        crumbs=crumbs,
        confirms=confirms,
        **content,
    )


def _content(bench: Workbench, look: Look, state: LiveState, *, oob: bool) -> dict[str, Any]:
    run = displayed_run(look, state)
    heard = bench.standard.heard.get(look.target)
    drawn = page_parts(bench, look, state, oob=oob)
    parts = {name: Markup(text) for name, text in drawn.items()}  # noqa: S704  out of our templates
    plain = {name: it for name, it in parts.items() if name.startswith("figure")}
    if oob:
        again = page_parts(bench, look, state, oob=False)
        plain = {name: Markup(again[name]) for name in plain}  # noqa: S704  as above
    return {
        "grid": whole_grid(bench, look, run, heard),
        "heads": heads(run),
        "figures": {model: plain[f"figure{column}"] for column, model in enumerate(run.models)},
        "parts": parts,
        "run": run,
        "oob": oob,
        **_answer_content(bench, look, state),
    }


def _answer_content(bench: Workbench, look: Look, state: LiveState) -> dict[str, Any]:
    run = displayed_run(look, state)
    heard = bench.standard.heard.get(look.target)
    answer = answer_at(bench.store, run, look.at, heard) if look.at else None
    said = partial_answer(bench, look, run, heard, oob=False)
    return {
        "look": look,
        "now": state,
        "answer": answer,
        "said": Markup(said),  # noqa: S704  out of our templates
    }
