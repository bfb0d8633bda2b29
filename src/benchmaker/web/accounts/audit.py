"""The audit log of a server: one line per change, for any actor."""

import json
from typing import Any, Final

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Scope

from benchmaker.record.account import MAIN, AuditEntry
from benchmaker.web.observing import request_id
from benchmaker.web.workbench import Workbench

ACTION: Final = "audit_action"
OBJECT: Final = "audit_object"
DETAIL: Final = "audit_detail"
_REFUSED: Final = 400
_LONGEST: Final = 300
_NAMES: Final = ("series_id", "run_ids", "suite_hash", "submissions", "attempts")
"""What is made is named by one of these, in the answers of the API."""

_READ_BYTES: Final = 1_000_000


class Audit:
    """Writes lines into the root store, whichever team they are about."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def record(self, scope: Scope, status: int, headers: Headers) -> None:
        """Record a request's change; called before its answer is sent.

        Refused requests change nothing, and are skipped. If the line cannot be written, the request
        is not answered as successful.
        """
        state: dict[str, Any] = scope.get("state", {})
        if not state.get(ACTION) or status >= _REFUSED:
            return
        await run_in_threadpool(self.write, scope, headers.get("location", ""))

    def write(self, scope: Scope, location: str = "") -> None:
        """Write one line about a request, with its annotations."""
        state: dict[str, Any] = scope["state"]
        actor, client = state.get("actor"), scope.get("client")
        entry = AuditEntry(
            actor=_name(state),
            action=state[ACTION],
            team=(actor.team if actor else "") or MAIN,
            object=_shorten(state.get(OBJECT) or _path_values(scope) or location.partition("?")[0]),
            detail=_shorten(state.get(DETAIL, "")),
            address=str(client[0]) if client else "",
            request_id=request_id(scope),
        )
        self._bench.store.accounts.audit(entry)


def annotate(request: Request, *, object: str = "", detail: str = "") -> None:  # noqa: A002  the log's word
    """Annotate a request's object if its address does not name it; no effect without accounts."""
    state = request.state
    if object:
        setattr(state, OBJECT, object)
    if detail:
        setattr(state, DETAIL, detail)


def note_made(request: Request, answer: Response) -> None:
    """Note the objects created by a request, from the API's answer."""
    if getattr(request.state, ACTION, "") and not request.path_params:
        annotate(request, object=made_in(answer.body))


def made_in(body: Any) -> str:  # noqa: ANN401  bytes, or what a stream has instead
    """Return the name of the created object.

    >>> made_in(b'{"run_ids": ["20261121-a1"], "series_id": "20261121-abc"}')
    '20261121-abc'
    """
    if not isinstance(body, bytes) or len(body) > _READ_BYTES:
        return ""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(data, dict):
        return ""
    found = next((data[name] for name in _NAMES if data.get(name)), "")
    return ", ".join(map(_id, found)) if isinstance(found, list) else str(found)


def _id(made: Any) -> str:  # noqa: ANN401  an id, or what has one
    return str(made.get("id", "") if isinstance(made, dict) else made)


def _name(state: dict[str, Any]) -> str:
    actor, token = state.get("actor"), state.get("token")
    if actor is None:
        return "nobody"
    return f"token {token.name} of {actor.name}" if token else str(actor.name)


def _path_values(scope: Scope) -> str:
    """Return the values of the path parameters."""
    return " ".join(str(value) for value in (scope.get("path_params") or {}).values())


def _shorten(text: str) -> str:
    return "".join(it if it.isprintable() else "?" for it in text[:_LONGEST])
