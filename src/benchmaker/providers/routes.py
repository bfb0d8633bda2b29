"""The routes of models: how a request reaches an endpoint, a program or a function."""

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from benchmaker.errors import ProviderError
from benchmaker.providers.base import Request
from benchmaker.providers.endpoints.advice import Advice
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.prices.costs import Tariff
from benchmaker.providers.protocols.client import Client
from benchmaker.providers.protocols.rate_hints import EndpointKey, OnHints
from benchmaker.record import Completion
from benchmaker.spec import Parameters

if TYPE_CHECKING:  # each loads for models that need it
    from benchmaker.providers.command import Command
    from benchmaker.providers.function import Function

COMMAND = "command:"
"""How the name of a model begins that is a program."""


class Route(Protocol):
    """The route of one model."""

    limits_key: EndpointKey
    tariff: Tariff | None
    stated_limits: tuple[float | None, float | None]

    async def complete(self, request: Request, *, stream: bool) -> Completion:
        """The answer with its cost."""
        ...

    def gives_logprobs(self, parameters: Parameters) -> bool:
        """True if answers can have log probabilities with these parameters."""
        ...

    def description(self) -> dict[str, Any]:
        """Return the route's description, without any key."""
        ...


class NetworkRoute:
    """A model behind an endpoint, with its prices."""

    def __init__(
        self, client: Client, endpoint: Endpoint, tariff: Tariff, embeddings: Client | None
    ) -> None:
        self.client = client
        self.embeddings = embeddings
        self.tariff: Tariff | None = tariff
        self._tariff = tariff
        self.limits_key = client.limits_key
        self.stated_limits = (endpoint.requests_per_minute, endpoint.tokens_per_minute)
        self.takes_schema = endpoint.quirks.takes_schema(client.model)
        self.endpoint = endpoint
        self.unsent_parameters = client.dialect.unsent_parameters
        self.changed_parameters = client.dialect.changed_parameters
        self.output_limit = client.dialect.output_limit
        variable = client.key.variable if client.key else None
        self._advice = Advice(endpoint, client.model, variable)

    async def complete(self, request: Request, *, stream: bool) -> Completion:
        """The answer with its cost, or the embeddings of the request's texts."""
        try:
            completion = await self._complete(request, stream=stream)
        except ProviderError as exc:
            exc.hint = self._advice.hint_for(exc, request.parameters.extra_body or {})
            await self._prepare_prices()
            raise
        if completion.usage is not None:
            await self._prepare_prices()
        return self._tariff.add_cost(completion)

    async def _complete(self, request: Request, *, stream: bool) -> Completion:
        if not request.texts:
            return await self.client.complete(request, stream=stream)
        if self.embeddings is None:
            raise ProviderError(f"{self.endpoint.name} has no embeddings.", is_sent=False)
        return await self.embeddings.complete(request, stream=False)

    def listen(self, listener: OnHints | None) -> None:
        """Report what replies say about rates to this listener."""
        for client in filter(None, (self.client, self.embeddings)):
            client.on_hints = listener

    def gives_logprobs(self, parameters: Parameters) -> bool:
        """True if log probabilities are requested and sent."""
        is_set = parameters.logprobs is not None
        return is_set and "logprobs" not in self.unsent_parameters(parameters)

    async def _prepare_prices(self) -> None:
        if not self._tariff.is_ready:
            await asyncio.to_thread(self._tariff.prepare)

    def description(self) -> dict[str, Any]:
        """The endpoint and its settings, with the name of the key's variable."""
        key = self.client.key
        return {
            "endpoint": self.endpoint.name,
            "protocol": self.endpoint.protocol,
            "base_url": self.endpoint.base_url,
            "model": self.client.model,
            "key": key.variable if key else None,
            "refuses": list(self.endpoint.quirks_of(self.client.model).refused_parameters),
            **({"flags": dict(self.endpoint.stated)} if self.endpoint.stated else {}),
        }


class LocalRoute:
    """A program or a function on this machine, with the user's own prices if there are any."""

    stated_limits: tuple[float | None, float | None] = (None, None)

    def __init__(
        self, target: "Command | Function", model: str, *, tariff: Tariff | None = None
    ) -> None:
        self._target = target
        self._model = model
        self.tariff = tariff
        self.limits_key = EndpointKey(model, "")

    async def complete(self, request: Request, *, stream: bool) -> Completion:
        """The answer of the program or function, with its cost: the stated one, else by prices."""
        del stream  # there is only one way
        completion = await self._target.complete(replace(request, model=self._model))
        return self.tariff.add_cost(completion) if self.tariff else completion

    def gives_logprobs(self, parameters: Parameters) -> bool:
        """True for a function."""
        del parameters  # a function decides by itself, a program has only its text
        return not self._model.startswith(COMMAND)

    def description(self) -> dict[str, Any]:
        """The description of the program or function."""
        return self._target.description()
