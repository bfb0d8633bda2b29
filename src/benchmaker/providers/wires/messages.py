"""Anthropic's messages. Source: https://docs.anthropic.com/en/api/messages."""

from typing import Any

import msgspec

from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.anthropic import VERSION, known_counts, merge_counts
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.providers.wires.form import (
    Fields,
    WireCall,
    WireError,
    bearer_header,
    count_of,
    decode_or_none,
    drop_implausible,
    encode_field,
    versioned_url,
)
from benchmaker.record.agent_trial import Wire
from benchmaker.record.usage import Usage

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
}


class MessagesForm:
    """Messages; all kinds of tokens are reported apart."""

    wire = Wire.MESSAGES

    def url(self, endpoint: Endpoint, call: WireCall, model: str) -> str:
        """Return the address of a call at an endpoint."""
        del model
        path = "/messages/count_tokens" if call.action == "count" else "/messages"
        return versioned_url(endpoint, path)

    def headers(self, endpoint: Endpoint, key: str | None) -> dict[str, str]:
        """Return the headers with the key and the version."""
        version = {"anthropic-version": VERSION}
        if endpoint.protocol == "openai":
            return {**version, **bearer_header(key)}
        return {**version, "x-api-key": key} if key else version

    def rewrite(self, fields: Fields, model: str, endpoint: Endpoint) -> dict[str, msgspec.Raw]:
        """Return the fields with this model; streams report usage anyway."""
        del endpoint
        return {**fields, "model": encode_field(model)}

    def output_limit(self, fields: Fields) -> int | None:
        """Return the limit of output tokens."""
        return count_of(fields, "max_tokens")

    def whole_usage(self, body: bytes, endpoint: Endpoint) -> Usage | None:
        """Return the usage in a reply of one piece."""
        del endpoint
        reply = decode_or_none(body)
        return _usage(reply.get("usage")) if isinstance(reply, dict) else None

    def stream_usage(self, endpoint: Endpoint) -> "MessagesStreamUsage":
        """Return a reader for one stream."""
        del endpoint
        return MessagesStreamUsage()

    def error(self, failure: WireError) -> bytes:
        """Return a failure as Anthropic reports it."""
        kind = _KINDS.get(failure.status, "api_error")
        error = {"type": kind, "message": failure.message}
        return msgspec.json.encode({"type": "error", "error": error})


class MessagesStreamUsage:
    """Reads the events of one stream; the counts of each are running totals."""

    def __init__(self) -> None:
        self.is_complete = self.is_ended = False
        self._reported: Any = None

    def take(self, event: Event) -> None:
        """Read an event; pieces of content are not looked at."""
        if b'"message_' not in event.data:
            return
        piece = decode_or_none(event.data)
        match piece:
            case {"type": "message_start", "message": {"usage": usage}}:
                self._reported = known_counts(usage)
            case {"type": "message_delta"}:
                if piece.get("usage") is not None:
                    self._reported = merge_counts(self._reported, known_counts(piece["usage"]))
                self.is_complete = True
            case {"type": "message_stop"}:
                self.is_complete = self.is_ended = True
            case _:
                pass

    def is_usage_alone(self, event: Event) -> bool:
        """Usage never comes alone."""
        del event
        return False

    def usage(self) -> Usage | None:
        """Return the latest counts."""
        return _usage(self._reported, is_known=True)


def _usage(reported: Any, *, is_known: bool = False) -> Usage | None:  # noqa: ANN401  any JSON
    counts = reported if is_known else known_counts(reported)
    return drop_implausible(read_usage(counts))
