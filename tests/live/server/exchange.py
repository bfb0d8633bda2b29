"""One question and its answer on the way out, in either protocol, whole or as a stream."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.live.server import anthropic, openai
from tests.live.server.event import Event, dumped
from tests.live.server.question import Question
from tests.live.server.reply import Reply
from tests.live.server.sender import Sender

STREAM = "text/event-stream"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a fault works on: the question, the good reply to it, and the way to the client."""

    question: Question
    reply: Reply
    sender: Sender

    @property
    def is_streamed(self) -> bool:
        return self.question.is_streamed

    @property
    def kind(self) -> str:
        """The content type of a good answer."""
        return STREAM if self.is_streamed else JSON

    def document(self, reply: Reply | None = None) -> dict[str, Any]:
        """The whole reply as JSON."""
        reply = reply or self.reply
        if self.question.protocol == "anthropic":
            return anthropic.document(reply)
        return openai.document(reply)

    def events(self, reply: Reply | None = None) -> list[Event]:
        """The reply as the events of a stream."""
        reply = reply or self.reply
        if self.question.protocol == "anthropic":
            return anthropic.events(reply)
        return openai.events(reply, wants_usage=self.question.wants_usage)

    def pieces(self, reply: Reply | None = None) -> list[bytes]:
        """The good answer's bytes: one piece, or one for each event."""
        if self.is_streamed:
            return [event.encoded() for event in self.events(reply)]
        return [dumped(self.document(reply))]

    def pieces_changed(self, change: Callable[[bytes], bytes]) -> list[bytes]:
        """As ``pieces``, with the JSON changed: of the document, or of the first text event."""
        if not self.is_streamed:
            return [change(dumped(self.document()))]
        events = self.events()
        at = next(at for at, event in enumerate(events) if event.is_text)
        changed = Event(change(events[at].data), events[at].name)
        return encoded([*events[:at], changed, *events[at + 1 :]])

    def error(self, message: str, *, kind: str, code: object = None) -> dict[str, Any]:
        """An error in the protocol's words."""
        if self.question.protocol == "anthropic":
            return anthropic.error(message, kind=kind)
        return openai.error(message, kind=kind, code=code)

    def error_event(self, message: str, *, kind: str, code: object = None) -> Event:
        """The same as an event."""
        if self.question.protocol == "anthropic":
            return anthropic.error_event(message, kind=kind)
        return openai.error_event(message, kind=kind, code=code)


def encoded(events: Sequence[Event], end: bytes = b"\n") -> list[bytes]:
    """The events' bytes."""
    return [event.encoded(end) for event in events]
