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
from benchmaker.web.api.document_shapes import shape_of
from benchmaker.web.api.routes import EVENTS, JSON, ResponseSpec, response_spec_of
from benchmaker.web.error_body import Error

_REF: Final = "#/components/schemas/{name}"
_UNUSED: Final = ("HTTPValidationError", "ValidationError")

TAGS: Final = {
    "system": "The server, its data folder, endpoints, prices, profiles.",
    "suites": "Suites and their cases; every change is a new version by content.",
    "runs": "Runs and series: what was asked, answered and scored. `{run}` is a run's id, the "
    "beginning of one, a series, or `latest`, as on the command line.",
    "jobs": "Work that was asked for: its state, and what comes of it as server-sent events.",
    "comparison": "Models compared, ranked, and how many cases a comparison takes.",
    "judges": "Judges, their calibrations, and what people say of answers.",
    "code": "Runs with generated pages: code, reports, screenshots, blind votes, standings.",
    "agentic": "Submissions of coding agents, tasks, boards, baselines, reviews.",
}
"""The parts of the API, in this order."""

ERRORS: Final = {
    400: "What was sent is no JSON, or no text of UTF-8.",
    401: "There is no session.",
    403: "It comes from a page of another origin, or is more than your role or token may do.",
    404: "There is no such thing.",
    405: "The address does not take this method.",
    409: "It is held by other work, or has changed meanwhile.",
    411: "What was sent does not say how large it is.",
    413: "What was sent is larger than what is taken.",
    415: "What was sent is of another type than is taken.",
    421: "The server does not answer under that name.",
    422: "Something that was sent can't be used; the error names the field and what to do.",
    424: "Something needed is missing: a key, a program, a model that is installed.",
    429: "There were too many requests; wait as long as `Retry-After` says.",
    500: "Something unexpected failed; the server's log has it under the reference that is given.",
    503: "The store can't be used just now, or too much is asked of the server; try again.",
}
"""What each status means where it is an error."""

_ALWAYS: Final = (401, 403, 404, 405, 409, 421, 422, 424, 429, 500, 503)
_WITH_BODY: Final = (400, 411, 413, 415)

_ABOUT: Final = """\
Everything that the pages show and do, as JSON, under the names of the command line's `--json`.

Lists have `items` and `next`: ask again with `after=` that value until it is null. Every document \
that carries scores says their `scale`. Every error has one shape, `Error`. What is not known is \
null, never 0. The session is that of the browser: a cookie, opened by the token that `benchmaker \
serve` prints, or by signing in where there are accounts. There, a program sends a token of its \
own: `Authorization: Bearer bm_…`. What changes something must come from the server's own origin."""


def document(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The whole document of these routes."""
    made = get_openapi(
        title="Benchmaker",
        version=__version__,
        summary="The workbench as JSON.",
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
    if gives.media.startswith("image/"):
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
