"""Errors for people and programs: fault, place, remedy; never a stack trace."""

import logging
import secrets
from collections.abc import Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from benchmaker.errors import (
    BenchmakerError,
    Conflict,
    PrerequisiteError,
    SpecError,
    StoreError,
)
from benchmaker.web.error_body import ROOT, Found, answer
from benchmaker.web.fault_words import (
    Onward,
    advice_of,
    fault_location,
    fault_title,
    list_above,
    message_of,
    onward_of,
    status_title,
)
from benchmaker.web.observing import request_id
from benchmaker.web.observing.requests import HEADER
from benchmaker.web.rendering import page, pages_of

_LOG = logging.getLogger("benchmaker.web")
_MESSAGES = {
    404: ("Page not found.", "Use the navigation above."),
    405: ("This address does not accept that method.", "Use the buttons of the page."),
    413: ("The upload is too large.", "Use the command line for large files."),
}
_OF_DATA = {
    404: ("There is no such address.", "/api/v1/openapi.json lists all addresses."),
    405: ("This address does not accept that method.", "See /api/v1/openapi.json."),
    413: _MESSAGES[413],
}
_CLIENT_GONE = 499
_GONE = "It may have been deleted, or the address is wrong."


class Missing(BenchmakerError):
    """The addressed object is not stored."""


def add_fault_pages(app: FastAPI) -> None:
    """Let every error be answered in one shape."""
    app.add_exception_handler(BenchmakerError, _on_benchmaker_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _on_aborted_request)
    app.add_exception_handler(Exception, _on_unexpected_error)


_STATUS: tuple[tuple[type[BenchmakerError], int], ...] = (
    (Missing, 404),
    (Conflict, 409),
    (PrerequisiteError, 424),
    (StoreError, 503),
)


def _status(error: BenchmakerError) -> int:
    is_missing = error.message.lower().startswith(("there is no", "no "))
    if is_missing and isinstance(error, StoreError) and not isinstance(error, Conflict):
        return 404
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)


def _on_benchmaker_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BenchmakerError)  # noqa: S101  what it was registered for
    found = error.findings if isinstance(error, SpecError) else ()
    faults = [Found(one.message, one.place, one.hint) for one in found]
    kind = type(error).__name__
    status = _status(error)
    return _answer(request, status, error.message, error.where, error.hint, kind=kind, found=faults)


def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  what it was registered for
    hint = "Correct it and send it again."
    faults = [
        Found(str(one["msg"]), ".".join(str(step) for step in one["loc"]), hint)
        for one in error.errors()
    ]
    message, where = faults[0].message, faults[0].where
    path = request.url.path
    if where.startswith("path.") and not path.startswith(ROOT):
        message, hint = _MESSAGES[404]
        above = list_above(path)
        hint = "The last part of the address is a number." if above else hint
        return _answer(request, 404, message, path, hint, kind="Missing", onward=above)
    return _answer(request, 422, message, where, hint, kind="SpecError", found=faults)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  what it was registered for
    known = _OF_DATA if request.url.path.startswith(ROOT) else _MESSAGES
    message, hint = known.get(error.status_code, (str(error.detail), ""))
    answered = _answer(request, error.status_code, message, request.url.path, hint)
    answered.headers.update(error.headers or {})
    return answered


def _on_aborted_request(request: Request, error: Exception) -> Response:  # noqa: ARG001  as called
    """The client is gone, and reads no answer; the status is for the log, as in nginx."""
    return Response(status_code=_CLIENT_GONE)


def _on_unexpected_error(request: Request, error: Exception) -> Response:
    reference = request_id(request.scope) or secrets.token_hex(4)
    _LOG.error("reference %s, %s", reference, request.url.path, exc_info=error)
    hint = f"The server log has the details under reference {reference}."
    answered = _answer(request, 500, "Internal error.", request.url.path, hint)
    answered.headers[HEADER] = reference  # it is answered outside of what signs the others
    return answered


def _answer(
    request: Request,
    status: int,
    message: str,
    where: str,
    hint: str,
    *,
    kind: str = "",
    found: Sequence[Found] = (),
    onward: Onward | None = None,
) -> Response:
    path = request.url.path
    if path.startswith(ROOT) or path.endswith(".json"):
        place = where if where == path else fault_location(where)
        return answer(status, message, kind=kind, where=place, hint=hint, findings=found)
    said = message_of(message, str(request.app.state.bench.home))
    if request.headers.get("hx-request"):
        text = " ".join(part for part in (said, advice_of(hint)) if part)
        return Response(text, status, media_type="text/plain")
    title = fault_title(said)
    return page(
        request,
        "fault",
        title=title or status_title(status),
        status=status,
        message="" if title else said,
        where=where if where == path else fault_location(where),
        hint=advice_of(hint) or (_GONE if status == HTTPStatus.NOT_FOUND else ""),
        onward=onward or onward_of(path, pages_of(request).navigation),
    )
