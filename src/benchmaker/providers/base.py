"""What a provider is: whoever answers requests."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from benchmaker.record import Completion
from benchmaker.spec import Message, Parameters


class Image(NamedTuple):
    """A picture that goes with a request: its media type and its bytes."""

    type: str
    data: bytes


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One question to one model.

    ``messages`` are sent in their order, ``parameters`` as they stand. ``case_id`` and ``run``
    (the number of the run in its series, from 1) tell recorded answers apart; a live provider
    does not send them. ``stream`` asks for the answer piece by piece, where the provider can.
    ``response_schema`` is a JSON Schema that the answer has to keep to, for models of which the
    provider's ``takes_schema(model)`` says that they can. ``images`` go with the last message, to
    models that see.
    """

    model: str
    case_id: str
    messages: tuple[Message, ...]
    parameters: Parameters
    run: int = 1
    stream: bool = True
    response_schema: dict[str, Any] | None = None
    images: tuple[Image, ...] = ()


@runtime_checkable
class Provider(Protocol):
    """One method: the completion for a request.

    A provider may also have ``close()``, which is called once when the run ends, and
    ``description()``, the facts about it that a run records, without any key.
    """

    async def complete(self, request: Request) -> Completion:
        """The model's answer; a ProviderError where there is none."""
        ...
