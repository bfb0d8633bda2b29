"""What models are writing at this moment, for whoever looks on in this process.

Nothing of it is recorded: an answer counts when it is whole, and durable.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from benchmaker.providers.base import Request


class Place(NamedTuple):
    """Whose answer it is: the run's number in its series, the case, the model."""

    run: int
    case_id: str
    model: str


class Source(Protocol):
    """Where an answer is put together."""

    @property
    def text(self) -> str:
        """What has come of it so far."""
        ...


class Overheard:
    """The answers in flight; read from any thread."""

    def __init__(self) -> None:
        self._open: dict[Place, Source] = {}

    def places(self) -> tuple[Place, ...]:
        """Whose answers are being written."""
        return tuple(self._open)

    def text(self, place: Place) -> str | None:
        """What has come of an answer; None where none is being written."""
        source = self._open.get(place)
        return None if source is None else source.text

    @contextmanager
    def writing(self, place: Place, source: Source) -> Iterator[None]:
        """Inside, this answer is being written."""
        self._open[place] = source
        try:
            yield
        finally:
            self._open.pop(place, None)


LISTENING: ContextVar[Overheard | None] = ContextVar("LISTENING", default=None)
"""Who looks on at what is asked from here on."""


@contextmanager
def aloud(request: Request, source: Source) -> Iterator[None]:
    """Let whoever looks on see the answer while it comes."""
    heard = LISTENING.get()
    if heard is None:
        yield
        return
    with heard.writing(Place(request.run, request.case_id, request.model), source):
        yield
