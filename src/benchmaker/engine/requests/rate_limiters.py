"""The limiters of all endpoints in a run."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import RateLimiter, RateLimiterState
from benchmaker.engine.trials.clock import Clock
from benchmaker.providers.base import Request
from benchmaker.providers.protocols.rate_hints import EndpointKey, RateHints


class RateLimiters:
    """The limiters of a provider's endpoints; models with the same endpoint and key share one.

    ``judging`` is the maximum number of judges' requests in flight. An endpoint used for answers
    and judging has room for both. A provider without ``endpoint_key`` has one endpoint.
    ``on_room`` are called when another job at an endpoint leaves room for a request.
    """

    def __init__(
        self, provider: object, limits: RunLimits, *, clock: Clock, judging: int | None = None
    ) -> None:
        self._provider = provider
        self._limits = limits
        self._clock = clock
        self._judging = judging
        self._limiters: dict[EndpointKey, RateLimiter] = {}
        self._users: set[tuple[EndpointKey, bool]] = set()
        self._models: dict[str, EndpointKey] = {}
        self.on_room: set[Callable[[], object]] = set()
        self.listen_to(provider)

    def listen_to(self, provider: object) -> None:
        """Also learn limits from replies to this provider."""
        if hasattr(provider, "on_hints"):
            provider.on_hints = self.learn

    def limiter_of(self, model: str, provider: object = None) -> RateLimiter:
        """Return the limiter of this model, with another provider if given."""
        source = provider or self._provider
        key = self._models.get(model)
        if key is None:
            key = self._models[model] = getattr(source, "endpoint_key", _no_endpoint)(model)
        is_judge = provider is not None and self._judging is not None
        room = self._judging if is_judge and self._judging else self._limits.concurrency
        limiter = self._limiters.get(key)
        if limiter is None:
            stated = getattr(source, "stated_limits", _nothing_stated)(model)
            limiter = self._limiters[key] = self.make(key, room, stated)
        elif (key, is_judge) not in self._users:
            limiter.widen(room)
        self._users.add((key, is_judge))
        return limiter

    def make(
        self, key: EndpointKey, room: int, stated: tuple[float | None, float | None]
    ) -> RateLimiter:
        """Return the limiter of an endpoint, with the stated requests and tokens per minute."""
        del key  # of interest where it is shared
        requests, tokens = stated
        return RateLimiter(
            room,
            rules=self._limits.pace,
            requests_per_minute=requests,
            tokens_per_minute=tokens,
            max_wait_s=self._limits.retry.max_wait_s,
        )

    def close(self) -> None:
        """End the use of the endpoints; where no other job uses them, there is nothing to do."""

    def wake(self) -> None:
        """There may be room for a request."""
        for look in tuple(self.on_room):
            look()

    def resize(self, concurrency: int) -> None:
        """Change the number of requests in flight that each endpoint used for answers has."""
        for key, is_judge in self._users:
            if not is_judge:
                self._limiters[key].resize(self._limits.concurrency, concurrency)
        self._limits = replace(self._limits, concurrency=concurrency)

    def raise_bound(self, model: str, request: Request, worst_usd: float) -> None:
        """Expect requests of this size and cost; limiters of this process need no notice."""

    def models_sharing(self, model: str) -> list[str]:
        """The models with the same endpoint and key."""
        key = self._models.get(model)
        return [other for other, its in self._models.items() if its == key]

    def learn(self, key: EndpointKey, hints: RateHints) -> None:
        """Apply a reply's report of limits."""
        limiter = self._limiters.get(key)
        if limiter is not None:
            limiter.learn(self._clock.monotonic(), hints)

    def states(self) -> Mapping[str, RateLimiterState]:
        """Return the state of each, by endpoint name."""
        now = self._clock.monotonic()
        return {str(key): limiter.state(now) for key, limiter in self._limiters.items()}


def _no_endpoint(_: str) -> EndpointKey:
    """Return a single key for providers without endpoints."""
    return EndpointKey("provider", "")


def _nothing_stated(_: str) -> tuple[float | None, float | None]:
    """Return no limits for providers without stated ones."""
    return None, None
