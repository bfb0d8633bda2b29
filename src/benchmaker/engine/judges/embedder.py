"""Embeddings of texts: batched, requested once, durable before they count."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.engine.judges.model_requests import ModelRequests, until_durable
from benchmaker.engine.judges.vectors import length_of, read_reply, unpack, vector_key
from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.errors import BadResponse, ContextOverflow, ProviderError, Refused
from benchmaker.providers.base import Request, describe
from benchmaker.record import NO_JUDGMENT, Judgment
from benchmaker.record.judgment import EMBEDDING
from benchmaker.scoring.base import EmbeddingQuery, Vector
from benchmaker.spec import Parameters
from benchmaker.store import Store, Writer

MOST_TEXTS = 64
"""Maximum number of texts per request; the strictest of the known endpoints takes 96."""

MOST_BYTES = 200_000
"""Maximum size of the texts of a request, unless it is one text."""

WAIT_S = 0.02
"""Time for which a text waits for others to share its request."""

_KEPT_BYTES = 16_000_000
"""Size of the embeddings kept in memory, those used last."""

_MOST_FAULTS = 10_000
"""Number of texts without an embedding that are remembered."""

_TOO_BIG = frozenset({400, 413, 422})
"""Statuses of a request that may be refused because of one of its texts."""


class _Waiting(NamedTuple):
    """A text on its way to its embedding."""

    key: str
    text: str
    size: int
    found: "asyncio.Future[bytes]"


class Embedder:
    """Embeds texts by models of one provider.

    Texts that arrive together share a request: at most 64, with at most 200 kB, and each waits at
    most 20 ms for others. Equal texts are requested once. Embeddings are stored for all runs,
    together with their request, before they are returned. A request that is refused because of one
    text is halved; a text that is refused, or whose embedding is unusable, is not requested again.
    ``on_paid`` is called with the cost of each request.
    """

    def __init__(
        self,
        store: Store,
        writer: Writer,
        requests: ModelRequests,
        *,
        on_paid: Callable[[float | None], object] | None = None,
    ) -> None:
        self.requests = requests
        self._store = store
        self._writer = writer
        self._on_paid = on_paid
        self._description = describe(requests.provider)
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._known_bytes = 0
        self._faults: dict[str, BaseException] = {}
        self._flying: dict[str, asyncio.Future[bytes]] = {}
        self._queues: dict[tuple[EmbeddingQuery, str | None], list[_Waiting]] = {}
        self._lengths: dict[EmbeddingQuery, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def embed(self, query: EmbeddingQuery, run_id: str | None) -> tuple[Vector, ...]:
        """Return the embedding of each text, in order.

        Raises:
            ProviderError: a request failed, or an embedding is unusable.
            AskingHalted: nothing is sent any more.
            StoreError: the store is not writable.
        """
        found = [self._find(text, query._replace(texts=()), run_id) for text in query.texts]
        bodies = await asyncio.gather(*map(asyncio.shield, found), return_exceptions=True)
        for body in bodies:
            if isinstance(body, BaseException):
                raise body
        return tuple(unpack(body) for body in bodies if isinstance(body, bytes))

    async def close(self) -> None:
        """Cancel requests in flight."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for one in self._flying.values():
            one.cancel()

    def _find(self, text: str, of: EmbeddingQuery, run_id: str | None) -> "asyncio.Future[bytes]":
        """Return the embedding of a text, known, in flight, or queued."""
        key = vector_key(text, of, self._description)
        if key in self._flying:
            return self._flying[key]
        if key in self._faults:
            raise self._faults[key]
        found: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if key in self._known:
            self._known.move_to_end(key)
            found.set_result(self._known[key])
            return found
        self._flying[key] = found
        found.add_done_callback(lambda it: self._finish(key, it))
        size = len(text.encode("utf-8", "surrogatepass"))
        self._enqueue(_Waiting(key, text, size, found), of, run_id)
        return found

    def _finish(self, key: str, found: "asyncio.Future[bytes]") -> None:
        self._flying.pop(key, None)
        if found.cancelled():
            return
        error = found.exception()
        if error is not None:
            is_final = isinstance(error, ProviderError) and not error.is_retryable
            if is_final and len(self._faults) < _MOST_FAULTS:
                self._faults[key] = error
            return
        self._known[key] = found.result()
        self._known_bytes += len(found.result())
        while self._known_bytes > _KEPT_BYTES:
            self._known_bytes -= len(self._known.popitem(last=False)[1])

    def _enqueue(self, waiting: _Waiting, of: EmbeddingQuery, run_id: str | None) -> None:
        """Queue a text; a full queue is sent at once, any other after a short wait."""
        place = of, run_id
        queue = self._queues.setdefault(place, [])
        if queue and sum(it.size for it in queue) + waiting.size > MOST_BYTES:
            self._flush(place)
            queue = self._queues.setdefault(place, [])
        queue.append(waiting)
        if len(queue) == MOST_TEXTS or waiting.size >= MOST_BYTES:
            self._flush(place)
        elif len(queue) == 1:
            asyncio.get_running_loop().call_later(WAIT_S, self._flush_if, place, queue)

    def _flush_if(self, place: tuple[EmbeddingQuery, str | None], queue: list[_Waiting]) -> None:
        if self._queues.get(place) is queue:
            self._flush(place)

    def _flush(self, place: tuple[EmbeddingQuery, str | None]) -> None:
        batch = self._queues.pop(place)
        task = asyncio.ensure_future(self._resolve(batch, *place))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _resolve(self, batch: list[_Waiting], of: EmbeddingQuery, run_id: str | None) -> None:
        """Find the texts in the store, and request the others."""
        try:
            stored = self._store.find_embeddings([it.key for it in batch])
            for waiting in batch:
                if waiting.key in stored:
                    _settle(waiting, self._with_length(stored[waiting.key], of))
            await self._request([it for it in batch if it.key not in stored], of, run_id)
        except Exception as exc:  # noqa: BLE001  it is raised where the embeddings are awaited
            for waiting in batch:
                _settle(waiting, exc)

    async def _request(self, batch: list[_Waiting], of: EmbeddingQuery, run_id: str | None) -> None:
        """Request the embeddings of texts; in halves, where one text may be at fault."""
        if not batch:
            return
        query = of._replace(texts=tuple(it.text for it in batch))
        trying, answer = await self.requests.send(_request_of(query))
        if len(batch) > 1 and _is_divisible(trying.error):
            await self._keep(query, batch, run_id, answer, [])
            half = len(batch) // 2
            await self._request(batch[:half], of, run_id)
            await self._request(batch[half:], of, run_id)
            return
        found = [self._with_length(it, of) for it in self._read(trying, answer, len(batch))]
        await self._keep(query, batch, run_id, answer, found)
        for waiting, one in zip(batch, found, strict=True):
            _settle(waiting, one)

    def _read(
        self, trying: TrialRequests, answer: RequestResult, number: int
    ) -> Sequence[bytes | Exception]:
        """Return the embedding of each text, or the reason why there is none."""
        error = self.requests.error_of(trying, answer)
        if answer.completion is None:
            return [error or BadResponse("no reply.", is_retryable=False)] * number
        try:
            return read_reply(answer.completion.text, number)
        except BadResponse as exc:
            return [exc] * number

    def _with_length(self, body: bytes | Exception, of: EmbeddingQuery) -> bytes | Exception:
        """Return the embedding, or its fault if it is of another length than the others."""
        if isinstance(body, Exception):
            return body
        number = length_of(body)
        if of.dimensions is not None and number != of.dimensions:
            wanted = f"{of.dimensions:,} were requested"
        elif number != self._lengths.setdefault(of, number):
            wanted = f"others of this run have {self._lengths[of]:,}"
        else:
            return body
        return BadResponse(
            f"{of.model} returned an embedding with {number:,} dimensions, but {wanted}.",
            hint="Set dimensions of the check.",
            is_retryable=False,
        )

    async def _keep(
        self,
        query: EmbeddingQuery,
        batch: Sequence[_Waiting],
        run_id: str | None,
        answer: RequestResult,
        found: Sequence[bytes | Exception],
    ) -> None:
        """Write the request and its embeddings down, and wait until they are durable."""
        vectors = {
            it.key: one for it, one in zip(batch, found, strict=False) if isinstance(one, bytes)
        }
        is_whole = len(vectors) == len(batch)
        made = Judgment(
            key=vector_key("\0".join(query.texts), query, self._description),
            judge=query.model,
            purpose=EMBEDDING,
            run_id=run_id,
            completion=replace(answer.completion, text="") if answer.completion else None,
            attempts=answer.attempts,
            error_type=answer.error_type,
            error=answer.error,
            flags=() if is_whole or answer.completion is None else (NO_JUDGMENT,),
            created_at=self.requests.clock.now_utc(),
        )
        if self._on_paid is not None:
            self._on_paid(made.cost_usd)
        await until_durable(
            self._writer,
            lambda noted: self._writer.put_judgment(made, vectors=vectors, on_durable=noted),
        )


def _request_of(query: EmbeddingQuery) -> Request:
    return Request(
        model=query.model,
        case_id="",
        messages=(),
        parameters=Parameters(),
        stream=False,
        texts=query.texts,
        dimensions=query.dimensions,
    )


def _is_divisible(error: Exception | None) -> bool:
    """True if a request may have been refused because of one of its texts."""
    if isinstance(error, (ContextOverflow, Refused)):
        return True
    return type(error) is ProviderError and error.status in _TOO_BIG


def _settle(waiting: _Waiting, result: bytes | Exception) -> None:
    if waiting.found.done():
        return
    if isinstance(result, bytes):
        waiting.found.set_result(result)
    else:
        waiting.found.set_exception(result)
