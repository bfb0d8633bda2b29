"""A client as plain as can be: sockets and the standard library, to see what a server sends."""

import http.client
import json
import socket
import time
from dataclasses import dataclass
from typing import Any

KEY = "sk-test-4f1c9a7e2b"
PROMPT = "[c1] 40 + 2?"
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Heard:
    """What came over a raw connection, how it ended, and how long after the send.

    ``end`` is ``closed``, ``reset`` or ``silent`` (nothing more within the time).
    """

    data: bytes
    end: str
    seconds: float
    first_s: float | None

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that HTTP can read."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def headers_for(protocol: str, key: str = KEY) -> dict[str, str]:
    base = {"Content-Type": "application/json"}
    if protocol == "anthropic":
        return base | {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return base | {"Authorization": f"Bearer {key}"}


def body_for(model: str, *, stream: bool = False, prompt: str = PROMPT) -> bytes:
    asked: dict[str, Any] = {"model": model, "max_tokens": 100, "stream": stream}
    asked["messages"] = [{"role": "user", "content": prompt}]
    asked["stream_options"] = {"include_usage": True}
    return json.dumps(asked).encode()


def connected(server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)


def ask(
    server,
    model: str,
    *,
    protocol: str = "openai",
    stream: bool = False,
    prompt: str = PROMPT,
    key: str = KEY,
    connection: http.client.HTTPConnection | None = None,
) -> Reply:
    """Ask a model; on a connection of its own, unless one is given."""
    through = connection or connected(server)
    try:
        body = body_for(model, stream=stream, prompt=prompt)
        through.request("POST", PATHS[protocol], body, headers_for(protocol, key))
        got = through.getresponse()
        return Reply(got.status, got.headers, got.read())
    finally:
        if connection is None:
            through.close()


def hear(
    server,
    model: str,
    *,
    protocol: str = "openai",
    stream: bool = False,
    within_s: float = TIMEOUT_S,
) -> Heard:
    """Ask over a socket, and take whatever comes until the end, or for so many seconds."""
    body = body_for(model, stream=stream)
    head = {**headers_for(protocol), "Content-Length": str(len(body)), "Host": "here"}
    lines = [f"POST {PATHS[protocol]} HTTP/1.1", *(f"{k}: {v}" for k, v in head.items())]
    asked = "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body
    with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S) as sock:
        sock.sendall(asked)
        return _heard(sock, within_s)


def _heard(sock: socket.socket, within_s: float) -> Heard:
    started = time.monotonic()
    data, first_s, end = b"", None, "silent"
    while (left := started + within_s - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            piece = sock.recv(1 << 20)
        except TimeoutError:
            break
        except ConnectionResetError:
            end = "reset"
            break
        if not piece:
            end = "closed"
            break
        first_s = first_s or time.monotonic() - started
        data += piece
    return Heard(data, end, time.monotonic() - started, first_s)


def events(body: bytes) -> list[tuple[str, bytes]]:
    """The events of a stream by the letter of the standard: name and data of each."""
    text = body.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    found = []
    for block in text.split(b"\n\n"):
        fields = [line.partition(b":") for line in block.split(b"\n")]
        data = [value.removeprefix(b" ") for name, _, value in fields if name == b"data"]
        names = [value.strip().decode() for name, _, value in fields if name == b"event"]
        if data:
            found.append((names[-1] if names else "", b"\n".join(data)))
    return found


@dataclass(frozen=True, slots=True)
class Said:
    """What a reply says: the text of index 0, why it ended, the last usage, the model."""

    text: str
    finish: str | None
    usage: dict[str, Any] | None
    model: str
    is_ended: bool = True


def said(reply: Reply, *, protocol: str) -> Said:
    """What a good or nearly good reply says, whole or as a stream."""
    if reply.headers.get_content_type() == "application/json":
        return _anthropic(reply.json) if protocol == "anthropic" else _openai(reply.json)
    parsed = [(name, data) for name, data in events(reply.body) if data != b"[DONE]"]
    objects = [json.loads(data) for _, data in parsed]
    if protocol == "anthropic":
        return _anthropic_stream(objects)
    return _openai_stream(objects, is_ended=b"data: [DONE]" in reply.body)


def _openai(body: dict[str, Any]) -> Said:
    choice = min(body["choices"], key=lambda each: each["index"])
    text = _joined(choice["message"]["content"])
    return Said(text, choice["finish_reason"], body.get("usage"), body["model"])


def _joined(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content)
    return content or ""


def _openai_stream(chunks: list[dict[str, Any]], *, is_ended: bool) -> Said:
    choices = [choice for chunk in chunks for choice in chunk["choices"] if not choice["index"]]
    reasons = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
    reports = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    text = "".join(_joined(choice["delta"].get("content")) for choice in choices)
    finish, usage = (reasons or [None])[-1], (reports or [None])[-1]
    return Said(text, finish, usage, chunks[0]["model"], is_ended)


def _anthropic(body: dict[str, Any]) -> Said:
    text = "".join(block["text"] or "" for block in body["content"] if block["type"] == "text")
    return Said(text, body["stop_reason"], body.get("usage"), body["model"])


def _anthropic_stream(parsed: list[dict[str, Any]]) -> Said:
    deltas = [each["delta"] for each in parsed if each["type"] == "content_block_delta"]
    ends = [each for each in parsed if each["type"] == "message_delta"]
    reasons = [each["delta"]["stop_reason"] for each in ends if each["delta"]["stop_reason"]]
    reports = [each["usage"] for each in ends if each.get("usage")]
    text = "".join(delta.get("text") or "" for delta in deltas)
    finish, usage = (reasons or [None])[-1], (reports or [None])[-1]
    model = parsed[0]["message"]["model"]
    return Said(text, finish, usage, model, parsed[-1]["type"] == "message_stop")
