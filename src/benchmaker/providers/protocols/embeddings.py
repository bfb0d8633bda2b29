"""Embeddings, the protocol of OpenAI and most others.

Source: https://platform.openai.com/docs/api-reference/embeddings, and the behaviour of compatible
servers.
"""

from typing import Any

import msgspec

from benchmaker.errors import BadResponse
from benchmaker.providers.base import Request
from benchmaker.providers.endpoints.endpoints import Endpoint
from benchmaker.providers.protocols.classify import ProviderFault, fault_of, reported_failure
from benchmaker.providers.protocols.dialect import StreamReader
from benchmaker.providers.protocols.json_body import Body
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.wire_json import encode_json
from benchmaker.spec import Parameters


class _Reply(msgspec.Struct, gc=False):
    data: list[Any] | None = None  # read by the caller, who says which text has no embedding
    usage: Any = None  # read by read_usage, which expects anything
    model: str | None = None
    error: Any = None  # any JSON


_reply = Body(_Reply, once=("data", "usage"))


class Embeddings:
    """The dialect of one embedding model at an endpoint of protocol ``openai``."""

    path = "/embeddings"

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._host = endpoint.host
        self._model = model

    def headers(self, key: str | None) -> dict[str, str]:
        """The head of every request."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: Request, *, stream: bool) -> bytes:
        """The request as JSON."""
        del stream  # there are no streams of embeddings
        sent: dict[str, Any] = {"model": self._model, "input": request.texts}
        if request.dimensions is not None:
            sent["dimensions"] = request.dimensions
        return encode_json(sent)

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """Return an empty tuple: embeddings have no parameters."""
        del parameters
        return ()

    def changed_parameters(self, parameters: Parameters) -> dict[str, str]:
        """Return an empty mapping: embeddings have no parameters."""
        del parameters
        return {}

    def output_limit(self, parameters: Parameters) -> int | None:
        """Return None: embeddings have no output tokens."""
        del parameters
        return None

    def stream_reader(self, *, tools: bool = False) -> StreamReader:  # noqa: ARG002  embeddings call none
        """Raise BadResponse: there are no streams of embeddings."""
        raise BadResponse(f"{self._host} sent a stream in place of embeddings.")

    def read_whole(self, data: bytes, *, tools: bool = False) -> PartialAnswer:  # noqa: ARG002  as above
        """The embeddings in a reply, as JSON; they have no output tokens.

        Raises:
            BadResponse: it holds no list of embeddings.
            ProviderError: it reports a failure.
        """
        reply = _reply.decode(data)
        if reply.error:
            fault = fault_of({"error": reply.error}) or ProviderFault(str(reply.error))
            raise reported_failure(fault, host=self._host, otherwise=BadResponse)
        if reply.data is None:
            raise BadResponse(f"{self._host} sent a reply without embeddings.")
        draft = PartialAnswer()
        draft.name(reply.model, None)
        draft.finish = "stop"
        draft.parts.append(encode_json(reply.data).decode())
        draft.usage = reply.usage
        if isinstance(reply.usage, dict):
            draft.usage = {**reply.usage, "completion_tokens": 0}
        return draft
