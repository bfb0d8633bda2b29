"""Around every request: its id, a line in the log, and a count."""

import logging
import re
import secrets
import time
from typing import Any, Final, Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmaker.engine.trials.log_context import REQUEST

HEADER: Final = "x-request-id"
NO_ROUTE: Final = "none"
"""The route label of a request without a route, or that was refused before routing."""

OTHER: Final = "other"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_KEY: Final = "benchmaker.request_id"
_FIT: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BYTES: Final = 8
_FAILED: Final = 500
QUIET: Final = ("/static/", "/healthz", "/readyz", "/metrics")
"""Routes that are polled; logged at level ``debug`` only."""

_NAMED: Final = {"run": "run_id", "series": "series_id", "job": "job_id"}
"""What an address names that a line repeats; nothing else of an address is written down."""

_LOG = logging.getLogger("benchmaker.web.requests")


class RequestCounter(Protocol):
    """A counter of requests."""

    def request_started(self) -> None:
        """A request came."""
        ...

    def request_finished(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """It is over; ``seconds`` passed until its answer began."""
        ...


class RequestObserver:
    """Gives each request an id, returns it, and logs the outcome.

    A client's own id is kept if it has at most 64 letters, digits, dots, underscores and hyphens.
    Log lines and metrics name the route's template, never the address, which may contain personal
    data.
    """

    def __init__(self, app: ASGIApp, *, counts: RequestCounter | None = None) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[_KEY] = own = _id_of(Headers(scope=scope).get(HEADER, ""))
        REQUEST.set(own)  # a request has a task, and so a context, of its own
        watch = _Watch(send, own)
        if self._counts is not None:
            self._counts.request_started()
        try:
            await self._app(scope, receive, watch.send)
        finally:
            self._log_request(scope, watch)

    def _log_request(self, scope: Scope, watch: "_Watch") -> None:
        route, status, seconds = route_of(scope), watch.status, watch.seconds
        method = scope["method"] if scope["method"] in METHODS else OTHER
        if self._counts is not None:
            self._counts.request_finished(
                method=method, route=route, status=status, seconds=seconds
            )
        fields = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
        _LOG.log(_level(route, status), "request", extra={"fields": fields | _path_ids(scope)})


class _Watch:
    """Sees an answer begin, and signs it."""

    def __init__(self, send: Send, own: str) -> None:
        self._send = send
        self._own = own
        self._began = time.monotonic()
        self._took: float | None = None
        self.status = _FAILED
        """A request that failed before its response began gets 500, further out."""

    @property
    def seconds(self) -> float:
        """Until the answer began; until now, where it did not."""
        return time.monotonic() - self._began if self._took is None else self._took

    async def send(self, message: Message) -> None:
        """Hand a part of the answer on."""
        if message["type"] == "http.response.start":
            self._took, self.status = self.seconds, message["status"]
            MutableHeaders(scope=message)[HEADER] = self._own
        await self._send(message)


def request_id(scope: Scope) -> str:
    """Return the id of a request; empty if it has none."""
    return str(scope.get(_KEY, ""))


def route_of(scope: Scope) -> str:
    """The template of the route that answered, such as ``/runs/{run}``."""
    path = getattr(scope.get("route"), "path", None)
    return str(path) if path else NO_ROUTE


def _id_of(given: str) -> str:
    return given if _FIT.fullmatch(given) else secrets.token_hex(_BYTES)


def _level(route: str, status: int) -> int:
    if status >= _FAILED:
        return logging.WARNING
    return logging.DEBUG if route.startswith(QUIET) else logging.INFO


def _path_ids(scope: Scope) -> dict[str, Any]:
    """The ids in the address, where they look like ids."""
    given: dict[str, Any] = scope.get("path_params") or {}
    found = {_NAMED[name]: str(value) for name, value in given.items() if name in _NAMED}
    return {name: value for name, value in found.items() if _FIT.fullmatch(value)}
