"""What a request asks for, as the server reads it."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Protocol = Literal["openai", "anthropic"]

_FAULT = re.compile(r"fault:(\w+)(?::(\d+))?")
_MARKER = re.compile(r"\[([\w.-]+)\]")


class Malformed(Exception):
    """The request is not what the protocol asks for."""


class NoKey(Exception):
    """The request carries no key."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request: who asks, which model, what, and how the answer is wanted.

    ``model`` is ``fault:NAME`` or ``fault:NAME:TIMES`` where something is to go wrong: always, or
    the first so many times for this key and case. ``case`` is the word in brackets in the prompt.
    """

    protocol: Protocol
    model: str
    prompt: str
    key: str
    is_streamed: bool
    wants_usage: bool

    @property
    def fault(self) -> str:
        found = _FAULT.fullmatch(self.model)
        return found[1] if found else ""

    @property
    def times(self) -> int | None:
        found = _FAULT.fullmatch(self.model)
        return int(found[2]) if found and found[2] else None

    @property
    def case(self) -> str:
        found = _MARKER.search(self.prompt)
        return found[1] if found else ""


def hashed(key: str) -> str:
    """What the journal keeps of a key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12] if key else ""


def key_of(headers: Mapping[str, str]) -> str:
    """The key, wherever a protocol puts it."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ").strip()
    return headers.get("x-api-key", "") or bearer


def read_question(protocol: Protocol, headers: Mapping[str, str], body: bytes) -> Question:
    """The question in a request.

    Raises:
        Malformed: a field that the protocol demands is missing or of the wrong kind.
        NoKey: there is no key where the protocol wants it.
    """
    asked = _parsed(headers, body)
    _demand(asked, {"model": str, "messages": list})
    if protocol == "anthropic":
        _demand(asked, {"max_tokens": int})
    key = _demanded_key(protocol, headers)
    return Question(
        protocol=protocol,
        model=asked["model"],
        prompt="\n".join(_texts(asked)),
        key=key,
        is_streamed=bool(asked.get("stream")),
        wants_usage=bool((asked.get("stream_options") or {}).get("include_usage")),
    )


def _parsed(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    if not headers.get("Content-Type", "").startswith("application/json"):
        raise Malformed("the content type must be application/json")
    try:
        asked = json.loads(body)
    except ValueError as exc:
        raise Malformed("the body is not JSON") from exc
    if not isinstance(asked, dict):
        raise Malformed("the body is not an object")
    return asked


def _demand(asked: dict[str, Any], fields: Mapping[str, type]) -> None:
    for name, kind in fields.items():
        if not isinstance(asked.get(name), kind):
            raise Malformed(f"{name} is missing or not a {kind.__name__}")


def _demanded_key(protocol: Protocol, headers: Mapping[str, str]) -> str:
    if protocol == "anthropic" and not headers.get("anthropic-version"):
        raise Malformed("anthropic-version: header is required")
    name = "x-api-key" if protocol == "anthropic" else "Authorization"
    if not headers.get(name):
        raise NoKey(f"no key in the header {name}")
    return key_of(headers)


def _texts(asked: dict[str, Any]) -> list[str]:
    """The text of the system prompt and of every message, in their order."""
    contents = [asked.get("system"), *(message.get("content") for message in asked["messages"])]
    texts: list[str] = []
    for content in contents:
        if isinstance(content, str):
            texts.append(content)
        elif isinstance(content, list):
            texts += [part.get("text", "") for part in content]
    return texts
