"""Providers that are registered by an id, as the source of models: ``ID`` or ``ID/model``."""

import inspect
from collections.abc import Container, Mapping
from typing import Any

from msgspec.structs import replace

from benchmaker import plugins
from benchmaker.providers.base import Provider, Request
from benchmaker.providers.function import Function
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.prices.costs import Tariff
from benchmaker.providers.protocols.rate_hints import EndpointKey
from benchmaker.record import Completion
from benchmaker.spec import Parameters


def is_registered(model: str, endpoints: Container[str]) -> bool:
    """True if a model string names a registered provider, and no endpoint.

    A provider with required arguments, such as a file of answers, cannot be named.

    Raises:
        PluginError: the provider can't be loaded.

    >>> is_registered("scripted", ()), is_registered("openai/gpt-4o-mini", ())
    (False, False)
    """
    name = model.partition("/")[0]
    if name in endpoints or name not in plugins.list_ids("provider"):
        return False
    return all(
        one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        for one in inspect.signature(plugins.load("provider", name)).parameters.values()
    )


def registered_ids(endpoints: Container[str]) -> tuple[str, ...]:
    """Return the ids that name a registered provider that can be loaded, sorted."""
    usable = (one.id for one in plugins.list_plugins("provider") if one.error is None)
    return tuple(name for name in usable if is_registered(name, endpoints))


def open_provider(name: str, environ: Mapping[str, str]) -> Provider:
    """Make the provider of an id; one with a parameter ``environ`` gets the variables."""
    cls: Any = plugins.load("provider", name)
    takes_environ = "environ" in inspect.signature(cls).parameters
    made: Provider = cls(environ=environ) if takes_environ else cls()
    return made


class RegisteredRoute:
    """A model of a registered provider: requests name the text after the id, or the id alone.

    The user's own prices, if any, apply where the provider states no cost and no maximum.
    """

    stated_limits: tuple[float | None, float | None] = (None, None)

    def __init__(
        self,
        provider: Provider,
        model: str,
        limits: HttpLimits,
        *,
        tariff: Tariff | None = None,
    ) -> None:
        self.tariff = tariff
        name, _, rest = model.partition("/")
        self._name, self._model = name, rest or name
        self._provider = provider
        self._target = Function(provider.complete, models=[model], limits=limits)
        self.limits_key = EndpointKey(name, "")

    async def complete(self, request: Request, *, stream: bool) -> Completion:
        """The provider's answer, within the limit of time, with its cost if it is known."""
        asked = replace(request, model=self._model, stream=stream)
        completion = await self._target.complete(asked)
        return self.tariff.add_cost(completion) if self.tariff else completion

    def gives_logprobs(self, parameters: Parameters) -> bool:
        """True: a provider decides by itself."""
        del parameters
        return True

    def most_usd(self, request: Request) -> float | None:
        """The maximum cost of a request by the provider; None if it does not know it."""
        bound = getattr(self._provider, "most_usd", None)
        most: float | None = bound(replace(request, model=self._model)) if bound else None
        return most

    def description(self) -> dict[str, Any]:
        """The id, the version and the provider's own facts."""
        describe = getattr(self._provider, "description", None)
        cls = type(self._provider)
        facts = {
            "provider": self._name,
            "version": getattr(cls, "version", ""),
            "model": self._model,
        }
        return {**(describe() if describe else {}), **facts}
