"""The checks before every page: host, origin, session, and security headers."""

import logging
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmaker.errors import BenchmakerError
from benchmaker.web.access import COOKIE, DEFAULT_PORT, TOKEN_WORD, Access
from benchmaker.web.accounts.audit import Audit
from benchmaker.web.accounts.authentication import Authenticator
from benchmaker.web.accounts.cache_validators import sign
from benchmaker.web.accounts.streams import GuardedStream
from benchmaker.web.error_body import plain_answer

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
_ALWAYS_HTTPS: Final = {"strict-transport-security": "max-age=31536000"}
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITE: Final = frozenset({"same-origin", "none"})
_OPEN: Final = "/static/"
_FOR_ALL: Final = ("/agentic", "/api/v1/agentic")
"""Where anybody may read, where a team shows its boards."""

_FOR_PROGRAMS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Without a session; what they tell names nothing that is stored."""

_UNWRITTEN: Final = (
    "The change may be made, but the audit log could not be written. Check before you repeat it."
)
_LOG = logging.getLogger("benchmaker.web")


class Guard:
    """Refuses requests that none of our pages would send, before anything else.

    A foreign Host header is refused (another site's name may point to this machine), and so are
    cross-origin requests that change something. Access is decided by ``signed`` if there are
    accounts, otherwise by ``access``.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: tuple[str, ...],
        access: Access,
        signed: Authenticator | None = None,
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._access = access
        self._signed = signed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if scope["method"] == "HEAD" and scope["path"].startswith(_FOR_ALL):
            scope = {**scope, "method": "GET"}  # the server leaves the body out
        refusal = self._refusal(scope, headers) or await self._access_refusal(scope, headers)
        answer = refusal or self._app
        lasting = send
        if self._signed is not None:
            lasting = GuardedStream(self._signed, scope, headers, send).send
        await answer(scope, receive, self._with_headers(scope, receive, lasting))

    async def _access_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to callers without access; public paths are not checked."""
        if scope["path"].startswith(_OPEN) or scope["path"] in _FOR_PROGRAMS:
            return None
        if self._signed is not None and await self._signed.is_on():
            return await self._signed.challenge(scope, headers)
        return self._session(scope, headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return plain_answer(
                scope["path"],
                421,
                "This server does not accept that host name. Use the address that it printed.",
            )
        if scope["method"] in _SAFE:
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_foreign = site is not None and site not in _OWN_SITE
        if is_foreign or (origin is not None and origin.partition("://")[2].lower() != host):
            return plain_answer(scope["path"], 403, "Requests from another origin are refused.")
        return None

    def _session(self, scope: Scope, headers: Headers) -> Response | None:
        """Return an answer instead of the page: a new session, or a refusal."""
        words = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in words if name == TOKEN_WORD]
        if tokens and (cookie := self._access.open_session(tokens[-1])):
            rest = urlencode([(name, value) for name, value in words if name != TOKEN_WORD])
            answer = RedirectResponse(f"{scope['path']}{'?' if rest else ''}{rest}", 303)
            answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/")
            return answer
        if self._access.allows(_cookie(headers)):
            return None
        return plain_answer(
            scope["path"],
            401,
            "No session. Open the address with the token that `benchmaker serve` printed. A token "
            "opens one session; print another address with: "
            f"benchmaker serve --link{_port_option(scope)}",
        )

    def _with_headers(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """Return a send function that adds common headers, once changes are in the audit log."""
        https = _ALWAYS_HTTPS if self._signed is not None and self._signed.is_https(scope) else {}

        async def send_signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                rate = scope.get("state", {}).get("rate")
                rate_headers = rate.headers() if rate else {}
                for name, value in {**_HEADERS, **https, **rate_headers}.items():
                    headers.setdefault(name, value)
                sign(scope, message["status"], headers)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if self._signed is None:
            return send_signed
        return _AuditedSend(self._signed.audit, scope, receive, send_signed).send


class _AuditedSend:
    """Writes changes to the audit log before the answer is sent; on failure sends an error."""

    def __init__(self, audit: Audit, scope: Scope, receive: Receive, send: Send) -> None:
        self._audit = audit
        self._scope = scope
        self._receive = receive
        self._send = send
        self._is_replaced = False

    async def send(self, message: Message) -> None:
        """Hand a part of the answer on."""
        if message["type"] == "http.response.start":
            try:
                await self._audit.record(
                    self._scope, message["status"], Headers(raw=message["headers"])
                )
            except BenchmakerError as exc:
                self._is_replaced = True
                _LOG.error("a change could not be written into the audit log: %s", exc)
                answer = plain_answer(self._scope["path"], 503, _UNWRITTEN)
                await answer(self._scope, self._receive, self._send)
        if not self._is_replaced:
            await self._send(message)


def _port_option(scope: Scope) -> str:
    """Return the option for the port of the server, if it is not the default."""
    port = (scope.get("server") or (None, DEFAULT_PORT))[1]
    return "" if port == DEFAULT_PORT else f" --port {port}"


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return found.value if found else None
