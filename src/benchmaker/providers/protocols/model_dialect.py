"""The part of a dialect that is the same for every protocol: one model's quirks, and failures."""

from typing import Any

from benchmaker.errors import ProviderError
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.classify import ProviderFault, fault_of, reported_failure
from benchmaker.spec import Parameters


class ModelDialect:
    """The dialect of one model, by the quirks of its endpoint."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._quirks = endpoint.quirks_of(model)
        self._host = endpoint.host

    def output_limit(self, parameters: Parameters) -> int | None:
        """Return the limit of output tokens that is sent; None if none is sent."""
        return self._quirks.output_limit(parameters)

    def changed_parameters(self, parameters: Parameters) -> dict[str, str]:
        """Return the sent value of each parameter that is sent with another value."""
        return self._quirks.changed_parameters(parameters)

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """Return parameters that are set but not sent: protocol or model do not accept them."""
        return self._quirks.unsent_parameters(parameters)

    def refuse(self, error: Any, otherwise: type[ProviderError]) -> None:  # noqa: ANN401  any JSON
        """Raise the error for an error object in a reply."""
        if error:
            fault = fault_of({"error": error}) or ProviderFault(str(error))
            raise reported_failure(fault, host=self._host, otherwise=otherwise)
