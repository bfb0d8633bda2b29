"""A cache of answers: the same question with the same settings, in the same run number.

Everything sent is part of the key, so that another temperature is another question; so is the
number of the run in its series, so that repeats remain independent.
"""

import hashlib
import json
from typing import Any

import msgspec
from msgspec.structs import replace

from benchmaker.providers.base import Provider, Request
from benchmaker.record import Completion, Step
from benchmaker.record.trial import CACHE_HIT
from benchmaker.store import Store, Writer

_encode = msgspec.json.Encoder(order="deterministic").encode


class Cache:
    """Finds answers in the store and keeps new ones there."""

    def __init__(self, store: Store, writer: Writer, provider: Provider) -> None:
        self._store = store
        self._writer = writer
        self._tariff_of = getattr(provider, "tariff", None)
        describe = getattr(provider, "description", None)
        self._description: dict[str, Any] = describe() if describe else {}

    def find(self, request: Request) -> Completion | None:
        """Return the flagged answer to exactly this request; None if there is none yet.

        Its cost is the stored one, else that of its tokens by the current prices.
        """
        found = self._store.find_cached(self.key(request))
        if found is None:
            return None
        cost_usd = self._price(request.model, found) if found.cost_usd is None else found.cost_usd
        return replace(found, cost_usd=cost_usd, flags=(*found.flags, CACHE_HIT))

    def _price(self, model: str, found: Completion) -> float | None:
        """The cost of an answer that was stored without one; None if it is unknown."""
        tariff = self._tariff_of(model) if self._tariff_of else None
        cost_usd: float | None = tariff.cost_usd(found.usage) if tariff else None
        return cost_usd

    def put(self, request: Request, completion: Completion) -> None:
        """Keep an answer, unless there is one."""
        self._writer.put_cached(self.key(request), completion)

    def key(self, request: Request) -> str:
        """SHA-256 over everything that is sent, whither, and the run's number; 64 hex digits."""
        return request_key(request, self._description)


def request_key(request: Request, description: dict[str, Any]) -> str:
    """The key of a request to a provider with this description.

    It holds the model that is queried, not the setup's name, so that setups share answers.
    """
    routes = description.get("models")
    route = routes.get(request.model) if isinstance(routes, dict) else description
    names = description.get("setups") or {}
    sent = {
        "to": {name: value for name, value in (route or {}).items() if name != "key"},
        "seed": description.get("seed"),
        "model": names.get(request.model, request.model),
        "messages": [[turn.role, turn.content] for turn in request.messages],
        "parameters": request.parameters.model_dump(),
        "run": request.run,
    }
    if request.tools:
        sent["tools"] = [tool.model_dump() for tool in request.tools]
        sent["steps"] = [_sent_step(step) for step in request.steps]
    return hashlib.sha256(_encode_sent(sent)).hexdigest()


def _sent_step(step: Step) -> dict[str, Any]:
    """The part of an earlier answer that is sent, without its figures and flags."""
    done = step.completion
    return {
        "text": done.text,
        "calls": msgspec.to_builtins(done.tool_calls),
        "continuation": done.continuation,
        "results": msgspec.to_builtins(step.results),
    }


def _encode_sent(sent: dict[str, Any]) -> bytes:
    try:
        return _encode(sent)
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 can't say
        return json.dumps(sent, sort_keys=True).encode()
