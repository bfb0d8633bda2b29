"""Live models: routes each model string to its endpoint, provider, program or function."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.plugins import provider
from benchmaker.providers.base import Provider, Request, tool_texts
from benchmaker.providers.endpoints.endpoint_file import FILE as ENDPOINT_FILE
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, resolve_model
from benchmaker.providers.endpoints.keys import Keys
from benchmaker.providers.network.egress import VARIABLE as REACH
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.providers.network.transport import HttpLimits, Transport
from benchmaker.providers.prices.costs import Prices, Tariff
from benchmaker.providers.prices.price_file import FILE as PRICE_FILE
from benchmaker.providers.protocols.client import Client
from benchmaker.providers.protocols.dialect import Dialect
from benchmaker.providers.protocols.embeddings import Embeddings
from benchmaker.providers.protocols.openai import ChatCompletions
from benchmaker.providers.protocols.rate_hints import EndpointKey, OnHints
from benchmaker.providers.recipe import Recipe
from benchmaker.providers.registered import RegisteredRoute, is_registered, open_provider
from benchmaker.providers.routes import COMMAND, LocalRoute, NetworkRoute, Route
from benchmaker.record import Completion
from benchmaker.redact import Redactor
from benchmaker.spec import Parameters
from benchmaker.spec.suites.parameters import MOST_OUTPUT_TOKENS

if TYPE_CHECKING:  # each way of asking loads for models that are asked so
    from benchmaker.providers.command import Command
    from benchmaker.providers.function import Answer

FUNCTION = "python:"
FILES = (ENDPOINT_FILE, PRICE_FILE)
"""The files of a data folder for live models."""
_SETTLING_S = 30.0
_TURN_TOKENS = 16
"""More than any chat template puts around a message."""
_IMAGE_TOKENS = 3_000
"""More than any of the known protocols counts for a picture of a window."""


@provider
class Live:
    """Queries models over the network, programs, or Python functions.

    A model string is ``endpoint/model``, ``https://host/v1#model``, ``command:program arguments``,
    ``python:package.module:function``, or the id of a registered provider, which a slash and the
    name of a model may follow. Faults that can be detected before the first request are
    reported together: unknown endpoints, missing keys, missing programs.

    Args:
        models: the model strings; a function is named ``python:`` and its name. A mapping gives
            the model of each setup by the setup's name, which requests then name as their model.
        environ: the environment: keys, base URLs, proxies, certificates.
        dotenv: a file of further variables; those of ``environ`` take precedence.
        home: the data folder, with the user's ``endpoints.yaml`` and ``prices.yaml``, if any.
        limits: limits of time and size, for each request.
        stream: False disables streaming.
        skip_unavailable: skip models with a missing key or program.
        seed: sent if an endpoint accepts one, plus the number of the run minus one.
        on_hints: called with the rate limits reported by replies.
        transport: the transport; by default the network.

    Raises:
        SpecError: an invalid model string or user file.
        PrerequisiteError: a key or a program is missing; each one is named.
    """

    def __init__(
        self,
        models: "Sequence[str | Answer] | Mapping[str, str | Answer]",
        *,
        environ: Mapping[str, str] | None = None,
        dotenv: Path | None = None,
        home: Path | None = None,
        limits: HttpLimits | None = None,
        stream: bool = True,
        skip_unavailable: bool = False,
        seed: int | None = None,
        on_hints: OnHints | None = None,
        transport: Transport | None = None,
    ) -> None:
        self.streams = stream
        self.limits = limits or HttpLimits()
        self.prices = Prices(home)
        self.seed = seed
        self._environ = dict(environ or {})
        self._reach = EgressPolicy.of(self._environ)
        self._keys = Keys(self._environ, dotenv)
        self._endpoints = endpoints_of(home)
        self._home = home
        self._transport = transport
        self._has_own_transport = transport is not None
        self._routes: dict[str, Route] = {}
        self.skipped: dict[str, str] = {}
        self._functions: dict[str, Answer] = {}
        self._registered: dict[str, Provider] = {}
        given = models.items() if isinstance(models, Mapping) else ((None, one) for one in models)
        named = ((name, self._model_name(one)) for name, one in given)
        self._models = {name or model: model for name, model in named}
        self._open_all(skip_unavailable=skip_unavailable)
        self.redactor = self._keys.redactor()
        self.on_hints = on_hints

    def __repr__(self) -> str:
        return f"Live({list(self._routes)!r})"

    @property
    def models(self) -> tuple[str, ...]:
        """The available models, in order."""
        return tuple(self._routes)

    @property
    def on_hints(self) -> OnHints | None:
        """The callback for rate limits in replies, called with the key and the hints."""
        return self._on_hints

    @on_hints.setter
    def on_hints(self, listener: OnHints | None) -> None:
        self._on_hints = listener
        for route in self._routes.values():
            if isinstance(route, NetworkRoute):
                route.listen(listener)

    @property
    def longest_s(self) -> float:
        """The maximum duration of a request, with two connection attempts and its cost."""
        if self._has_own_transport:
            return inf
        return 2 * self.limits.connect_s + self.limits.total_s + _SETTLING_S

    @property
    def price_version(self) -> str:
        """The version of the prices."""
        return self.prices.version

    def endpoint_key(self, model: str) -> EndpointKey:
        """Return the key whose rate limits apply to a request to this model."""
        return self._route(model).limits_key

    def stated_limits(self, model: str) -> tuple[float | None, float | None]:
        """Return the user's limits of requests and tokens per minute; None if not set."""
        return self._route(model).stated_limits

    def description(self) -> dict[str, Any]:
        """Return the provider's description for a run's record: the routes, without any key."""
        routes = {model: route.description() for model, route in self._routes.items()}
        extra: dict[str, Any] = {} if self.seed is None else {"seed": self.seed}
        if any(name != model for name, model in self._models.items()):
            extra["setups"] = {name: self._models[name] for name in self._routes}
        return {"kind": "live", "stream": self.streams, "models": routes, **extra}

    def takes_schema(self, model: str) -> bool:
        """True if this model supports a JSON Schema for its answers."""
        route = self._route(model)
        return isinstance(route, NetworkRoute) and route.takes_schema

    def embeds(self, model: str) -> bool:
        """True if embeddings can be requested from this model."""
        route = self._route(model)
        if isinstance(route, NetworkRoute):
            return route.embeddings is not None
        return not self._models[model].startswith(COMMAND)

    def unsent_parameters(self, model: str, parameters: Parameters) -> tuple[str, ...]:
        """Return the set parameters that this model is not sent; empty for programs."""
        route = self._route(model)
        return route.unsent_parameters(parameters) if isinstance(route, NetworkRoute) else ()

    def changed_parameters(self, model: str, parameters: Parameters) -> dict[str, str]:
        """Return the parameters of which this model is sent another value, with that value."""
        route = self._route(model)
        return route.changed_parameters(parameters) if isinstance(route, NetworkRoute) else {}

    @property
    def output_limits(self) -> dict[str, Callable[[Parameters], int | None]]:
        """Functions that return the token limit sent to each model; programs have none."""
        known = {name: self._route(name) for name in self.models}
        return {
            name: route.output_limit
            for name, route in known.items()
            if isinstance(route, NetworkRoute)
        }

    def gives_logprobs(self, model: str, parameters: Parameters) -> bool:
        """True if answers of this model can have log probabilities with these parameters."""
        return self._route(model).gives_logprobs(parameters)

    async def complete(self, request: Request) -> Completion:
        """Return the model's answer, with its cost if known.

        Raises:
            ProviderError: the request failed; the message contains no key.
        """
        route = self._route(request.model)
        try:
            return await route.complete(request, stream=self.streams and request.stream)
        except ProviderError as exc:
            self._redact(exc)
            raise

    def prepare(self) -> None:
        """Load the price list if a model needs it; takes a few tenths of a second, once.

        Otherwise it is loaded in a thread on the first answer.
        """
        for route in self._routes.values():
            if route.tariff is not None:
                route.tariff.prepare()
        self.prices.release()

    def most_usd(self, request: Request) -> float | None:
        """Return the maximum cost of a request; None for unknown prices.

        Input is bounded by its bytes, since no token is shorter than one; output by the bound that
        is sent, else by a million tokens. The maximum that a registered provider states comes
        first. Call :meth:`prepare` first; it is slow.
        """
        route = self._route(request.model)
        stated = route.most_usd(request) if isinstance(route, RegisteredRoute) else None
        if stated is not None or route.tariff is None:
            return stated
        texts = (
            *(turn.content for turn in request.messages),
            *request.texts,
            *(tool_texts(request) if request.tools else ()),
        )
        sent = sum(len(text.encode("utf-8", "surrogatepass")) + _TURN_TOKENS for text in texts)
        if request.texts:
            return route.tariff.most_usd(input_tokens=sent, output_tokens=0)
        sent += _IMAGE_TOKENS * len(request.images)
        bound = _output_limit(route, request.parameters) or MOST_OUTPUT_TOKENS
        return route.tariff.most_usd(input_tokens=sent, output_tokens=bound)

    def tariff(self, model: str) -> Tariff | None:
        """The prices of a model; None for a program or function without a price of the user."""
        return self._route(model).tariff

    def recipe(self) -> Recipe:
        """Return a recipe for the same provider elsewhere, with keys and user files.

        Programs and functions must exist there, too.
        """
        files = (self._home / name for name in FILES) if self._home is not None else ()
        return Recipe(
            target="benchmaker.providers.live:Live",
            arguments={
                "models": {name: self._models[name] for name in self._routes},
                "limits": self.limits,
                "stream": self.streams,
                "seed": self.seed,
            },
            variables={name: self._keys.variables.get(name) for name in self._variables()},
            files={path.name: path.read_bytes() for path in files if path.is_file()},
        )

    def _variables(self) -> set[str]:
        """Return the variables of the endpoints in use: keys, base URLs, egress policy."""
        routes = (it for it in self._routes.values() if isinstance(it, NetworkRoute))
        names = {name for it in routes for name in (*it.endpoint.keys, *it.endpoint.base_urls)}
        return {*names, REACH} if self._reach.is_narrow else names

    async def close(self) -> None:
        """Close every connection, and the registered providers."""
        if self._transport is not None:
            await self._transport.close()
        for one in self._registered.values():
            closing = close() if (close := getattr(one, "close", None)) else None
            if inspect.isawaitable(closing):
                await closing

    def _route(self, model: str) -> Route:
        route = self._routes.get(model)
        if route is None:
            raise SpecError(f"{model!r} is not a model of this run.")
        return route

    def _open_all(self, *, skip_unavailable: bool) -> None:
        """Open each model once, for all of its setups."""
        missing: dict[str, PrerequisiteError] = {}
        opened: dict[str, Route] = {}
        for name, model in self._models.items():
            try:
                if model not in opened:
                    opened[model] = self._open(model)
                self._routes[name] = opened[model]
            except PrerequisiteError as exc:
                missing[name] = exc
        if missing and not (skip_unavailable and self._routes):
            raise _all_missing_error(missing)
        self.skipped = {model: exc.message for model, exc in missing.items()}

    def _open(self, model: str) -> Route:
        if self._reach.is_narrow and model.startswith((COMMAND, FUNCTION)):
            raise SpecError(
                f"{model[:80]!r} is a program, and this server runs no programs of its users.",
                hint="Use endpoint/model.",
            )
        if model.startswith(COMMAND):
            return LocalRoute(self._command(model), model, tariff=self.prices.local_tariff(model))
        if model.startswith(FUNCTION):
            from benchmaker.providers.function import Function  # noqa: PLC0415  see above

            function = self._functions.get(model, model.removeprefix(FUNCTION))
            target = Function(function, models=[model], limits=self.limits)
            return LocalRoute(target, model, tariff=self.prices.local_tariff(model))
        if is_registered(model, self._endpoints):
            return self._registered_route(model)
        endpoint, name = resolve_model(model, self._endpoints, self._keys.variables)
        return self._network_route(model, endpoint, name)

    def _registered_route(self, model: str) -> RegisteredRoute:
        """The route of a model; those of one provider share it."""
        name = model.partition("/")[0]
        if name not in self._registered:
            self._registered[name] = open_provider(name, self._keys.variables)
        tariff = self.prices.local_tariff(model)
        return RegisteredRoute(self._registered[name], model, self.limits, tariff=tariff)

    def _model_name(self, model: "str | Answer") -> str:
        return model if isinstance(model, str) else self._function_name(model)

    def _function_name(self, function: "Answer") -> str:
        """The model string of a function that was given itself."""
        from benchmaker.providers.function import name_of  # noqa: PLC0415  see above

        if not callable(function):
            raise SpecError(
                f"a model must be a name or a function, not {function!r:.80}.",
                hint="Write endpoint/model, for example openai/gpt-4o-mini.",
            )
        name = FUNCTION + name_of(function)
        if self._functions.setdefault(name, function) is not function:
            raise SpecError(
                f"two functions have the name {name.removeprefix(FUNCTION)!r}.",
                hint="Define each function with a unique name.",
            )
        return name

    def _command(self, model: str) -> "Command":
        from benchmaker.providers.command import Command  # noqa: PLC0415  see above

        environ, secrets = self._keys.without_keys(self._environ, self._endpoints.values())
        return Command(
            model.removeprefix(COMMAND),
            models=[model],
            environ=environ,
            limits=self.limits,
            redactor=Redactor(secrets),
        )

    def _network_route(self, model: str, endpoint: Endpoint, name: str) -> "NetworkRoute":
        self._reach.check_literal(endpoint.base_url)
        key = self._keys.key(endpoint)
        dialect = dialect_of(endpoint, name, seed=self.seed)
        limits_key = EndpointKey(endpoint.name, endpoint.host, key.variable if key else "")

        def client(dialect: Dialect) -> Client:
            return Client(
                name,
                endpoint.url(dialect.path),
                host=endpoint.host,
                key=key,
                dialect=dialect,
                transport=self._network(),
                limits=self.limits,
                limits_key=limits_key,
            )

        return NetworkRoute(
            client(dialect),
            endpoint,
            self.prices.tariff(endpoint, name, requested=model),
            client(Embeddings(endpoint, name)) if endpoint.protocol == "openai" else None,
        )

    def _network(self) -> Transport:
        if self._transport is None:
            from benchmaker.providers.network.http import Http  # noqa: PLC0415  aiohttp is slow to load

            self._transport = Http(self.limits, environ=self._environ)
        return self._transport

    def _redact(self, error: ProviderError) -> None:
        clean = self.redactor.text
        error.message, error.hint = clean(error.message), clean(error.hint)
        error.where, error.partial_text = clean(error.where), clean(error.partial_text)
        error.args = (error.message,)


def dialect_of(endpoint: Endpoint, model: str, *, seed: int | None = None) -> Dialect:
    """Return the dialect for a model at an endpoint."""
    if endpoint.protocol == "anthropic":
        from benchmaker.providers.protocols.anthropic import Messages  # noqa: PLC0415  see above

        return Messages(endpoint, model)
    return ChatCompletions(endpoint, model, seed=seed)


def _output_limit(route: Route, parameters: Parameters) -> int | None:
    """The token limit that a model is sent; a program gets it with the parameters."""
    if isinstance(route, NetworkRoute):
        return route.output_limit(parameters)
    return parameters.output_bound


def _all_missing_error(missing: Mapping[str, PrerequisiteError]) -> PrerequisiteError:
    """One error that names everything that is missing."""
    messages = dict.fromkeys(exc.message for exc in missing.values())
    hints = dict.fromkeys(exc.hint for exc in missing.values())
    return PrerequisiteError(" ".join(messages), hint=" ".join(hints))
