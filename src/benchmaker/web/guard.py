"""What stands before every page: host, origin, session, and the headers that shape the page."""

from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmaker.web.access import COOKIE, TOKEN_WORD, Access
from benchmaker.web.error_body import ROOT, answer

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITE: Final = frozenset({"same-origin", "none"})
_OPEN: Final = "/static/"
_FOR_PROGRAMS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Without a session; what they tell names nothing that is stored."""


class Guard:
    """Refuses what no page of ours would send, before anything else looks at it.

    A foreign Host header is refused (another site's name may point to this machine), and so is
    everything that changes something and comes from another origin.
    """

    def __init__(self, app: ASGIApp, *, hosts: tuple[str, ...], access: Access) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._session(scope, headers) or self._app
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return _plain(
                scope,
                421,
                "This server does not answer under that name. Use the address that it printed.",
            )
        if scope["method"] in _SAFE:
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_foreign = site is not None and site not in _OWN_SITE
        if is_foreign or (origin is not None and origin.partition("://")[2].lower() != host):
            return _plain(scope, 403, "A page of another origin may change nothing here.")
        return None

    def _session(self, scope: Scope, headers: Headers) -> Response | None:
        """What to answer instead of the page: a new session, or that there is none."""
        if scope["path"].startswith(_OPEN) or scope["path"] in _FOR_PROGRAMS:
            return None
        words = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in words if name == TOKEN_WORD]
        if tokens and (cookie := self._access.opened(tokens[-1])):
            rest = urlencode([(name, value) for name, value in words if name != TOKEN_WORD])
            answer = RedirectResponse(f"{scope['path']}{'?' if rest else ''}{rest}", 303)
            answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/")
            return answer
        if self._access.allows(_cookie(headers)):
            return None
        return _plain(
            scope,
            401,
            "No session. Open the address with its token that `benchmaker serve` printed; a token "
            "opens one session, and starting the server again prints a new one.",
        )


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return found.value if found else None


def _plain(scope: Scope, status: int, message: str) -> Response:
    if scope["path"].startswith(ROOT):
        return answer(status, message)
    return Response(f"{message}\n", status, media_type="text/plain")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
