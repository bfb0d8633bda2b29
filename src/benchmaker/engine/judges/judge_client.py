"""Queries judges: each question once, its reply durable before it counts."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from benchmaker.engine.judges.embedder import Embedder
from benchmaker.engine.judges.model_requests import ModelRequests, until_durable
from benchmaker.engine.judges.replies import (
    JudgmentContext,
    flag_unusable,
    is_refusal,
    is_usable,
    reply_of,
    take_over,
)
from benchmaker.engine.judges.reply_keys import find_reply, question_key
from benchmaker.engine.requests.budget import Budget, refuse_unpriced
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.single_request import recorded_attempts
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.errors import (
    PrerequisiteError,
    ProviderError,
    ScorerError,
    StoreError,
)
from benchmaker.providers.base import Image, Provider, Request, describe
from benchmaker.providers.recorded_judge import JudgedAnswer, RecordedJudge
from benchmaker.record import Judgment, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.scoring.base import AskingHalted, EmbeddingQuery, Question, Reply, Vector
from benchmaker.spec import Case
from benchmaker.store import Store, Writer

if TYPE_CHECKING:
    from benchmaker.engine.requests.preparing import AnswerPreparer

FOR_ALL_RUNS = frozenset({"reference", "false_reference", "checklist"})
"""Purposes of requests about a case rather than an answer: a common reference for all its runs."""

_BAD_REQUEST = 400


class _JudgmentResult(NamedTuple):
    """A judgment, whether it was stored, and the error if there is no reply."""

    judgment: Judgment
    was_there: bool
    error: Exception | None = None


class JudgeClient:
    """Sends questions to judges through the common retry layer.

    A repeated question in the same run is answered from the store at no cost; one in flight is
    awaited. Questions of other runs are sent again, since repeated runs measure the variation of
    judges. Only texts that a judge writes for a case before judging apply to all runs, and with
    ``cached_number`` the judgments of runs with that number are reused as well; never an unusable
    reply. At most ``concurrency`` requests are in flight. A judge with a refused key, an exhausted
    quota, or five equal failures in a row halts the client, and so does a reached budget: the
    remaining answers wait for judging. ``stopped`` is the judge with the reason. ``limiters`` and
    ``budget`` are those of the run; ``on_paid`` is called with the cost of each question.
    ``embeddings`` is the provider of embeddings, under the same rules; ``on_embedded`` is called
    with the cost of each request to it.
    """

    def __init__(
        self,
        store: Store,
        writer: Writer,
        provider: Provider | RecordedJudge,
        *,
        concurrency: int = 5,
        limits: RunLimits | None = None,
        clock: Clock | None = None,
        random: Random | None = None,
        limiters: RateLimiters | None = None,
        budget: Budget | None = None,
        on_paid: Callable[[float | None], object] | None = None,
        cached_number: int | None = None,
        embeddings: Provider | None = None,
        on_embedded: Callable[[float | None], object] | None = None,
    ) -> None:
        self._on_paid = on_paid
        self._cached_number = cached_number
        self._store = store
        self._writer = writer
        self._provider = provider
        self._clock = clock or SystemClock()
        self._description: dict[str, Any] = describe(provider)
        self._flying: dict[str, asyncio.Future[_JudgmentResult]] = {}
        self._plain: set[str] = set()
        self.requested = self.found = 0
        self._halted = ""
        limits = limits or RunLimits(concurrency=concurrency)
        sending = partial(
            ModelRequests, concurrency=concurrency, limits=limits, clock=self._clock,
            random=random, limiters=limiters, budget=budget,
        )  # fmt: skip
        self._requests = (
            None if isinstance(provider, RecordedJudge) else sending(provider, noun="judge")
        )
        self._embedder = (
            Embedder(
                store, writer, sending(embeddings, noun="embedding model"), on_paid=on_embedded
            )
            if embeddings is not None
            else None
        )

    @property
    def halt_reason(self) -> str:
        """The reason why no questions are sent any more; empty while they are."""
        return self._halted or next(filter(None, (it.halt_reason for it in self._senders)), "")

    @property
    def has_failed(self) -> bool:
        """True if a failing judge ended the questions, not a stop or the budget.

        Answers are prepared all the same: this needs no judge.
        """
        return bool(self.stopped) and not self._halted

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return sum(it.in_flight for it in self._senders)

    @property
    def stopped(self) -> dict[str, str]:
        """The stopped models, with the reasons."""
        return {name: why for it in self._senders for name, why in it.stopped.items()}

    @property
    def _senders(self) -> list[ModelRequests]:
        embedding = self._embedder.requests if self._embedder else None
        return [it for it in (self._requests, embedding) if it is not None]

    def pause(self, *, is_paused: bool) -> None:
        """Hold questions that are not in flight, or release them again."""
        for sender in self._senders:
            sender.pause(is_paused=is_paused)

    def refuse_unpriced(self, judges: Sequence[str], embedding_models: Sequence[str]) -> None:
        """Raise PrerequisiteError if a price is unknown, without which no budget can be kept."""
        if self._requests is not None:
            refuse_unpriced(self._requests.provider, judges)
        if self._embedder is not None:
            refuse_unpriced(self._embedder.requests.provider, embedding_models, embeds=True)

    def limit_spending(self, budget: Budget) -> None:
        """Keep the budget from now on."""
        for sender in self._senders:
            sender.limit_spending(budget)

    def halt(self, reason: str) -> None:
        """Send nothing more; requests in flight are completed."""
        self._halted = self._halted or reason
        for sender in self._senders:
            sender.halt(reason)

    async def close(self) -> None:
        """Cancel requests in flight."""
        flying = list(self._flying.values())
        for one in flying:
            one.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
        if self._embedder is not None:
            await self._embedder.close()
        for sender in self._senders:
            sender.close()

    async def embed(self, query: EmbeddingQuery, about: JudgmentContext) -> tuple[Vector, ...]:
        """Return the embeddings of texts; see :meth:`Embedder.embed`."""
        if self._embedder is None:
            raise ScorerError("no embedding model is open for this run.")
        if self.halt_reason:
            raise AskingHalted(self.halt_reason)
        return await self._embedder.embed(query, about.run_id)

    async def answer(
        self, question: Question, about: JudgmentContext | None = None, *, is_repeated: bool = False
    ) -> Reply:
        """Return the durable reply to a question.

        If it ``is_repeated``, a stored refusal does not count.

        Raises:
            ProviderError: no reply.
            JudgeRefused: the judge refused to judge.
            AskingHalted: no questions are sent any more.
            StoreError: the store is not writable.
        """
        about = about or JudgmentContext()
        question = self._fit_schema(question)
        key = question_key(question, self._description, about)
        is_mine = key not in self._flying
        if is_mine:
            flying = asyncio.ensure_future(
                self._find_or_ask(key, question, about, is_repeated=is_repeated)
            )
            self._flying[key] = flying
            flying.add_done_callback(lambda _: self._flying.pop(key, None))
        reply = await asyncio.shield(self._flying[key])
        if _refuses_schema(reply.error) and question.schema is not None:
            self._plain.add(question.model)
            return await self.answer(question, about, is_repeated=is_repeated)
        if reply.error is not None:
            raise reply.error
        return reply_of(reply.judgment, was_there=reply.was_there or not is_mine)

    def answer_of(self, run_id: str, model: str, case_id: str) -> str | None:
        """Return the stored answer of a model to a case of a run; None if it has none.

        Raises:
            StoreError: the trial does not exist.
        """
        trial = self._store.trial(run_id, model, case_id)
        return trial.completion.text if trial.completion else None

    def _fit_schema(self, question: Question) -> Question:
        """Without the schema, where the endpoint keeps to none."""
        takes = getattr(self._provider, "takes_schema", None)
        if question.schema is None or (
            takes is not None and takes(question.model) and question.model not in self._plain
        ):
            return question
        return replace(question, schema=None)

    async def _find_or_ask(
        self, key: str, question: Question, about: JudgmentContext, *, is_repeated: bool
    ) -> _JudgmentResult:
        """Return the judgment from the store, or else request and store it."""
        known = self._find_stored(key, question, about, is_repeated=is_repeated)
        if known is not None:
            self.found += 1
            if known.run_id != about.run_id:
                await self._keep(take_over(known, about, question, self._clock.now_utc()))
            return _JudgmentResult(known, was_there=True)
        if self.halt_reason:
            raise AskingHalted(self.halt_reason)
        made, error = await self._ask(key, question, about)
        if _refuses_schema(error) and question.schema is not None:
            return _JudgmentResult(made, was_there=False, error=error)
        made = flag_unusable(made, question)
        await self._keep(made)
        if isinstance(error, AskingHalted):
            raise error
        return _JudgmentResult(made, was_there=False, error=error)

    def _find_stored(
        self, key: str, question: Question, about: JudgmentContext, *, is_repeated: bool
    ) -> Judgment | None:
        """Return the usable stored judgment; None if the judge must be queried.

        Within its own run an unusable one is continued, since a live judge was told its fault.
        """
        if isinstance(self._provider, RecordedJudge):
            return self._find_recorded(self._provider, question, about)
        own = find_reply(self._store, question, self._description, about)
        if own is not None and not (is_repeated and is_refusal(own)):
            return own
        is_for_all = question.purpose in FOR_ALL_RUNS
        if about.run_id is None or not (is_for_all or self._cached_number):
            return None
        number = None if is_for_all else self._cached_number
        others = self._store.other_judgments(key, run_id=about.run_id, number=number)
        return next((it for it in others if is_usable(it, question)), None)

    def _find_recorded(
        self, recorded: RecordedJudge, question: Question, about: JudgmentContext
    ) -> Judgment | None:
        """The stored judgment of the run that serves, unless the file now says something else."""
        known = find_reply(self._store, question, self._description, about)
        if known is None or not is_usable(known, question):
            return None
        try:
            found = recorded.find(known, about.judged)
        except ProviderError:
            return known
        return known if known.completion and found.text == known.completion.text else None

    async def _ask(
        self, key: str, question: Question, about: JudgmentContext
    ) -> tuple[Judgment, Exception | None]:
        made = Judgment(
            key=key,
            judge=question.model,
            purpose=question.purpose,
            run_id=about.run_id,
            case_id=question.case_id,
            model=about.model,
            repeat=question.repeat,
            order=question.order,
            nonce=question.nonce,
            is_structured=question.schema is not None,
        )
        self.requested += 1
        if isinstance(self._provider, RecordedJudge):
            return self._look_up(self._provider, made, about.judged)
        trying, answer = await self._live.send(await self._request_for(question))
        error = self._live.error_of(trying, answer)
        made = replace(
            made,
            completion=answer.completion,
            attempts=answer.attempts,
            error_type=answer.error_type,
            error=answer.error,
            created_at=self._clock.now_utc(),
        )
        return made, error

    def _look_up(
        self, recorded: RecordedJudge, made: Judgment, judged: JudgedAnswer
    ) -> tuple[Judgment, Exception | None]:
        """The recorded reply, from which no nonce can be demanded."""
        made = replace(made, nonce="", created_at=self._clock.now_utc())
        try:
            return replace(made, completion=recorded.find(made, judged)), None
        except ProviderError as exc:
            error_type, attempts = type(exc).__name__, recorded_attempts(exc, made.created_at)
            made = replace(made, error_type=error_type, error=str(exc), attempts=attempts)
            return made, exc

    async def _request_for(self, question: Question) -> Request:
        return Request(
            model=question.model,
            case_id=question.case_id,
            run=question.repeat,
            messages=question.messages,
            parameters=question.parameters,
            stream=False,
            response_schema=question.schema,
            images=await asyncio.to_thread(self._images, question) if question.pictures else (),
        )

    def _images(self, question: Question) -> tuple[Image, ...]:
        """The pictures of a question, out of the store."""
        found = (self._store.renders.find_blob(it.sha256) for it in question.pictures)
        return tuple(Image(blob.type, blob.body) for blob in found)

    @property
    def _live(self) -> ModelRequests:
        if self._requests is None:
            raise TypeError("recorded judges take no requests")
        return self._requests

    async def _keep(self, judgment: Judgment) -> None:
        """Write it down, and wait until it is durable."""
        if self._on_paid is not None:
            self._on_paid(judgment.cost_usd)
        await until_durable(
            self._writer, lambda noted: self._writer.put_judgment(judgment, on_durable=noted)
        )


class ScorerAsk:
    """The queries of one answer's scorer: an :class:`~benchmaker.scoring.base.Ask`.

    ``halted`` is true if a question was not sent, so that the answer still waits for judging;
    ``broken`` holds an error that stops the whole run. With ``repeats_unreadable``, an unreadable
    stored reply is not final: the judge is queried once more.
    """

    def __init__(
        self,
        client: JudgeClient,
        about: JudgmentContext,
        *,
        answers: "Answers | None" = None,
        repeats_unreadable: bool = False,
        preparing: "AnswerPreparer | None" = None,
    ) -> None:
        self.repeats_unreadable = repeats_unreadable
        self._preparing = preparing
        self._client = client
        self._about = about
        self._answers = answers
        self.halted = False
        self.broken: StoreError | PrerequisiteError | None = None

    async def ask(self, question: Question) -> Reply:
        """The reply; see :meth:`JudgeClient.answer`."""
        try:
            return await self._client.answer(
                question, self._about, is_repeated=self.repeats_unreadable
            )
        except AskingHalted:
            self.halted = True
            raise
        except StoreError as exc:
            self.broken = exc
            raise

    async def embed(self, query: EmbeddingQuery) -> tuple[Vector, ...]:
        """The embeddings; see :meth:`Embedder.embed`."""
        try:
            return await self._client.embed(query, self._about)
        except AskingHalted:
            self.halted = True
            raise
        except StoreError as exc:
            self.broken = exc
            raise

    async def answer_of(self, model: str, case_id: str) -> str | None:
        """The answer of another model of the run; halts where it may still come."""
        try:
            return self._answers(model, case_id) if self._answers else None
        except AskingHalted:
            self.halted = True
            raise

    async def prepared_answer(self, case: Case, trial: Trial) -> PreparedAnswer:
        """The answer prepared for the judge; see :meth:`AnswerPreparer.prepared_answer`."""
        if self._preparing is None:
            raise ScorerError("no component prepares the answers of this run for judging.")
        try:
            return await self._preparing.prepared_answer(case, trial)
        except AskingHalted:
            self.halted = True
            raise
        except (StoreError, PrerequisiteError) as exc:
            self.broken = exc
            raise


Answers = Callable[[str, str], str | None]
"""Returns a model's answer to a case; None if it has none, AskingHalted if it may still come."""


def _refuses_schema(error: Exception | None) -> bool:
    """True if a request was refused as invalid, possibly only because of its schema."""
    return isinstance(error, ProviderError) and error.status == _BAD_REQUEST
