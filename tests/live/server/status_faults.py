"""Faults that are an HTTP status: limits, quotas, errors, refusals, redirects."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate

from aiohttp import web

from tests.live.server.event import dumped
from tests.live.server.exchange import Exchange
from tests.live.server.fault import BOTH, Fault
from tests.live.server.question import Protocol

HUGE_S = 86_400
METADATA = "http://169.254.169.254/latest/meta-data/"
HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"

Headers = Callable[[Exchange], Mapping[str, str]]


def _nothing(_: Exchange) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Said:
    """What an error says: message, kind and code for each protocol where they differ."""

    message: str
    kind: str = "server_error"
    code: object = None
    anthropic: tuple[str, str] = field(default=("", ""))

    def body(self, exchange: Exchange) -> bytes:
        message, kind = self.message, self.kind
        if exchange.question.protocol == "anthropic" and self.anthropic[0]:
            kind, other = self.anthropic
            message = other or message
        return dumped(exchange.error(message, kind=kind, code=self.code))


def status(
    name: str,
    row: int,
    number: int,
    said: Said,
    *,
    headers: Headers = _nothing,
    protocols: tuple[Protocol, ...] = BOTH,
    anthropic_number: int | None = None,
) -> Fault:
    """A fault that answers with a status and an error body."""

    async def answer(exchange: Exchange) -> web.StreamResponse:
        is_other = exchange.question.protocol == "anthropic" and anthropic_number
        return await exchange.sender.send(
            [said.body(exchange)],
            status=anthropic_number if is_other and anthropic_number else number,
            headers=headers(exchange),
        )

    return Fault(name, row, answer, protocols)


def plain(name: str, row: int, number: int, body: str, *, kind: str = "text/html") -> Fault:
    """A fault that answers with a status and a body that is no error of the protocol."""

    async def answer(exchange: Exchange) -> web.StreamResponse:
        return await exchange.sender.send([body.encode()], status=number, kind=kind)

    return Fault(name, row, answer)


def redirect(name: str, row: int, number: int, where: Callable[[Exchange], str]) -> Fault:
    """A fault that sends the client elsewhere."""

    async def answer(exchange: Exchange) -> web.StreamResponse:
        headers = {"Location": where(exchange)}
        return await exchange.sender.send([b""], status=number, kind="text/plain", headers=headers)

    return Fault(name, row, answer)


def _promise(exchange: Exchange, seconds: float) -> None:
    exchange.sender.journal.promised(exchange.sender.number, seconds)


def after(exchange: Exchange) -> Mapping[str, str]:
    """Retry-After in seconds."""
    seconds = exchange.sender.pace.retry_after_s
    _promise(exchange, seconds)
    return {"Retry-After": str(seconds)}


def after_ms(exchange: Exchange) -> Mapping[str, str]:
    """retry-after-ms, as OpenAI sends it, beside a coarser Retry-After."""
    milliseconds = exchange.sender.pace.retry_after_ms
    _promise(exchange, milliseconds / 1000)
    return {"retry-after-ms": str(milliseconds)}


def after_date(exchange: Exchange) -> Mapping[str, str]:
    """Retry-After as a date, which has whole seconds."""
    now = time.time()
    until = math.ceil(now + exchange.sender.pace.retry_after_s)
    _promise(exchange, until - now)
    return {"Retry-After": formatdate(until, usegmt=True)}


def after_huge(exchange: Exchange) -> Mapping[str, str]:
    """Retry-After tomorrow."""
    _promise(exchange, HUGE_S)
    return {"Retry-After": str(HUGE_S)}


def after_bad(_: Exchange) -> Mapping[str, str]:
    """Retry-After that says nothing."""
    return {"Retry-After": "soon, we hope"}


def limited() -> Said:
    return Said(
        "Rate limit reached for requests.", "requests", "rate_limit_exceeded",
        ("rate_limit_error", "This request would exceed your rate limit."),
    )  # fmt: skip


_QUOTA = Said(
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
    "insufficient_quota",
    ("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
)
_BROKEN = Said("The server had an error.", anthropic=("api_error", "Internal server error"))
_BUSY = Said("The server is overloaded.", anthropic=("overloaded_error", "Overloaded"))
_CONTEXT = Said(
    "This model's maximum context length is 8192 tokens. However, your messages resulted in "
    "10000 tokens. Please reduce the length of the messages.",
    "invalid_request_error",
    "context_length_exceeded",
    ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
)
_FILTER = Said(
    "The response was filtered due to the prompt triggering the content management policy.",
    "invalid_request_error",
    "content_filter",
    ("invalid_request_error", "Output blocked by content filtering policy"),
)
_INVALID = "invalid_request_error"
_NO_KEY = Said(
    "Incorrect API key provided.", _INVALID, "invalid_api_key",
    ("authentication_error", "invalid x-api-key"),
)  # fmt: skip


def _echo(name: str, number: int, message: str, kind: str) -> Fault:
    """A fault whose body, headers and reason repeat the key."""

    async def answer(exchange: Exchange) -> web.StreamResponse:
        key = exchange.question.key
        said = Said(f"{message}: {key}.", kind, "invalid_api_key", (kind, ""))
        return await exchange.sender.send(
            [said.body(exchange)], status=number, headers={"x-request-key": key}
        )

    return Fault(name, 0, answer)


STATUS_FAULTS: tuple[Fault, ...] = (
    status("http_429_after", 1, 429, limited(), headers=after),
    status("http_429_ms", 1, 429, limited(), headers=after_ms),
    status("http_429_date", 1, 429, limited(), headers=after_date),
    status("http_429", 2, 429, limited()),
    status("http_429_huge", 3, 429, limited(), headers=after_huge),
    status("http_429_bad", 4, 429, limited(), headers=after_bad),
    status("http_429_quota", 5, 429, _QUOTA, anthropic_number=400),
    status(
        "http_402", 5, 402,
        Said("Insufficient credits.", "billing", 402, ("billing_error", "")),
    ),
    status("http_500", 6, 500, _BROKEN),
    plain("http_502_html", 6, 502, HTML),
    status("http_503", 6, 503, _BUSY),
    status("http_503_after", 6, 503, _BUSY, headers=after),
    status("http_504", 6, 504, Said("Gateway timeout.", anthropic=("timeout_error", ""))),
    status("http_529", 6, 529, _BUSY),
    status("http_408", 6, 408, Said("Request timeout.", anthropic=("timeout_error", ""))),
    status("http_400", 7, 400, Said("'temperature' is out of range.", _INVALID)),
    status(
        "http_404", 7, 404,
        Said("The model does not exist.", _INVALID, "model_not_found", ("not_found_error", "")),
    ),
    status("http_422", 7, 422, Said("Unprocessable input.", _INVALID)),
    status("http_413", 7, 413, Said("Too large.", _INVALID, None, ("request_too_large", ""))),
    status("http_400_context", 8, 400, _CONTEXT),
    status("http_400_filter", 9, 400, _FILTER),
    status("http_401", 10, 401, _NO_KEY),
    status(
        "http_403", 10, 403,
        Said("Your account is not allowed.", "forbidden", None, ("permission_error", "")),
    ),
    redirect("http_302_loop", 11, 302, lambda _: "/_loop"),
    redirect("http_307_metadata", 11, 307, lambda _: METADATA),
    redirect("http_redirect_other", 0, 307, lambda exchange: exchange.sender.pace.elsewhere),
    status("http_200_error", 12, 200, _BROKEN),
    plain("http_200_html", 12, 200, HTML),
    plain("http_200_empty", 12, 200, "", kind="application/json"),
    plain("http_204", 12, 204, "", kind="application/json"),
    _echo("http_400_echo", 400, "Malformed request with the key", _INVALID),
    _echo("http_401_echo", 401, "Incorrect API key provided", "authentication_error"),
    _echo("http_500_echo", 500, "Upstream refused the key", "api_error"),
)  # fmt: skip
