"""The wire protocol interface: encoding requests, and reading replies."""

from collections.abc import Sequence
from typing import Protocol

from benchmaker.providers.base import Request
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.sse import Event
from benchmaker.spec import Parameters


class StreamReader(Protocol):
    """A stream being read; ``is_done`` when the protocol's last word has come."""

    draft: PartialAnswer
    is_done: bool

    def take_all(self, events: Sequence[Event]) -> None:
        """Add events up to the protocol's last word.

        Raises:
            ProviderError: an event is invalid, or reports a failure.
        """
        ...


class Dialect(Protocol):
    """One wire protocol for one model.

    ``path`` follows the base URL.
    """

    path: str

    def headers(self, key: str | None) -> dict[str, str]:
        """The head of every request, the key included."""
        ...

    def body(self, request: Request, *, stream: bool) -> bytes:
        """The request."""
        ...

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """The parameters that this model is not sent, though they are set."""
        ...

    def changed_parameters(self, parameters: Parameters) -> dict[str, str]:
        """The sent value of each parameter that is sent with another value than the set one."""
        ...

    def output_limit(self, parameters: Parameters) -> int | None:
        """The limit of output tokens that is sent, thinking included; None if none is sent."""
        ...

    def stream_reader(self, *, tools: bool = False) -> StreamReader:
        """A reader for one stream; with ``tools``, it collects tool calls."""
        ...

    def read_whole(self, data: bytes, *, tools: bool = False) -> PartialAnswer:
        """The answer in a reply of one piece; with ``tools``, its tool calls are collected."""
        ...
