"""The OpenAPI document: request types from FastAPI, and our response types."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from benchmaker.version import __version__
from benchmaker.web.access import COOKIE
from benchmaker.web.accounts.cookies import SIGNED
from benchmaker.web.api.routes import EVENTS, JSON, ResponseSpec, response_spec_of
from benchmaker.web.document_shapes import shape_of
from benchmaker.web.error_body import Error

_REF: Final = "#/components/schemas/{name}"
_UNUSED: Final = ("HTTPValidationError", "ValidationError")

TAGS: Final = {
    "system": "The server, its data folder, endpoints, prices and profiles.",
    "suites": "Suites and their cases; every change creates a new version by content hash.",
    "runs": "Runs and series: questions, answers and scores. `{run}` is a run's id or its first "
    "characters, a series, or `latest`, as on the command line.",
    "jobs": "Background jobs: their state, and their progress as server-sent events.",
    "comparison": "Comparisons and rankings of models, and the number of cases a comparison needs.",
    "judges": "Judges, their calibrations, and people's labels of answers.",
    "code": "Runs with generated pages: code, reports, screenshots, blind votes, standings.",
    "agentic": "Submissions of coding agents, tasks, boards, baselines, reviews.",
}
"""The sections of the API, in order."""

ERRORS: Final = {
    400: "The body is not valid JSON or not valid UTF-8.",
    401: "There is no session.",
    403: "The request comes from another origin, or your role or token doesn't allow it.",
    404: "Not found.",
    405: "This path does not allow the method.",
    409: "The object is in use by other work, or has changed in the meantime.",
    411: "The request has no Content-Length.",
    413: "The body is larger than the limit.",
    415: "The body's media type is not supported.",
    421: "The server does not accept this host name.",
    422: "A value is invalid; the error names the field and the remedy.",
    424: "A requirement is missing: a key, a program or an installed model.",
    429: "Too many requests; wait for the time in `Retry-After`.",
    500: "An unexpected error; the server's log has the details under the reference given.",
    503: "The store is unavailable or the server is overloaded; try again.",
}
"""The description of each error status."""

_ALWAYS: Final = (401, 403, 404, 405, 409, 421, 422, 424, 429, 500, 503)
_WITH_BODY: Final = (400, 411, 413, 415)

_ABOUT: Final = """\
Everything the pages show and do, as JSON, with the field names of the command line's `--json`.

Lists have `items` and `next`: repeat the request with `after=` that value until it is null. Every \
document with scores states their `scale`. Every error has the same shape, `Error`. Unknown values \
are null, never 0. The session is the browser's cookie; open it with the token that `benchmaker \
serve` prints or, on servers with accounts, by signing in. There, a program sends its own token: \
`Authorization: Bearer bm_…`. Requests with changes must come from the server's own origin."""


def document(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The whole document of these routes."""
    made = get_openapi(
        title="Benchmaker",
        version=__version__,
        summary="The JSON API of Benchmaker.",
        description=_ABOUT,
        routes=routes,
        tags=[{"name": name, "description": says} for name, says in TAGS.items()],
    )
    given = dict(_response_specs(routes))
    shapes = [shape_of(gives.shape) for gives in given.values() if gives.shape is not None]
    _, schemas = msgspec.json.schema_components([*shapes, Error], ref_template=_REF)
    parts = made.setdefault("components", {})
    known = {name: it for name, it in parts.get("schemas", {}).items() if name not in _UNUSED}
    parts["schemas"] = dict(sorted({**known, **schemas}.items()))
    parts["securitySchemes"] = {
        "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        "account": {"type": "apiKey", "in": "cookie", "name": SIGNED},
        "token": {"type": "http", "scheme": "bearer"},
    }
    made["security"] = [{"session": []}, {"account": []}, {"token": []}]
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            operation["responses"] = _responses(given[path, method], operation)
    return made


def _response_specs(routes: Sequence[BaseRoute]) -> Iterator[tuple[tuple[str, str], ResponseSpec]]:
    """Yield the response of each route, by path and method."""
    for route in routes:
        if isinstance(route, APIRoute):
            for method in route.methods or ():
                yield (route.path_format, method.lower()), response_spec_of(route)


def _responses(gives: ResponseSpec, operation: dict[str, Any]) -> dict[str, Any]:
    fine = {"description": gives.says, "content": {gives.media: _content(gives)}}
    return {str(gives.status): fine} | {
        str(status): {
            "description": ERRORS[status],
            "content": {JSON: {"schema": _schema(Error)}},
        }
        for status in sorted(_possible_errors(operation))
    }


def _content(gives: ResponseSpec) -> dict[str, Any]:
    """Return the type of an answer; for a stream, also that of each event's data."""
    if gives.media == JSON:
        return {"schema": _schema(gives.shape)}
    if gives.media.startswith(("image/", "application/vnd.")):
        return {"schema": {"type": "string", "format": "binary"}}
    if gives.media == EVENTS:
        return {"schema": {"type": "string"}, "x-event-data": _schema(gives.shape)}
    return {"schema": {"type": "object" if gives.media == "application/yaml" else "string"}}


def _possible_errors(operation: dict[str, Any]) -> set[int]:
    """The errors that an operation may answer with."""
    found = set(_ALWAYS)
    return found | set(_WITH_BODY) if "requestBody" in operation else found


def _schema(shape: Any) -> dict[str, Any]:  # noqa: ANN401  a type
    (schema,), _ = msgspec.json.schema_components([shape_of(shape)], ref_template=_REF)
    return schema
