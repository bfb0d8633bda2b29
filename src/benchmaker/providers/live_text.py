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


class Waiting(NamedTuple):
    """The pause before the ``number``-th request of at most ``most``.

    It ends at ``until``, in seconds of the monotonic clock.
    """

    number: int
    most: int
    until: float


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
        self._waiting: dict[Place, Waiting] = {}

    def places(self) -> tuple[Place, ...]:
        """Whose answers are being written, or asked for again soon."""
        return (*tuple(self._open), *tuple(self._waiting))

    def waiting(self, place: Place) -> Waiting | None:
        """What is waited for before the next request; None where nothing is."""
        return self._waiting.get(place)

    def waits(self, place: Place, waiting: Waiting) -> None:
        """A request failed, and is made again later."""
        self._waiting[place] = waiting

    def goes_on(self, place: Place) -> None:
        """The wait is over."""
        self._waiting.pop(place, None)

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
    with heard.writing(place_of(request), source):
        yield


def place_of(request: Request) -> Place:
    """Whose answer a request asks for."""
    return Place(request.run, request.case_id, request.model)
