"""Connections with timeouts: for a request's head, and for the rest of its body."""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""Seconds for receiving a request's head, from the connection's start or the head's first byte."""

BODY_S = 30.0
"""Maximum pause of a body in seconds, not counting time in which the server does not read."""

_HEAD, _BODY = "IDLE", "SEND_BODY"
"""What h11 calls the other side while its request's head, or its body, is to come."""


class Connection(H11Protocol):
    """One connection of the server; closed where the other side begins a request and leaves it."""

    head_s: ClassVar[float] = HEAD_S
    body_s: ClassVar[float] = BODY_S
    _timer: asyncio.TimerHandle | None = None
    _waits_for: str = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Handle a new connection."""
        super().connection_made(transport)
        self._wait(_HEAD, self.head_s)

    def data_received(self, data: bytes) -> None:
        """Some bytes came."""
        super().data_received(data)
        state = repr(self.conn.their_state)
        if state == _BODY:
            self._wait(state, self.body_s)
        elif state != _HEAD:
            self._wait("")
        elif self._waits_for != _HEAD:
            self._wait(state, self.head_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._wait("")
        super().connection_lost(exc)

    def _wait(self, state: str, seconds: float = 0.0) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._waits_for = state
        self._timer = self.loop.call_later(seconds, self._is_late) if state else None

    def _is_late(self) -> None:
        if self._waits_for == _BODY and self.flow.read_paused:
            self._wait(_BODY, self.body_s)
        else:
            self.transport.close()
