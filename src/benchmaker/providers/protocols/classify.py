"""Converts failed replies to errors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
)
from benchmaker.providers.network.retry_after import duration_s, retry_after_s

EXCERPT = 400
"""Maximum number of characters kept of a failure's text."""

_QUOTA = re.compile(
    r"insufficient[ _](?:quota|balance|credits?|funds)|exceeded your current quota|credit balance"
    r"|\bbilling\b|out of credits|no credits|used all available credits|spending limit",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"context[ _]length|context[ _]window|context size|maximum context|prompt is too long"
    r"|(?:input|prompt|message)s? (?:is|are) too long|too many (?:input )?tokens"
    r"|input token count.{0,80}exceeds|exceeds? the (?:model'?s? )?max(?:imum)?.{0,40}tokens"
    r"|reduce the length|string_above_max_length",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[ _](?:filter|policy|management)|responsibleai|content exists risk|invalid_prompt"
    r"|usage policy|safety (?:system|filter|settings)|moderation|flagged",
    re.IGNORECASE,
)
_OBJECTION = re.compile(r"unsupported|unrecogni[sz]ed|unknown|invalid value", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:style|script)\b.{0,4000}?</\w{0,9}>|<[^<>]{0,400}>", re.DOTALL)
_LAST_WORD = re.compile(r"\S*\Z")
_PER_MINUTE = re.compile(r"tokens per (?:minute|day)|\bTPM\b|\bTPD\b")
_CODES = {
    "rate_limit_exceeded": 429, "rate_limit_error": 429, "rate_limited": 429,
    "resource_exhausted": 429, "too_many_requests": 429, "requests": 429, "tokens": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529, "overloaded": 529,
    "api_error": 500, "server_error": 500, "internal_error": 500, "internal_server_error": 500,
    "internal": 500, "timeout_error": 504, "timeout": 504, "gateway_timeout": 504,
    "deadline_exceeded": 504, "bad_gateway": 502,
    "service_unavailable": 503, "unavailable": 503, "service_unavailable_error": 503,
    "invalid_request_error": 400, "bad_request": 400, "invalid_argument": 400,
    "context_length_exceeded": 400, "content_filter": 400, "content_policy_violation": 400,
    "request_too_large": 413, "not_found_error": 404, "model_not_found": 404, "not_found": 404,
    "authentication_error": 401, "invalid_api_key": 401, "unauthenticated": 401,
    "unauthorized": 401, "permission_error": 403, "permission_denied": 403, "forbidden": 403,
    "billing_error": 402, "payment_required": 402,
}  # fmt: skip
_RETRIED = frozenset({408, 409, 425, 429, 498, 500, 502, 503, 504, 529, *range(520, 528)})
_NO_ANSWER = frozenset(range(200, 300))
_HINTS = {
    301: "Redirects are not followed. Correct the base URL.",
    404: "Check the model name and the base URL. List models with: benchmaker models",
}


@dataclass(frozen=True, slots=True)
class ProviderFault:
    """A provider's failure: its text, and the words and numbers of its codes."""

    text: str = ""
    codes: tuple[str, ...] = ()
    retry_after_s: float | None = None

    @property
    def status(self) -> int | None:
        """The HTTP status for its codes; None if they have none."""
        numbers = (int(code) for code in self.codes if code.isdigit() and len(code) == 3)  # noqa: PLR2004  of an HTTP status
        known = (_CODES[word] for code in self.codes if (word := code.casefold()) in _CODES)
        return next((n for n in numbers if 400 <= n <= 599), None) or next(known, None)  # noqa: PLR2004  failures


def fault_in(body: bytes) -> ProviderFault | None:
    """Return the failure reported by a JSON body; None if it names no error."""
    try:
        data = msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return fault_of(data)


def fault_of(data: Any) -> ProviderFault | None:  # noqa: ANN401  any JSON
    """Return the failure reported by plain data; None if it names no error."""
    if isinstance(data, list) and data:
        data = data[0]  # Google's
    if not isinstance(data, Mapping):
        return None
    error = data.get("error") or (data if data.get("object") == "error" else None)
    if isinstance(error, str):
        return ProviderFault(error)
    if isinstance(error, Mapping):
        return _fault(error)
    return None


def failure(
    status: int,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    *,
    host: str,
    now: datetime | None = None,
) -> ProviderError:
    """Return the error for a reply that is not an answer.

    The message contains the start of the provider's text; remove secrets before storing it.
    """
    fault = fault_in(body) or ProviderFault(_other_text(body))
    waits = retry_after_s(headers or {}, now)
    error = failure_for_status(status, fault, host=host, retry_after_s=waits)
    said = (headers or {}).get("x-should-retry")
    if said in {"true", "false"} and error.scope == "request":
        error.is_retryable = said == "true"
    return error


def reported_failure(
    fault: ProviderFault, *, host: str, otherwise: type[ProviderError]
) -> ProviderError:
    """Return the error for a failure reported inside an answer: in a stream, with status 200.

    It is classified by the HTTP status that it names; ``otherwise`` is used if it names none.
    """
    status = fault.status
    if status is None and (_QUOTA.search(fault.text) or _CONTEXT.search(fault.text)):
        status = 400
    if status is not None:
        return failure_for_status(status, fault, host=host)
    message = excerpt(fault.text) or "no message"
    return otherwise(f"{host} reported an error: {message}", is_retryable=True)


def failure_for_status(
    status: int, fault: ProviderFault, *, host: str, retry_after_s: float | None = None
) -> ProviderError:
    """Return the error for a status and its text."""
    waits = fault.retry_after_s if retry_after_s is None else retry_after_s
    kind = _kind(status, fault, is_wait_named=waits is not None)
    message = excerpt(fault.text)
    hint = _HINTS.get(301 if 300 <= status < 400 else status, "")  # noqa: PLR2004  redirects
    return kind(
        f"{host} answered HTTP {status}: {message}"
        if message
        else f"{host} answered HTTP {status}.",
        hint=hint if kind is ProviderError else "",
        status=status,
        retry_after_s=waits,
        is_retryable=status in _RETRIED if kind is ProviderError else None,
    )


def excerpt(text: str) -> str:
    """Return the start of a text on one line, without control characters.

    Words are never cut, so that no part of a key remains that redaction would miss.
    """
    start = text[: 4 * EXCERPT]
    words = "".join(c if c.isprintable() else " " for c in start).split()
    if len(text) > len(start):
        words = words[:-1]
    line = " ".join(words)
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT].rpartition(' ')[0]} …".lstrip()


def _kind(status: int, fault: ProviderFault, *, is_wait_named: bool) -> type[ProviderError]:  # noqa: PLR0911  a table with conditions
    said = " ".join((*fault.codes, fault.text))
    if status == 402 or "insufficient_quota" in said:  # noqa: PLR2004  an HTTP status
        return QuotaExhausted
    if status in {400, 403, 429} and not is_wait_named and _QUOTA.search(said):
        return QuotaExhausted
    if status == 429:  # noqa: PLR2004  an HTTP status
        return RateLimited
    if status in {400, 413, 422} and _CONTEXT.search(said) and not _PER_MINUTE.search(said):
        return ContextOverflow
    if status in {400, 403, 422, 451} and _FILTER.search(said):
        return Refused
    if status in {401, 403}:
        return AuthError
    return BadResponse if status in _NO_ANSWER else ProviderError


def _fault(error: Mapping[str, Any]) -> ProviderFault:
    text = error.get("message") or error.get("msg") or ""
    codes: list[Any] = [error.get("code"), error.get("type"), error.get("status")]
    inner = error.get("innererror")
    if isinstance(inner, Mapping):
        codes.append(inner.get("code"))
    return ProviderFault(
        _with_parameter(text if isinstance(text, str) else str(text), error.get("param")),
        tuple(str(code) for code in codes if isinstance(code, (str, int))),
        _retry_delay(error.get("details")),
    )


def _with_parameter(text: str, parameter: Any) -> str:  # noqa: ANN401  any JSON
    """The text with the refused parameter, unless it names it."""
    is_named = not isinstance(parameter, str) or not parameter or parameter in text
    return text if is_named or not _OBJECTION.match(text) else f"{text} ({parameter})"


def _retry_delay(details: Any) -> float | None:  # noqa: ANN401  any JSON
    """Google says it in the body: ``{"@type": "…RetryInfo", "retryDelay": "31s"}``."""
    if not isinstance(details, list):
        return None
    delays = (item.get("retryDelay") for item in details if isinstance(item, Mapping))
    return next((duration_s(delay) for delay in delays if isinstance(delay, str)), None)


def _other_text(body: bytes) -> str:
    """A body's text where it names no error: ``message``, ``detail``, or all of it."""
    text = body[: 10 * EXCERPT].decode("utf-8", "replace")
    if len(body) > 10 * EXCERPT:
        text = _LAST_WORD.sub("", text)
    if not text.lstrip().startswith(("{", "[")):
        return _MARKUP.sub(" ", text)
    try:
        data = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return text
    for name in ("message", "detail", "title"):
        if isinstance(data, Mapping) and isinstance(said := data.get(name), str):
            return said
    return text
