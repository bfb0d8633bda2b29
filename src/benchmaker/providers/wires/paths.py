"""The paths of every wire, and the answers to requests for the list of models."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from benchmaker.providers.wires.chat import ChatForm
from benchmaker.providers.wires.form import WireCall, WireForm
from benchmaker.providers.wires.gemini import GeminiForm
from benchmaker.providers.wires.messages import MessagesForm
from benchmaker.providers.wires.responses import ResponsesForm
from benchmaker.record.agent_trial import Wire

FORMS: Final[Mapping[Wire, WireForm]] = {
    Wire.CHAT: ChatForm(),
    Wire.RESPONSES: ResponsesForm(),
    Wire.MESSAGES: MessagesForm(),
    Wire.GEMINI: GeminiForm(),
}
"""The form of every wire."""

_BODIES: Final = {
    "/chat/completions": WireCall(Wire.CHAT, "generate"),
    "/responses": WireCall(Wire.RESPONSES, "generate"),
    "/messages": WireCall(Wire.MESSAGES, "generate"),
    "/messages/count_tokens": WireCall(Wire.MESSAGES, "count", is_streamed=False),
}
_GEMINI: Final = re.compile(
    r"/v1(?:alpha|beta)?/models/(?P<model>.+)"
    r":(?P<verb>generateContent|streamGenerateContent|countTokens)"
)
_MODELS: Final = re.compile(r"/v1(?P<google>alpha|beta)?/models(?:/(?P<model>.+))?|/models")


def find_call(method: str, path: str) -> WireCall | None:
    """Return what a request asks for; None for an unknown path.

    >>> find_call("POST", "/v1/messages")
    WireCall(wire=<Wire.MESSAGES: 'messages'>, action='generate', model='', is_streamed=None)
    """
    path = path.rstrip("/")
    if method == "GET":
        found = _MODELS.fullmatch(path)
        if found is None:
            return None
        wire = Wire.GEMINI if found["google"] else Wire.CHAT
        return WireCall(wire, "models", found["model"] or "", is_streamed=False)
    if method != "POST":
        return None
    if (found := _GEMINI.fullmatch(path)) is not None:
        action = "count" if found["verb"] == "countTokens" else "generate"
        is_streamed = found["verb"] == "streamGenerateContent"
        return WireCall(Wire.GEMINI, action, found["model"], is_streamed)
    return _BODIES.get(path.removeprefix("/v1"))


def model_list(call: WireCall, model: str) -> bytes:
    """Return the list with one model, or the model alone, in the form of the call's path.

    One object serves OpenAI's clients and Anthropic's.
    """
    entry = _google_entry(model) if call.wire is Wire.GEMINI else _entry(model)
    if call.model:
        return msgspec.json.encode(entry)
    if call.wire is Wire.GEMINI:
        return msgspec.json.encode({"models": [entry]})
    ends = {"first_id": model, "last_id": model, "has_more": False, "models": []}
    return msgspec.json.encode({"object": "list", "data": [entry], **ends})


def _entry(model: str) -> dict[str, Any]:
    names = {"id": model, "display_name": model, "object": "model", "type": "model"}
    times = {"created": 0, "created_at": "1970-01-01T00:00:00Z"}
    return {**names, **times, "owned_by": "gateway"}


def _google_entry(model: str) -> dict[str, Any]:
    methods = ["generateContent", "streamGenerateContent", "countTokens"]
    names = {"name": f"models/{model}", "displayName": model}
    return {**names, "supportedGenerationMethods": methods}


def wire_of_path(path: str) -> Wire:
    """Return the wire whose form an error on an unknown path takes."""
    if "/v1beta" in path or "/v1alpha" in path:
        return Wire.GEMINI
    return Wire.MESSAGES if "/messages" in path else Wire.CHAT
