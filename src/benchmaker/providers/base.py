"""The provider protocol: a source of answers to requests."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from benchmaker.record import Completion, Step
from benchmaker.spec import Message, Parameters, Tool


class Image(NamedTuple):
    """A picture that goes with a request: its media type and its bytes."""

    type: str
    data: bytes


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request to one model.

    ``messages`` are sent in order, ``parameters`` unchanged. ``case_id`` and ``run`` (the number of
    the run in its series, from 1) identify recorded answers; a live provider does not send them.
    ``stream`` requests a streamed answer, if the provider supports it. ``response_schema`` is a
    JSON Schema for the answer, for models for which the provider's ``takes_schema(model)`` is true.
    ``images`` are sent with the last message, to models with vision. ``tools`` are the tools that
    the model may call; ``steps`` are its answers to earlier requests of the trial, with the results
    of their calls, which follow the messages.

    With ``texts``, embeddings are requested instead of an answer, of ``dimensions`` numbers each if
    set. The completion's text is then JSON: a list of objects with ``index`` and ``embedding``.
    """

    model: str
    case_id: str
    messages: tuple[Message, ...]
    parameters: Parameters
    run: int = 1
    stream: bool = True
    response_schema: dict[str, Any] | None = None
    images: tuple[Image, ...] = ()
    texts: tuple[str, ...] = ()
    dimensions: int | None = None
    tools: tuple[Tool, ...] = ()
    steps: tuple[Step, ...] = ()


def tool_texts(request: Request) -> Iterator[str]:
    """Yield the texts that a request with tools contains besides its messages."""
    for tool in request.tools:
        yield from (tool.name, tool.description, str(tool.parameters))
    for step in request.steps:
        done = step.completion
        yield from (done.text, str(done.continuation or ""))
        for call, result in step.pairs:
            yield from (str(call.id), call.name, str(call.arguments), result.text)


def describe(provider: object) -> dict[str, Any]:
    """Return a provider's description for a run's record; without its own, its class."""
    own = getattr(provider, "description", None)
    return own() if own else {"kind": type(provider).__qualname__}


@runtime_checkable
class Provider(Protocol):
    """One method: the completion for a request.

    A provider may also have ``close()``, which is called once when the run ends, and
    ``description()``, the facts about it that a run records, without any key. A provider with known
    prices has ``most_usd(request)``, the maximum cost of a request or None; if it is None, the cost
    of a refused request is unknown.
    """

    async def complete(self, request: Request) -> Completion:
        """Return the model's answer; raises ProviderError on failure."""
        ...
