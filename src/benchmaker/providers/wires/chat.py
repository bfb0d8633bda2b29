"""Chat completions. Source: https://platform.openai.com/docs/api-reference/chat."""

from typing import Any

import msgspec

from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.openai import with_reasoning
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.providers.wires.form import (
    Fields,
    WireCall,
    WireError,
    answer_count,
    bearer_header,
    count_of,
    decode_or_none,
    drop_implausible,
    encode_field,
    value_of,
    versioned_url,
)
from benchmaker.record.agent_trial import Wire
from benchmaker.record.usage import Usage

_DONE = b"[DONE]"
_CODES = {401: "invalid_api_key", 403: "budget_exceeded", 404: "not_found"}


class ChatForm:
    """Chat completions; cached tokens lie inside the prompt's, reasoning inside the completion."""

    wire = Wire.CHAT

    def url(self, endpoint: Endpoint, call: WireCall, model: str) -> str:
        """Return the address of a call at an endpoint."""
        del call, model
        return versioned_url(endpoint, "/chat/completions")

    def headers(self, endpoint: Endpoint, key: str | None) -> dict[str, str]:
        """Return the header with the key."""
        del endpoint
        return bearer_header(key)

    def rewrite(self, fields: Fields, model: str, endpoint: Endpoint) -> dict[str, msgspec.Raw]:
        """Return the fields with this model, and with usage requested in streams."""
        sent = {**fields, "model": encode_field(model)}
        if _reports_on_request(endpoint) and value_of(fields, "stream") is True:
            options = value_of(fields, "stream_options")
            known = options if isinstance(options, dict) else {}
            if not known.get("include_usage"):
                sent["stream_options"] = encode_field({**known, "include_usage": True})
        return sent

    def output_limit(self, fields: Fields) -> int | None:
        """Return the limit of one completion times the number of completions."""
        limit = count_of(fields, "max_completion_tokens", "max_tokens")
        answers = answer_count(value_of(fields, "n"))
        return limit and limit * answers

    def whole_usage(self, body: bytes, endpoint: Endpoint) -> Usage | None:
        """Return the usage in a reply of one piece."""
        reply = decode_or_none(body)
        return _usage(reply.get("usage"), endpoint) if isinstance(reply, dict) else None

    def stream_usage(self, endpoint: Endpoint) -> "ChatStreamUsage":
        """Return a reader for one stream."""
        return ChatStreamUsage(endpoint)

    def error(self, failure: WireError) -> bytes:
        """Return a failure as OpenAI reports it."""
        code = _CODES.get(failure.status, "gateway_error")
        kind = "invalid_request_error" if failure.status < 500 else "server_error"  # noqa: PLR2004  HTTP
        error = {"message": failure.message, "type": kind, "param": None, "code": code}
        return msgspec.json.encode({"error": error})


class ChatStreamUsage:
    """Reads the chunks of one stream; with usage, one of them has no choices."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.is_complete = self.is_ended = False
        self._endpoint = endpoint
        self._reported: Any = None

    def take(self, event: Event) -> None:
        """Read a chunk."""
        if event.data.startswith(_DONE):
            self.is_complete = self.is_ended = True
            return
        chunk = decode_or_none(event.data)
        if not isinstance(chunk, dict):
            return
        if chunk.get("usage") is not None:
            self._reported = chunk["usage"]
        choices = chunk.get("choices") or ()
        if any(isinstance(it, dict) and it.get("finish_reason") for it in choices):
            self.is_complete = True

    def is_usage_alone(self, event: Event) -> bool:
        """True for the chunk that reports usage, which has no choices."""
        if b'"usage"' not in event.data:
            return False
        chunk = decode_or_none(event.data)
        return isinstance(chunk, dict) and bool(chunk.get("usage")) and chunk.get("choices") == []

    def usage(self) -> Usage | None:
        """Return the last report."""
        return _usage(self._reported, self._endpoint)


def _reports_on_request(endpoint: Endpoint) -> bool:
    """True if usage in a stream must be requested; so it is at Anthropic's chat completions."""
    return endpoint.quirks.stream_options or endpoint.protocol == "anthropic"


def _usage(reported: Any, endpoint: Endpoint) -> Usage | None:  # noqa: ANN401  any JSON
    if reported is not None and endpoint.quirks.reasoning_beside:
        reported = with_reasoning(reported)
    return drop_implausible(read_usage(reported))
