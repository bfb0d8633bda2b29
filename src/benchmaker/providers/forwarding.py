"""Forwards requests of agents to endpoints: the key is added here, and nowhere else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, resolve_model
from benchmaker.providers.endpoints.keys import Key, Keys
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.providers.network.transport import HttpLimits, RequestContext, Transport
from benchmaker.providers.prices.costs import Prices, Tariff
from benchmaker.providers.protocols.rate_hints import EndpointKey, OnHints, RateHints, rate_hints
from benchmaker.providers.wires.form import WireCall, WireForm
from benchmaker.redact import MARK, SHORTEST, Redactor

FORWARD_LIMITS = HttpLimits(
    first_byte_s=600.0, idle_s=300.0, total_s=3_600.0, linger_s=1.0, body_bytes=256 * 2**20
)
"""An agent's requests are long, and it has its own timeouts."""

_TO_ENDPOINT = ("accept", "anthropic-beta", "anthropic-version", "openai-beta")
_TO_AGENT = (
    "anthropic-ratelimit-", "content-type", "ratelimit-", "request-id", "retry-after",
    "x-ratelimit-", "x-request-id", "x-should-retry",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ForwardRoute:
    """A model string, its endpoint with the model's name there, the key and the prices."""

    requested: str
    endpoint: Endpoint
    model: str
    key: Key | None
    tariff: Tariff

    @property
    def limits_key(self) -> EndpointKey:
        """The scope of rate limits."""
        variable = self.key.variable if self.key else ""
        return EndpointKey(self.endpoint.name, self.endpoint.host, variable)


class Forwarding:
    """Sends requests of agents to the endpoints of some models, as they are, with the key.

    A model string is ``endpoint/model`` or ``https://host/v1#model``. Proxies, certificates and
    the egress policy are those of ``environ``. A request that a host may have received is never
    sent again.

    Args:
        models: the model strings.
        environ: the environment: keys, base URLs, proxies, certificates.
        dotenv: a file of further variables; those of ``environ`` take precedence.
        home: the data folder, with the user's ``endpoints.yaml`` and ``prices.yaml``, if any.
        limits: limits of time and size, for each request.
        transport: the transport; by default the network.
        needs_keys: False if nothing will be sent.

    Raises:
        SpecError: an invalid model string or user file.
        PrerequisiteError: a key is missing.
    """

    def __init__(
        self,
        models: Sequence[str],
        *,
        environ: Mapping[str, str] | None = None,
        dotenv: Path | None = None,
        home: Path | None = None,
        limits: HttpLimits = FORWARD_LIMITS,
        transport: Transport | None = None,
        needs_keys: bool = True,
    ) -> None:
        self._environ = dict(environ or {})
        self._reach = EgressPolicy.of(self._environ)
        self._keys = Keys(self._environ, dotenv)
        self._endpoints = endpoints_of(home)
        self._prices = Prices(home)
        self._limits = limits
        self._transport = transport
        self._needs_keys = needs_keys
        self._routes = {model: self._route_of(model) for model in models}
        self._by_limits = {route.limits_key: route for route in self._routes.values()}
        self.redactor: Redactor = self._keys.redactor()
        self.on_hints: OnHints | None = None

    def __repr__(self) -> str:
        return f"Forwarding({list(self._routes)!r})"

    def route(self, model: str) -> ForwardRoute:
        """Return the route of a model; SpecError if it is not one of these."""
        found = self._routes.get(model)
        if found is None:
            known = ", ".join(self._routes) or "none"
            raise SpecError(
                f"{model!r} is not a model of this gateway.", hint=f"Its models are: {known}."
            )
        return found

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys in use."""
        return self._keys.secrets

    def endpoint_key(self, model: str) -> EndpointKey:
        """Return the key whose rate limits apply to a request to this model."""
        return self.route(model).limits_key

    def stated_limits(self, model: str) -> tuple[float | None, float | None]:
        """Return the user's limits of requests and tokens per minute; None if not set."""
        endpoint = self.route(model).endpoint
        return endpoint.requests_per_minute, endpoint.tokens_per_minute

    def prepare(self) -> None:
        """Load the price list if a model needs it; takes a few tenths of a second, once."""
        for route in self._routes.values():
            route.tariff.prepare()
        self._prices.release()

    def request(
        self,
        route: ForwardRoute,
        form: WireForm,
        call: WireCall,
        body: bytes,
        *,
        headers: Mapping[str, str],
        query: str = "",
        on_send: Callable[[], None] | None = None,
    ) -> RequestContext:
        """Return the request to the endpoint, for use with ``async with``.

        ``headers`` are the agent's, in lower case; only those that concern the protocol are sent.
        ``on_send`` is called once the request is written to a connection.
        """
        sent = {name: headers[name] for name in _TO_ENDPOINT if name in headers}
        url = form.url(route.endpoint, call, route.model)
        own = form.headers(route.endpoint, route.key.reveal() if route.key else None)
        missing = {name: value for name, value in own.items() if name.lower() not in sent}
        return self._network().request(
            f"{url}?{query}" if query else url,
            headers={
                **sent,
                **missing,
                "Content-Type": "application/json",
                "User-Agent": "benchmaker",
                "Accept-Encoding": "identity",
            },
            body=body,
            on_send=on_send,
        )

    def note_hints(self, route: ForwardRoute, headers: Mapping[str, str]) -> RateHints | None:
        """Report the rate limits in a reply to the listener, and return them."""
        hints = rate_hints(headers)
        if hints is not None and self.on_hints is not None:
            self.on_hints(route.limits_key, hints)
        return hints

    def reply_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a reply that concern the agent, without secrets."""
        return {
            name.lower(): self.redactor.text(value)
            for name, value in headers.items()
            if name.lower().startswith(_TO_AGENT)
        }

    async def close(self) -> None:
        """Close every connection."""
        if self._transport is not None:
            await self._transport.close()

    def _route_of(self, model: str) -> ForwardRoute:
        endpoint, name = resolve_model(model, self._endpoints, self._keys.variables)
        self._reach.check_literal(endpoint.base_url)
        key = self._keys.key(endpoint) if self._needs_keys else None
        tariff = self._prices.tariff(endpoint, name, requested=model)
        return ForwardRoute(model, endpoint, name, key, tariff)

    def _network(self) -> Transport:
        if self._transport is None:
            from benchmaker.providers.network.http import Http  # noqa: PLC0415  aiohttp is slow to load

            self._transport = Http(self._limits, environ=self._environ, resends=False)
        return self._transport


class KeyMask:
    """Removes keys from a stream of bytes, wherever the network cuts it.

    Everything else passes unchanged. Bytes that may be the start of a key are held back.

    >>> mask = KeyMask(["sk-secret-1"])
    >>> mask.feed(b"it is sk-sec"), mask.feed(b"ret-1 or sk-s"), mask.finish()
    (b'it is ', b'[redacted] or ', b'sk-s')
    """

    __slots__ = ("_held", "_keys")

    def __init__(self, secrets: Sequence[str]) -> None:
        self._keys = tuple(secret.encode() for secret in secrets if len(secret) >= SHORTEST)
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes that are certain to hold no start of a key."""
        data = self._mask(self._held + chunk if self._held else chunk)
        size = max((_overlap(data, key) for key in self._keys), default=0)
        self._held = data[len(data) - size :]
        return data[: len(data) - size]

    def finish(self) -> bytes:
        """Return the rest."""
        rest, self._held = self._held, b""
        return rest

    def _mask(self, data: bytes) -> bytes:
        for key in self._keys:
            if key in data:
                data = data.replace(key, MARK.encode())
        return data


def _overlap(data: bytes, key: bytes) -> int:
    """The length of the longest proper start of the key with which the data ends."""
    for size in range(min(len(key) - 1, len(data)), 0, -1):
        if data.endswith(key[:size]):
            return size
    return 0
