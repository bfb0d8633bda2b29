"""Gemini's own protocol. Source: https://ai.google.dev/api/generate-content."""

from typing import Any
from urllib.parse import quote

import msgspec

from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.gemini_usage import read_gemini_usage
from benchmaker.providers.protocols.sse import Event
from benchmaker.providers.wires.form import (
    Fields,
    WireCall,
    WireError,
    answer_count,
    decode_or_none,
    drop_implausible,
    encode_field,
    token_limit,
    value_of,
)
from benchmaker.record.agent_trial import Wire
from benchmaker.record.usage import Usage

_STATES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    504: "DEADLINE_EXCEEDED",
}
_COUNT, _STREAM, _WHOLE = "countTokens", "streamGenerateContent", "generateContent"


class GeminiForm:
    """Gemini's contents; the model is in the path."""

    wire = Wire.GEMINI

    def url(self, endpoint: Endpoint, call: WireCall, model: str) -> str:
        """Return the address of a call at an endpoint, beside its chat completions."""
        base = endpoint.base_url.rstrip("/").removesuffix("/openai")
        if not base.endswith("/v1beta"):
            base = f"{base.removesuffix('/v1')}/v1beta"
        verb = _COUNT if call.action == "count" else _STREAM if call.is_streamed else _WHOLE
        return f"{base}/models/{quote(model, safe='')}:{verb}"

    def headers(self, endpoint: Endpoint, key: str | None) -> dict[str, str]:
        """Return the header with the key."""
        del endpoint
        return {"x-goog-api-key": key} if key else {}

    def rewrite(self, fields: Fields, model: str, endpoint: Endpoint) -> dict[str, msgspec.Raw]:
        """Return the fields; only a count of tokens may name the model again."""
        del endpoint
        sent = dict(fields)
        inner = value_of(fields, "generateContentRequest")
        if isinstance(inner, dict) and "model" in inner:
            sent["generateContentRequest"] = encode_field({**inner, "model": f"models/{model}"})
        if "model" in sent:
            sent["model"] = encode_field(f"models/{model}")
        return sent

    def output_limit(self, fields: Fields) -> int | None:
        """Return the limit of one candidate times the number of candidates."""
        settings = value_of(fields, "generationConfig")
        if not isinstance(settings, dict):
            return None
        limit = token_limit(settings.get("maxOutputTokens"))
        answers = answer_count(settings.get("candidateCount"))
        return limit and limit * answers

    def whole_usage(self, body: bytes, endpoint: Endpoint) -> Usage | None:
        """Return the usage in a reply of one piece: an object, or an array with a stream's."""
        del endpoint
        reply = decode_or_none(body)
        pieces = reply if isinstance(reply, list) else [reply]
        known = [it["usageMetadata"] for it in pieces if _has_usage(it)]
        return drop_implausible(read_gemini_usage(known[-1])) if known else None

    def stream_usage(self, endpoint: Endpoint) -> "GeminiStreamUsage":
        """Return a reader for one stream."""
        del endpoint
        return GeminiStreamUsage()

    def error(self, failure: WireError) -> bytes:
        """Return a failure as Google reports it."""
        state = _STATES.get(failure.status, "UNAVAILABLE")
        error = {"code": failure.status, "message": failure.message, "status": state}
        return msgspec.json.encode({"error": error})


class GeminiStreamUsage:
    """Reads the pieces of one stream; the counts of each are running totals.

    A stream has events with ``alt=sse`` in the query; otherwise it is one JSON array.
    """

    def __init__(self) -> None:
        self.is_complete = self.is_ended = False
        self._reported: Any = None

    def take(self, event: Event) -> None:
        """Read a piece; the one with a reason to finish is the last."""
        piece = decode_or_none(event.data)
        if not isinstance(piece, dict):
            return
        if _has_usage(piece):
            self._reported = piece["usageMetadata"]
        candidates = piece.get("candidates")
        found = candidates if isinstance(candidates, list) else ()
        is_blocked = isinstance(piece.get("promptFeedback"), dict) and not found
        if is_blocked or any(isinstance(it, dict) and it.get("finishReason") for it in found):
            self.is_complete = self.is_ended = True

    def is_usage_alone(self, event: Event) -> bool:
        """Usage is always reported, so that it is never taken out."""
        del event
        return False

    def usage(self) -> Usage | None:
        """Return the latest counts."""
        return drop_implausible(read_gemini_usage(self._reported))


def _has_usage(piece: Any) -> bool:  # noqa: ANN401  any JSON
    return isinstance(piece, dict) and piece.get("usageMetadata") is not None
