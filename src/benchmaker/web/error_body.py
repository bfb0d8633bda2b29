"""The API's error body: one shape for all errors."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

import msgspec
from starlette.responses import Response

ROOT = "/api/"
"""The path prefix under which responses are data, including errors."""


class Found(msgspec.Struct, frozen=True):
    """One of several faults: the value, its place (a field, or file, line and column), the remedy.

    ``where`` and ``hint`` may be empty.
    """

    message: str
    where: str = ""
    hint: str = ""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault, its place, and the remedy.

    ``type`` is the error's name as on the command line, or that of the HTTP status. ``findings``
    lists every fault of the request, if there are several.
    """

    type: str
    status: int
    message: str
    where: str = ""
    hint: str = ""
    findings: Sequence[Found] = ()


class Error(msgspec.Struct, frozen=True):
    """The body of every answer that is an error."""

    error: Fault


def answer(
    status: int,
    message: str,
    *,
    kind: str = "",
    where: str = "",
    hint: str = "",
    findings: Sequence[Found] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error as JSON; without a ``kind`` that of the status."""
    fault = Fault(
        type=kind or _phrase(status),
        status=status,
        message=message,
        where=where,
        hint=hint,
        findings=findings,
    )
    body = msgspec.json.encode(Error(fault))
    return Response(body, status, headers=headers, media_type="application/json")


def plain_answer(
    path: str, status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """An error that no page is drawn for: as data under the API, else as a line of text."""
    if path.startswith(ROOT):
        return answer(status, message, headers=headers)
    return Response(f"{message}\n", status, headers=headers, media_type="text/plain")


def _phrase(status: int) -> str:
    return "".join(word.capitalize() for word in HTTPStatus(status).phrase.split())
