"""What a session did, as one hash: the same for two logs of the same work, whatever they are named.

Session ids, times and file names are easily changed; which tools were called with what, one after
the other, and how many tokens each answer took, are not.
"""

from collections.abc import Iterator
from hashlib import blake2b

from benchmaker.arenas.agentic.events import Event, LlmCall, ToolCall

LEAST_CALLS = 3
"""Fewer calls of tools may well be the same in two sessions."""


class Footprint:
    """Takes the events of one session as they pass."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=16)
        self._calls = 0

    def add(self, event: Event) -> None:
        """Count an event in."""
        if isinstance(event, ToolCall):
            self._calls += 1
            self._digest.update(f"call {event.digest or event.name}\n".encode("utf-8", "replace"))
        elif isinstance(event, LlmCall) and event.usage is not None:
            usage = event.usage
            numbers = (usage.input_uncached, usage.cache_read, usage.output)
            self._digest.update(f"answer {numbers}\n".encode())

    def chunks(self) -> Iterator[bytes]:
        """The hash as the only chunk of a part; none where too little was done."""
        if self._calls >= LEAST_CALLS:
            yield self._digest.digest()
