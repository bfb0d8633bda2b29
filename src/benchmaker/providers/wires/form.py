"""The interface of a wire, and the parts that all wires share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import msgspec

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.partial_answer import read_live_usage
from benchmaker.providers.protocols.sse import Event
from benchmaker.record.agent_trial import Wire
from benchmaker.record.usage import Usage
from benchmaker.spec.suites.parameters import MOST_OUTPUT_TOKENS

Fields = Mapping[str, msgspec.Raw]
"""The top-level fields of a request, each as the bytes that were received."""

_MOST_ANSWERS = 1_000
"""More answers than any endpoint gives to one request."""

_ERROR_EVENTS = frozenset({"error", "response.failed"})
_FAILURES, _BAD_GATEWAY = range(400, 600), 502

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_any = msgspec.json.decode


class WireCall(NamedTuple):
    """The meaning of a path: ``action`` is ``generate``, ``count`` or ``models``.

    ``model`` is the name in the path, empty where the body has it. ``is_streamed`` is None where
    the body decides.
    """

    wire: Wire
    action: str
    model: str = ""
    is_streamed: bool | None = None


@dataclass(frozen=True, slots=True)
class WireError:
    """A failure that the gateway reports itself: HTTP status and sentence."""

    status: int
    message: str


class StreamUsage(Protocol):
    """Reads the usage and the end from the events of one stream.

    ``is_complete`` is true once the answer is whole, ``is_ended`` once nothing is to follow.
    """

    is_complete: bool
    is_ended: bool

    def take(self, event: Event) -> None:
        """Read an event; one that is not understood changes nothing."""
        ...

    def is_usage_alone(self, event: Event) -> bool:
        """True if the event brings usage and nothing else."""
        ...

    def usage(self) -> Usage | None:
        """Return the usage so far; None without a report."""
        ...


class WireForm(Protocol):
    """One wire."""

    wire: Wire

    def url(self, endpoint: Endpoint, call: WireCall, model: str) -> str:
        """Return the address of a call at an endpoint."""
        ...

    def headers(self, endpoint: Endpoint, key: str | None) -> dict[str, str]:
        """Return the headers with the key, and the required ones."""
        ...

    def rewrite(self, fields: Fields, model: str, endpoint: Endpoint) -> dict[str, msgspec.Raw]:
        """Return the fields to send: with this model, and with usage requested in streams."""
        ...

    def output_limit(self, fields: Fields) -> int | None:
        """Return the limit of output tokens over all answers in a request; None without one.

        Raises:
            SpecError: the number of answers is impossible.
        """
        ...

    def whole_usage(self, body: bytes, endpoint: Endpoint) -> Usage | None:
        """Return the usage in a reply of one piece; None without a report."""
        ...

    def stream_usage(self, endpoint: Endpoint) -> StreamUsage:
        """Return a reader for one stream."""
        ...

    def error(self, failure: WireError) -> bytes:
        """Return a failure as the wire's endpoint would report it."""
        ...


def read_fields(body: bytes) -> dict[str, msgspec.Raw]:
    """Return the top-level fields of a request.

    Raises:
        SpecError: the body is not a JSON object.
    """
    try:
        return _fields(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise SpecError(f"the request is not a JSON object: {exc}.") from exc


def value_of(fields: Fields, name: str) -> Any:  # noqa: ANN401  any JSON
    """Return the decoded value of a field; None if it is missing or invalid."""
    return decode_or_none(fields.get(name, b"null"))


def decode_or_none(data: bytes | msgspec.Raw) -> Any:  # noqa: ANN401  any JSON
    """Return the decoded JSON; None if it is invalid."""
    try:
        return _any(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def is_error_report(reply: Any) -> bool:  # noqa: ANN401  any JSON
    """True if a reply, or an event of a stream, reports a failure in place of an answer.

    So some proxies do with status 200; endpoints do in the middle of a stream.
    """
    if isinstance(reply, list):
        return any(map(is_error_report, reply))
    if not isinstance(reply, dict):
        return False
    return bool(reply.get("error")) or reply.get("type") in _ERROR_EVENTS


def reported_status(reply: Any) -> int:  # noqa: ANN401  any JSON
    """Return the HTTP status that a reported failure names as its code; 502 without one."""
    first = next(filter(is_error_report, reply), None) if isinstance(reply, list) else reply
    error = first.get("error") if isinstance(first, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int and code in _FAILURES else _BAD_GATEWAY


def count_of(fields: Fields, *names: str) -> int | None:
    """Return the first of these fields that is a positive whole number, at most a million.

    No known model writes more, whatever a request allows.
    """
    found = (token_limit(value_of(fields, name)) for name in names)
    return next((it for it in found if it is not None), None)


def token_limit(value: Any) -> int | None:  # noqa: ANN401  any JSON
    """Return a limit of tokens, at most a million; None if the value is none."""
    return min(value, MOST_OUTPUT_TOKENS) if type(value) is int and value > 0 else None


def answer_count(value: Any) -> int:  # noqa: ANN401  any JSON
    """Return the number of answers that a request asks for; None is 1.

    Raises:
        SpecError: no endpoint gives this number.
    """
    if value is None:
        return 1
    if type(value) is not int or not 0 < value <= _MOST_ANSWERS:
        raise SpecError(f"the number of answers must be a whole number from 1 to {_MOST_ANSWERS:,}")
    return value


def encode_field(value: Any) -> msgspec.Raw:  # noqa: ANN401  plain data
    """Return plain data as the JSON of a field."""
    return msgspec.Raw(msgspec.json.encode(value))


def versioned_url(endpoint: Endpoint, path: str) -> str:
    """Return the address of a path below ``/v1``, which base URLs of protocol openai include."""
    return endpoint.url(path if endpoint.protocol == "openai" else f"/v1{path}")


def bearer_header(key: str | None) -> dict[str, str]:
    """Return the key as most endpoints expect it."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def drop_implausible(usage: Usage | None) -> Usage | None:
    """Return the usage without counts that can't be true of an answer."""
    if usage is None or usage.flags or usage.input_tokens is None:
        return usage
    kinds = {name: getattr(usage, name) for name in usage.__struct_fields__ if name != "flags"}
    return read_live_usage(kinds, has_text=False)
