"""Answers that are sent again from memory, before any route and any thread is involved.

Most requests repeat one that was answered from the same state of the store. They need its state,
the address and the viewer, and nothing else: no route, no thread, no template, no compression.
"""

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from benchmaker.errors import BenchmakerError
from benchmaker.web.unchanged import (
    KeptAnswer,
    UnchangedStore,
    answer_key,
    known_unchanged_store,
)
from benchmaker.web.workbench import Workbench


class KeptAnswers:
    """Sends an answer again if the store has not changed since it was made.

    An answer is found by its address and its viewer, whose name, team, role and scopes are part of
    the key. It was kept by a route, after the permission check of that viewer, which depends on
    nothing else.
    """

    def __init__(self, app: ASGIApp, *, bench: Workbench) -> None:
        self._app = app
        self._bench = bench

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        answer = await self._find(Request(scope)) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)

    async def _find(self, request: Request) -> Response | None:
        """The kept answer, if it is what the route would send now."""
        if request.method != "GET" or "hx-request" in request.headers:
            return None
        bench = self._find_workbench(request)
        kept = None if bench is None else known_unchanged_store(bench)
        if bench is None or kept is None:
            return None
        found = kept.answers.find(answer_key(request, bench))
        if found is None or not await _still_holds(found, kept):
            return None
        request.scope.update(route=found.route, path_params=found.path_params)
        return found.body.answer(request.headers)

    def _find_workbench(self, request: Request) -> Workbench | None:
        """The workbench of the requester's team; None if it is not open yet."""
        actor = getattr(request.state, "actor", None)
        if actor is None or not actor.team:
            return self._bench
        return self._bench.teams.find_open(actor.team) if self._bench.teams else None


async def _still_holds(found: KeptAnswer, kept: UnchangedStore) -> bool:
    """True if nothing has changed since the answer was made; a lost database is for the route."""
    try:
        state = kept.state_at_once() or await run_in_threadpool(kept.state)
    except BenchmakerError:
        return False
    return state == found.state
