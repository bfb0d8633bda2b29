"""What models are writing at this moment, for whoever looks on in this process.

Nothing of it is recorded: an answer counts when it is whole, and durable.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from benchmaker.providers.base import Request


class AnswerKey(NamedTuple):
    """Whose answer it is: the run's number in its series, the case, the model."""

    run: int
    case_id: str
    model: str


class RetryPause(NamedTuple):
    """The pause before the ``number``-th request of at most ``most``.

    It ends at ``until``, in seconds of the monotonic clock.
    """

    number: int
    most: int
    until: float


class TextSource(Protocol):
    """Where an answer is put together."""

    @property
    def text(self) -> str:
        """What has come of it so far."""
        ...


class LiveTexts:
    """The answers in flight; read from any thread."""

    def __init__(self) -> None:
        self._open: dict[AnswerKey, TextSource] = {}
        self._waiting: dict[AnswerKey, RetryPause] = {}

    def answer_keys(self) -> tuple[AnswerKey, ...]:
        """Whose answers are being written, or asked for again soon."""
        return (*tuple(self._open), *tuple(self._waiting))

    def retry_pause(self, place: AnswerKey) -> RetryPause | None:
        """What is waited for before the next request; None where nothing is."""
        return self._waiting.get(place)

    def begin_pause(self, place: AnswerKey, waiting: RetryPause) -> None:
        """A request failed, and is made again later."""
        self._waiting[place] = waiting

    def end_pause(self, place: AnswerKey) -> None:
        """The wait is over."""
        self._waiting.pop(place, None)

    def text(self, place: AnswerKey) -> str | None:
        """What has come of an answer; None where none is being written."""
        source = self._open.get(place)
        return None if source is None else source.text

    @contextmanager
    def track(self, place: AnswerKey, source: TextSource) -> Iterator[None]:
        """Inside, this answer is being written."""
        self._open[place] = source
        try:
            yield
        finally:
            self._open.pop(place, None)


LISTENING: ContextVar[LiveTexts | None] = ContextVar("LISTENING", default=None)
"""Who looks on at what is asked from here on."""


@contextmanager
def publish_text(request: Request, source: TextSource) -> Iterator[None]:
    """Let whoever looks on see the answer while it comes."""
    heard = LISTENING.get()
    if heard is None:
        yield
        return
    with heard.track(answer_key_of(request), source):
        yield


def answer_key_of(request: Request) -> AnswerKey:
    """Whose answer a request asks for."""
    return AnswerKey(request.run, request.case_id, request.model)
