"""Working a plan off where models answer now, and everything may go wrong."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.cache import Cache
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.model_queue import ModelQueue
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.recording import STREAM_FALLBACK, TrialRecorder
from benchmaker.engine.requests.retry import Breaker, is_empty
from benchmaker.engine.requests.scheduler import RequestScheduler
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.plan import Plan, Task
from benchmaker.engine.trials.question import CaseQuestion, Questions, setups_with
from benchmaker.providers.base import Provider, Request
from benchmaker.providers.live_text import LISTENING, RetryPause, answer_key_of

if TYPE_CHECKING:
    from benchmaker.engine.requests.conversation import Conversation

_AT_ONCE_S = 1e-4
"""No network answers so soon."""


class _RequestTag(NamedTuple):
    """The purpose of a request; ``conversation`` is that of a case with tools."""

    task: Task
    question: CaseQuestion
    conversation: "Conversation | None" = None


class LiveRequests:
    """Workers that make one request after the other, as scheduled; ``models`` names the setups.

    A worker that has paid for an answer takes nothing new before its row is durable, or that of
    another worker, which then waits instead. So in any crash, at most one answer per worker is paid
    for twice. ``sharing`` gives each setup's
    model: a model that refuses to go on stops all of its setups.
    """

    def __init__(
        self,
        plan: Plan,
        provider: Provider,
        models: tuple[str, ...],
        *,
        keeper: TrialRecorder,
        questions: Questions,
        meter: Meter,
        limits: RunLimits,
        clock: Clock,
        random: Random,
        limiters: RateLimiters,
        budget: Budget | None = None,
        cache: Cache | None = None,
        stream: bool = True,
        sharing: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._plan = plan
        self._sharing = sharing
        self._provider = provider
        self._keeper = keeper
        self._questions = questions
        self._meter = meter
        self._limits = limits
        self._clock = clock
        self._random = random
        self._limiters = limiters
        self._cache = cache
        self._stream = stream
        self._worst_usd = _worst_usd(provider) if budget is not None else _no_cost
        self._workers = limits.concurrency
        self._breaker = Breaker(limits.client_errors)
        self._open: dict[Conversation, _RequestTag] = {}
        self._working = 0
        self._lanes = RequestScheduler(
            {model: self._lane(model) for model in models if model not in meter.stopped},
            clock=clock,
            budget=budget,
            most_waiting=max(limits.concurrency, 1),
        )
        limiters.on_room.add(self._lanes.wake)

    @property
    def worker_count(self) -> int:
        """The number of workers."""
        return self._workers

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return self._lanes.in_flight

    def limiters(self) -> Mapping[str, RateLimiterState]:
        """Return the endpoints' limiters, by endpoint name."""
        return self._limiters.states()

    async def work(self, stop: asyncio.Event) -> None:
        """Make requests until none are left, or until stopped.

        The last worker records the trials that were left between two requests.
        """
        self._working += 1
        try:
            while not stop.is_set() and (trying := await self._lanes.take()) is not None:
                began = self._clock.monotonic()
                await self._step(trying)
                if self._clock.monotonic() - began < _AT_ONCE_S:
                    await asyncio.sleep(0)  # so that others run, too, where nothing was waited for
        finally:
            self._working -= 1
            if not self._working:
                self._limiters.on_room.discard(self._lanes.wake)
                self._record_interrupted()

    def wake(self) -> None:
        """Let go of the workers that wait for something to do."""
        self._lanes.close()

    def pause(self) -> None:
        """Send nothing until :meth:`unpause`; requests in flight are completed."""
        self._lanes.pause()

    def unpause(self) -> None:
        """Continue to send requests."""
        self._lanes.unpause()

    def set_concurrency(self, number: int) -> int:
        """Change the number of workers; return how many calls of :meth:`work` to add."""
        more, self._workers = number - self._workers, number
        self._limiters.resize(number)
        self._lanes.set_most_waiting(number)
        if more < 0:
            self._lanes.end_workers(-more)
            return 0
        return more - self._lanes.keep_workers(more)

    def limit_spending(self, budget: Budget) -> None:
        """Keep the budget from now on, also for requests in flight."""
        self._worst_usd = _worst_usd(self._provider)
        self._lanes.limit_spending(budget, lambda trying: self._worst_usd(trying.request))

    def retry(self, failed: Collection[tuple[str, str]]) -> int:
        """Request these trials again, by case id and model; return the number added.

        Those of dropped models are left out.
        """
        new = {key for key in failed if self._lanes.has(key[1])}
        for model in {model for _, model in new}:
            own = {key for key in new if key[1] == model}
            self._lanes.add_tasks(model, self._plan.tasks_in(own))
        return len(new)

    def _lane(self, model: str) -> ModelQueue:
        return ModelQueue(
            model,
            self._plan.tasks_of(model),
            limiter=self._limiters.limiter_of(model),
            begin=self._begin_trial,
        )

    def _begin_trial(self, task: Task) -> TrialRequests:
        question = self._questions.question_for(task.case, task.model)
        request = question.request_for(task.model, stream=self._stream)
        tag = _RequestTag(task, question)
        if question.tools:
            return self._begin_conversation(request, tag)
        return self._requests(request, tag)

    def _begin_conversation(self, request: Request, tag: _RequestTag) -> TrialRequests:
        """Begin the trial of a case with tools, or go on after its stored steps."""
        from benchmaker.engine.requests.conversation import Conversation  # noqa: PLC0415  few suites have tools

        talk = Conversation(tag.question, self._questions.tool_box, tag.task.earlier)
        trying = self._requests(talk.next_request(request), tag._replace(conversation=talk))
        if trying.request.steps:
            self._limiters.raise_bound(trying.model, trying.request, trying.worst_usd)
        if talk.pending is not None:
            trying.cached = talk.pending
        return trying

    def _requests(self, request: Request, tag: _RequestTag) -> TrialRequests:
        return TrialRequests(
            request,
            tag=tag,
            worst_usd=self._worst_usd(request),
            cached=self._cache.find(request) if self._cache else None,
        )

    async def _step(self, trying: TrialRequests) -> None:
        if trying.cached is not None:
            cached = RequestResult.of(trying.cached)
            if not await self._continues(trying, cached):
                self._lanes.finish(trying)
                await self._keep(trying, cached)
            return
        if (heard := LISTENING.get()) is not None:
            heard.end_pause(answer_key_of(trying.request))
        ended = await trying.attempt(
            self._provider, clock=self._clock, retry=self._limits.retry, random=self._random
        )
        if isinstance(ended, RequestResult):
            if await self._continues(trying, ended):
                return
            self._lanes.finish(trying)
            await self._end(trying, ended)
        else:
            self._lanes.requeue(trying, ended.wait_s)
            if heard is not None:
                heard.begin_pause(
                    answer_key_of(trying.request), self._retry_pause(trying, ended.wait_s)
                )

    def _retry_pause(self, trying: TrialRequests, wait_s: float) -> RetryPause:
        """Return a trial's next request for observers."""
        number = len(trying.attempts) + 1
        most = max(number, 1 + self._limits.retry.retries)
        return RetryPause(number, most, self._clock.monotonic() + wait_s)

    async def _continues(self, trying: TrialRequests, answer: RequestResult) -> bool:
        """Go on with a trial whose model calls tools; return False if the trial is over."""
        tag = _tag_of(trying)
        conversation = tag.conversation
        if conversation is None:
            return False
        if not conversation.add(answer):
            self._open.pop(conversation, None)
            return False
        self._open[conversation] = tag
        self._lanes.land(trying)
        self._breaker.note(trying.model, None)
        if trying.cached is None:
            self._keep_step(trying, tag, conversation, answer)
        await conversation.carry_out()
        await self._keeper.until_durable()
        following = self._requests(conversation.next_request(trying.request), tag)
        following.precedence = trying.urgency + 1
        self._limiters.raise_bound(following.model, following.request, following.worst_usd)
        self._lanes.follow(trying, following)
        return True

    def _keep_step(
        self,
        trying: TrialRequests,
        tag: _RequestTag,
        conversation: "Conversation",
        answer: RequestResult,
    ) -> None:
        """Have an answer written down that tools follow, with all before it."""
        steps = conversation.steps_so_far()
        self._keeper.keep_steps(tag.task, tag.question, steps)
        if self._cache is not None and answer.completion is not None:
            self._cache.put(trying.request, answer.completion)

    def _record_interrupted(self) -> None:
        """Record the trials that end between two requests, with what they cost."""
        open_trials, self._open = self._open, {}
        for conversation, tag in open_trials.items():
            self._keeper.keep_steps(tag.task, tag.question, conversation.interruption())
            conversation.end()

    async def _end(self, trying: TrialRequests, answer: RequestResult) -> None:
        if self._breaker.note(trying.model, trying.error):
            answer = answer._replace(stops_model=True, reason=answer.error or "")
        if answer.stops_model:
            self._give_up(trying.model, answer)
        await self._keep(trying, answer)
        done = None if answer.stops_model else answer.completion
        if self._cache is not None and done is not None and not is_empty(done):
            self._cache.put(trying.request, done)  # after the row, which has the cost
        await self._keeper.until_slot_free()

    async def _keep(self, trying: TrialRequests, answer: RequestResult) -> None:
        tag = _tag_of(trying)
        if tag.conversation is not None:
            answer = tag.conversation.result(answer)
            tag.conversation.end()
        fell_back = self._stream and not trying.request.stream and answer.completion is not None
        flags = (STREAM_FALLBACK,) if fell_back else ()
        await self._keeper.keep(tag.task, tag.question, answer, flags=flags)

    def _give_up(self, model: str, answer: RequestResult) -> None:
        """Ask this model no more; nor those behind a gate that stays shut for too long."""
        for other in setups_with(model, self._sharing):
            self.drop(other, answer.reason)
        now = self._clock.monotonic()
        for other in self._limiters.models_sharing(model):
            if self._limiters.limiter_of(other).gate_until - now > self._limits.retry.max_wait_s:
                self.drop(other, answer.reason)

    def drop(self, model: str, reason: str) -> None:
        """Stop querying this model."""
        self._plan.drop(model)
        self._meter.stopped.setdefault(model, reason)
        self._lanes.drop(model)
        self._lanes.look_again()


def _tag_of(trying: TrialRequests) -> _RequestTag:
    if not isinstance(trying.tag, _RequestTag):
        raise TypeError("not a request of this run")
    return trying.tag


def _worst_usd(provider: Provider) -> Callable[[Request], float]:
    """Return a function for the maximum cost of a request; only used if all prices are known."""
    most: Callable[[Request], float | None] = provider.most_usd  # type: ignore[attr-defined]  # seen to before

    def worst_cost(request: Request) -> float:
        return most(request) or 0.0

    return worst_cost


def _no_cost(_: Request) -> float:
    return 0.0
