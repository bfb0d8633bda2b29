"""Requests to setups, passed on to a provider that knows models only."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from benchmaker.providers.base import Provider, Request
from benchmaker.record import Completion

_BY_MODEL = frozenset({"endpoint_key", "stated_limits", "takes_schema", "tariff"})
_BY_REQUEST = frozenset({"most_usd"})
_OF_MODELS = frozenset({"recipe"})
"""Parts that would describe the provider of models, without the setups."""


class SetupRoutes:
    """A provider for setups over one for models.

    ``setups`` gives the model of each setup by its name. Everything else, such as ``close()``, is
    the provider's own.
    """

    def __init__(self, source: Provider, setups: Mapping[str, str]) -> None:
        self._source = source
        self._setups = dict(setups)
        self.models = tuple(setups)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  optional parts of a provider
        if name.startswith("_") or name in _OF_MODELS:
            raise AttributeError(name)
        part = getattr(self._source, name)
        if name in _BY_MODEL:
            return lambda setup: part(self._setups[setup])
        return (lambda request: part(self._route_request(request))) if name in _BY_REQUEST else part

    async def complete(self, request: Request) -> Completion:
        """Return the answer of the setup's model."""
        return await self._source.complete(self._route_request(request))

    def description(self) -> dict[str, Any]:
        """Return the provider's description, with the model of each setup."""
        describe = getattr(self._source, "description", None)
        known = describe() if describe else {"kind": type(self._source).__qualname__}
        return {**known, "setups": dict(self._setups)}

    def _route_request(self, request: Request) -> Request:
        return replace(request, model=self._setups[request.model])
