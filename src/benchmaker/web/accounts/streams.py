"""Ends a stream when its reader loses access."""

import time
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

from benchmaker.web.accounts.authentication import GUARDED, Authenticator

AGAIN_S: Final = 5.0
"""Seconds after which a stream's next message triggers a new check of its reader."""

_EVENTS: Final = "text/event-stream"


class GuardedStream:
    """Forwards an answer; a stream of events only while its listener has access.

    Streams send something every few seconds, at least a heartbeat. After the end the page requests
    a new one, and is redirected to the sign-in.
    """

    def __init__(
        self,
        signed: Authenticator,
        scope: Scope,
        headers: Headers,
        send: Send,
        *,
        again_s: float = AGAIN_S,
    ) -> None:
        self._signed = signed
        self._scope = scope
        self._headers = headers
        self._send = send
        self._again_s = again_s
        self._look_at: float | None = None
        self._is_over = False

    async def send(self, message: Message) -> None:
        """Forward a part of the answer; nothing after the end."""
        if self._is_over:
            return
        if message["type"] == "http.response.start" and self._is_watched(message):
            self._look_at = time.monotonic() + self._again_s
        elif self._look_at is not None and time.monotonic() >= self._look_at:
            self._is_over = not await self._signed.is_still_in(self._scope, self._headers)
            self._look_at = time.monotonic() + self._again_s
        if self._is_over:
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    def _is_watched(self, message: Message) -> bool:
        kind = Headers(raw=message["headers"]).get("content-type", "")
        return kind.startswith(_EVENTS) and self._scope.get("state", {}).get(GUARDED, False)
