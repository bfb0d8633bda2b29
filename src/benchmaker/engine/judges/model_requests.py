"""Requests to the models that score answers: judges, and models of embeddings."""

import asyncio
from collections.abc import Callable
from random import Random, SystemRandom

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.judge_queue import JudgeScheduler
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.retry import Breaker
from benchmaker.engine.requests.shared_endpoints import limiters_for
from benchmaker.engine.trials.answer import STOPS_MODEL, RequestResult, failure_result
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.errors import ProviderError, StoreError, TrialError
from benchmaker.providers.base import Provider, Request
from benchmaker.scoring.base import AskingHalted
from benchmaker.store import Writer

_LOOK_S = 0.5


class ModelRequests:
    """Sends requests to the models of one provider through the common retry layer.

    At most ``concurrency`` are in flight. A model with a refused key, an exhausted quota, or five
    equal failures in a row halts all, and so does a reached budget. ``stopped`` is the model, named
    by ``noun`` and its name, with the reason. ``limiters`` and ``budget`` are those of the run.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        noun: str,
        concurrency: int,
        limits: RunLimits,
        clock: Clock | None = None,
        random: Random | None = None,
        limiters: RateLimiters | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.provider = provider
        self.clock = clock or SystemClock()
        self.stopped: dict[str, str] = {}
        self._noun = noun
        self._retry = limits.retry
        self._random = random or SystemRandom()
        self._breaker = Breaker(limits.client_errors)
        self._most: Callable[[Request], float | None] | None = (
            getattr(provider, "most_usd", None) if budget is not None else None
        )
        self._own_limiters: RateLimiters | None = None
        if limiters is None:
            limiters = self._own_limiters = limiters_for(provider, limits, clock=self.clock)
        limiters.listen_to(provider)
        self._turns = JudgeScheduler(
            provider, limiters=limiters, budget=budget, clock=self.clock, concurrency=concurrency
        )

    @property
    def halt_reason(self) -> str:
        """The reason why nothing is sent any more; empty while it is."""
        return self._turns.halted

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return self._turns.flying

    def close(self) -> None:
        """End the use of the endpoints; nothing is in flight any more."""
        if self._own_limiters is not None:
            self._own_limiters.close()

    def halt(self, reason: str) -> None:
        """Send nothing more; requests in flight are completed."""
        self._turns.halt(reason)

    def pause(self, *, is_paused: bool) -> None:
        """Hold requests that are not in flight, or release them again."""
        self._turns.is_paused = is_paused

    def limit_spending(self, budget: Budget) -> None:
        """Keep the budget from now on, also for requests in flight."""
        self._most = getattr(self.provider, "most_usd", None)
        self._turns.limit_spending(budget, lambda trying: self._worst_usd(trying.request))

    def _worst_usd(self, request: Request) -> float:
        """The maximum cost of a request, if a budget is kept."""
        return (self._most(request) or 0.0) if self._most is not None else 0.0

    async def send(self, request: Request) -> tuple[TrialRequests, RequestResult]:
        """Send a request, each attempt in its turn, and return its end.

        Raises:
            AskingHalted: it was not sent, and nothing is sent any more.
        """
        trying = TrialRequests(request, worst_usd=self._worst_usd(request))
        while True:
            try:
                await self._turns.take(trying)
            except AskingHalted as exc:
                if not trying.attempts:
                    raise
                trying.error = exc
                return trying, failure_result(exc, trying.attempts)
            try:
                ended = await trying.attempt(
                    self.provider, clock=self.clock, retry=self._retry, random=self._random
                )
            finally:
                self._turns.give_back(trying)
            if isinstance(ended, RequestResult):
                return trying, ended
            await self._turns.sleep(ended.wait_s)

    def error_of(self, trying: TrialRequests, answer: RequestResult) -> Exception | None:
        """Return the error to raise for a failed request; it may halt all requests."""
        error, model = trying.error, trying.model
        if self._breaker.note(model, error):
            answer = answer._replace(stops_model=True, reason=answer.error or "")
        if answer.stops_model or isinstance(error, STOPS_MODEL):
            name = f"{self._noun} {model}"
            self.stopped.setdefault(name, answer.reason)
            self.halt(f"{name}: {answer.reason}")
            return AskingHalted(answer.reason)
        if error is None or isinstance(error, (TrialError, AskingHalted)):
            return error
        return ProviderError(f"{type(error).__name__}: {error}")


async def until_durable(
    writer: Writer, put: Callable[[Callable[[object], object]], object]
) -> None:
    """Wait until an item is durable; ``put`` queues it, with the function to call then.

    Raises:
        StoreError: the writer has stopped.
    """
    loop = asyncio.get_running_loop()
    durable: asyncio.Future[None] = loop.create_future()
    put(lambda _: loop.call_soon_threadsafe(_mark_durable, durable))
    while not durable.done():
        await asyncio.wait({durable}, timeout=_LOOK_S)
        error: StoreError | None = writer.error
        if error is not None and not durable.done():
            raise error


def _mark_durable(durable: "asyncio.Future[None]") -> None:
    if not durable.done():
        durable.set_result(None)
