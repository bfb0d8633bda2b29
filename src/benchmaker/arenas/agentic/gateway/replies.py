"""Replies of the gateway over ASGI."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from benchmaker.providers.wires.form import WireError
from benchmaker.providers.wires.paths import FORMS
from benchmaker.record.agent_trial import Wire

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

JSON = {"content-type": "application/json"}


class GatewayFailure(Exception):
    """A reply that the gateway makes itself, in the form of the wire."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.error = WireError(status, message)


class CutReply(Exception):
    """The reply of the endpoint was cut off, and so is the one to the agent."""


async def send_start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    """Send the head of a reply."""
    head = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": head})


async def send_body(send: Send, data: bytes, *, is_more: bool) -> None:
    """Send a piece of a body."""
    await send({"type": "http.response.body", "body": data, "more_body": is_more})


async def send_whole(send: Send, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Send a reply in one piece."""
    await send_start(send, status, {**headers, "content-length": str(len(body))})
    await send_body(send, body, is_more=False)


async def send_failure(send: Send, wire: Wire, error: WireError) -> None:
    """Send a failure in the form of a wire."""
    await send_whole(send, error.status, JSON, FORMS[wire].error(error))
