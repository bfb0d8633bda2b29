"""Answers while models write them, for observers in this process.

They are not recorded: an answer counts when it is complete and durable.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from benchmaker.providers.base import Request


class AnswerKey(NamedTuple):
    """The key of an answer: the run's number in its series, the case, the model."""

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
    """A partially received answer."""

    @property
    def text(self) -> str:
        """The text received so far."""
        ...


class LiveTexts:
    """The answers in flight; read from any thread."""

    def __init__(self) -> None:
        self._open: dict[AnswerKey, TextSource] = {}
        self._waiting: dict[AnswerKey, RetryPause] = {}

    def answer_keys(self) -> tuple[AnswerKey, ...]:
        """Return the keys of answers being written, or waiting for a retry."""
        return (*tuple(self._open), *tuple(self._waiting))

    def retry_pause(self, place: AnswerKey) -> RetryPause | None:
        """Return the pause before the next request; None without one."""
        return self._waiting.get(place)

    def begin_pause(self, place: AnswerKey, waiting: RetryPause) -> None:
        """A request failed, and is made again later."""
        self._waiting[place] = waiting

    def end_pause(self, place: AnswerKey) -> None:
        """The wait is over."""
        self._waiting.pop(place, None)

    def text(self, place: AnswerKey) -> str | None:
        """Return the text received so far; None if no answer is being written."""
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
"""The receiver of live texts from requests made in this context."""


def publish_text(request: Request, source: TextSource) -> AbstractContextManager[None]:
    """Publish the answer to observers while it is received."""
    heard = LISTENING.get()
    return nullcontext() if heard is None else heard.track(answer_key_of(request), source)


def answer_key_of(request: Request) -> AnswerKey:
    """Return the key of the answer to a request."""
    return AnswerKey(request.run, request.case_id, request.model)
