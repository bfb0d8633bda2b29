"""Reading gives way when more is asked for than can be answered.

Pages and data are read by threads of which there are so many. What waits for one waits with what
hands in, and whoever asked has often gone when the answer is there. So beyond a number of answers
that are under way a further reader is told to come again in a moment; what changes something, what
follows a run, and what asks how the server does are let through.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmaker.web.error_body import plain_answer
from benchmaker.web.observing.requests import QUIET

MOST: Final = 100
"""So many readers wait for an answer; where 50 a second are answered, the last waits 2 seconds."""

AGAIN_S: Final = 2
"""So long a reader who was sent away is asked to wait."""

_READING: Final = frozenset({"GET", "HEAD"})
_STREAM: Final = "text/event-stream"
_BUSY: Final = (
    "More is asked of this server than it can answer now. Nothing is wrong with what you asked "
    "for: try again in a moment."
)


class Overload:
    """Counts the readers whose answer has not begun, and sends those beyond the number away."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or not _may_wait(scope):
            await self._app(scope, receive, send)
        elif self._waiting >= self._most:
            refusal = plain_answer(scope["path"], 503, _BUSY, {"retry-after": str(AGAIN_S)})
            await refusal(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_waiting = True
        self._waiting += 1

        def begun() -> None:
            nonlocal is_waiting
            self._waiting -= is_waiting
            is_waiting = False

        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun()
            await send(message)

        try:
            await self._app(scope, receive, seen)
        finally:
            begun()


def _may_wait(scope: Scope) -> bool:
    """Whether this is reading that can be done a little later."""
    if scope["method"] not in _READING or scope["path"].startswith(QUIET):
        return False
    return _STREAM not in Headers(scope=scope).get("accept", "")
