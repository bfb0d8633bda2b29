"""Routes of the API: oversized requests are refused early, responses are typed."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Final, ParamSpec

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from benchmaker.web.accounts.audit import note_made
from benchmaker.web.accounts.enforcement import require_permission
from benchmaker.web.form_body import FORM_BYTES, UPLOAD_BYTES
from benchmaker.web.workbench import Workbench

PREFIX: Final = "/api/v1"
JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
EVENTS: Final = "text/event-stream"

_GIVES: Final = "gives"
P = ParamSpec("P")
Handler = Callable[P, Any]


class ResponseSpec(msgspec.Struct, frozen=True):
    """The successful response of a route.

    ``shape`` is the type of the JSON, or of the data of each event; None for other texts.
    """

    status: int
    shape: Any = None
    media: str = JSON
    says: str = "Done."


def response_spec_of(route: APIRoute) -> ResponseSpec:
    """Return the response of an API route."""
    found: ResponseSpec = vars(route.endpoint)[_GIVES]
    return found


class GuardedRoute(APIRoute):
    """A route that checks permissions, and size and type of the body, before reading it.

    Objects created according to its answer are noted for the audit log.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler behind that look."""
        handler = super().get_route_handler()
        media = self._media()

        async def handle(request: Request) -> Response:
            await require_permission(request)  # before anything is read
            if media:
                _refuse_odd(request, media)
            answer = await handler(request)
            note_made(request, answer)
            return answer

        return handle

    def _media(self) -> str:
        extra = (self.openapi_extra or {}).get("requestBody")
        if extra:
            return str(next(iter(extra["content"])))
        return JSON if self.body_field else ""


def _refuse_odd(request: Request, media: str) -> None:
    """Refuse another type than the route takes, too much, and what does not say how much it is."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media:
        raise HTTPException(415, f"This takes {media}, not {given or 'an unnamed type'}.")
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal()):
        raise HTTPException(411, "The size of what is sent must be known.")
    if int(length[:20]) > (UPLOAD_BYTES if media == FORM else FORM_BYTES):
        raise HTTPException(413)


class Api:
    """The routes of one part of the API."""

    def __init__(self, tag: str) -> None:
        self.router = APIRouter(prefix=PREFIX, tags=[tag], route_class=GuardedRoute)

    def get(self, path: str, shape: Any, **options: Any) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type; for the router
        """A route that reads, and answers with JSON of that shape."""
        return self._route(
            "GET", path, ResponseSpec(200, shape, says="The requested object."), options
        )

    def post(
        self,
        path: str,
        shape: Any,  # noqa: ANN401  a type
        *,
        status: int = 200,
        **options: Any,  # noqa: ANN401  for the router
    ) -> Callable[[Handler[P]], Handler[P]]:
        """A route that makes or begins something."""
        return self._route("POST", path, ResponseSpec(status, shape), options)

    def put(self, path: str, shape: Any, **options: Any) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type; for the router
        """Declare a route that replaces a resource."""
        return self._route("PUT", path, ResponseSpec(200, shape), options)

    def patch(self, path: str, shape: Any, **options: Any) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type; for the router
        """A route that changes some fields."""
        return self._route("PATCH", path, ResponseSpec(200, shape), options)

    def delete(self, path: str, shape: Any, **options: Any) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type; for the router
        """A route that deletes something."""
        return self._route("DELETE", path, ResponseSpec(200, shape, says="Deleted."), options)

    def text(self, path: str, media: str) -> Callable[[Handler[P]], Handler[P]]:
        """A route that answers with a text of that type, as the handler made it."""
        return self._file_route(path, ResponseSpec(200, media=media, says="The file."))

    def file(self, path: str, media: str, shape: Any = None) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type
        """A route that answers with a file of that type; ``shape`` is that of a JSON file."""
        return self._file_route(path, ResponseSpec(200, shape, media, "The file."))

    def image(self, path: str, media: str) -> Callable[[Handler[P]], Handler[P]]:
        """A route that answers with a picture of that type."""
        return self._file_route(path, ResponseSpec(200, media=media, says="The image."))

    def events(self, path: str, shape: Any) -> Callable[[Handler[P]], Handler[P]]:  # noqa: ANN401  a type
        """A route that answers with a stream of events, whose data are of that shape."""
        return self._file_route(
            path, ResponseSpec(200, shape, EVENTS, "Events, until nothing more comes.")
        )

    def _file_route(self, path: str, gives: ResponseSpec) -> Callable[[Handler[P]], Handler[P]]:
        def add(handler: Handler[P]) -> Handler[P]:
            self._add("GET", path, handler, gives, {})
            return handler

        return add

    def _route(
        self, method: str, path: str, gives: ResponseSpec, options: dict[str, Any]
    ) -> Callable[[Handler[P]], Handler[P]]:
        hides = options.pop("hides", True)

        def add(handler: Handler[P]) -> Handler[P]:
            self._add(
                method, path, _json_handler(handler, gives.status, hides=hides), gives, options
            )
            return handler

        return add

    def _add(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        gives: ResponseSpec,
        options: dict[str, Any],
    ) -> None:
        vars(endpoint)[_GIVES] = gives
        self.router.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=gives.status,
            response_model=None,
            response_class=Response,
            **options,
        )


def _json_handler(
    handler: Callable[..., Any], status: int, *, hides: bool
) -> Callable[..., Response]:
    """The handler with its result as JSON, secrets taken out unless it is to be sent back whole."""

    @wraps(handler)
    def handle(*args: Any, **named: Any) -> Response:  # noqa: ANN401  the handler's own
        bench: Workbench = named["bench"]
        made = msgspec.to_builtins(handler(*args, **named))
        document = bench.redactor.tree(made) if hides else made
        return Response(msgspec.json.encode(document), status, media_type=JSON)

    return handle
