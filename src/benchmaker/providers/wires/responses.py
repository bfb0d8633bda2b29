"""Responses. Source: https://platform.openai.com/docs/api-reference/responses."""

from typing import Any

import msgspec

from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.providers.wires.chat import ChatForm
from benchmaker.providers.wires.form import (
    Fields,
    WireCall,
    count_of,
    decode_or_none,
    drop_implausible,
    encode_field,
    versioned_url,
)
from benchmaker.record.agent_trial import Wire
from benchmaker.record.usage import Usage

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesForm(ChatForm):
    """Responses; cached tokens lie inside the input's, reasoning inside the output's."""

    wire = Wire.RESPONSES

    def url(self, endpoint: Endpoint, call: WireCall, model: str) -> str:
        """Return the address of a call at an endpoint."""
        del call, model
        return versioned_url(endpoint, "/responses")

    def rewrite(self, fields: Fields, model: str, endpoint: Endpoint) -> dict[str, msgspec.Raw]:
        """Return the fields with this model; streams report usage anyway."""
        del endpoint
        return {**fields, "model": encode_field(model)}

    def output_limit(self, fields: Fields) -> int | None:
        """Return the limit of output tokens."""
        return count_of(fields, "max_output_tokens")

    def whole_usage(self, body: bytes, endpoint: Endpoint) -> Usage | None:
        """Return the usage in a reply of one piece."""
        del endpoint
        return _usage_in(decode_or_none(body))

    def stream_usage(self, endpoint: Endpoint) -> "ResponsesStreamUsage":  # type: ignore[override]  # another reader of the same protocol
        """Return a reader for one stream."""
        del endpoint
        return ResponsesStreamUsage()


class ResponsesStreamUsage:
    """Reads the events of one stream; the last one has the whole response."""

    def __init__(self) -> None:
        self.is_complete = self.is_ended = False
        self._usage: Usage | None = None

    def take(self, event: Event) -> None:
        """Read an event; only the last one matters."""
        if not any(end.encode() in event.data or event.name == end.encode() for end in _ENDS):
            return
        piece = decode_or_none(event.data)
        if isinstance(piece, dict) and piece.get("type", event.name.decode("latin-1")) in _ENDS:
            self._usage = _usage_in(piece.get("response"))
            self.is_complete = self.is_ended = True

    def is_usage_alone(self, event: Event) -> bool:
        """Usage never comes alone."""
        del event
        return False

    def usage(self) -> Usage | None:
        """Return the report of the last event."""
        return self._usage


def _usage_in(response: Any) -> Usage | None:  # noqa: ANN401  any JSON
    if not isinstance(response, dict) or not isinstance(reported := response.get("usage"), dict):
        return None
    return drop_implausible(read_usage({"input_tokens_details": {}, **reported}))
