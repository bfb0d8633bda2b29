"""Errors as people and programs see them: what, where, what to do; never a stack trace."""

import logging
import secrets

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from benchmaker.errors import BenchmakerError, Conflict, PrerequisiteError, StoreError
from benchmaker.web.rendering import page

_LOG = logging.getLogger("benchmaker.web")
_MESSAGES = {
    404: ("There is no such page.", "Go on from the navigation above."),
    405: ("This address does not take that.", "Use the page's own buttons."),
    413: ("That is larger than what is taken here.", "Use the command line for large files."),
}


class Missing(BenchmakerError):
    """What the address names is not stored."""


def add_fault_pages(app: FastAPI) -> None:
    """Let every error be answered in one shape."""
    app.add_exception_handler(BenchmakerError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


_STATUS: tuple[tuple[type[BenchmakerError], int], ...] = (
    (Missing, 404),
    (Conflict, 409),
    (PrerequisiteError, 424),
    (StoreError, 503),
)


def _status(error: BenchmakerError) -> int:
    if isinstance(error, StoreError) and error.message.startswith("there is no"):
        return 404
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)


def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, BenchmakerError)  # noqa: S101  what it was registered for
    return _answer(request, _status(error), error.message, error.where, error.hint)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  what it was registered for
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return _answer(request, 422, str(first["msg"]), where, "Mend it and send it again.")


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  what it was registered for
    message, hint = _MESSAGES.get(error.status_code, (str(error.detail), ""))
    return _answer(request, error.status_code, message, request.url.path, hint)


def _unexpected(request: Request, error: Exception) -> Response:
    reference = secrets.token_hex(4)
    _LOG.error("reference %s, %s", reference, request.url.path, exc_info=error)
    hint = f"The server's log has the details under reference {reference}."
    return _answer(request, 500, "Something unexpected failed.", request.url.path, hint)


def _answer(request: Request, status: int, message: str, where: str, hint: str) -> Response:
    wants_data = request.url.path.startswith("/api/") or request.url.path.endswith(".json")
    if wants_data:
        error = {"status": status, "message": message, "where": where, "hint": hint}
        body = msgspec.json.encode({"error": error})
        return Response(body, status, media_type="application/json")
    if request.headers.get("hx-request"):
        text = " ".join(part for part in (message, hint) if part)
        return Response(text, status, media_type="text/plain")
    return page(
        request,
        "fault",
        title="This did not work",
        status=status,
        message=message,
        where=where,
        hint=hint,
    )
