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
    """A text on its way to its embedding; with ``is_new`` a stored one does not count."""

    key: str
    text: str
    size: int
    found: "asyncio.Future[bytes]"
    is_new: bool


class Embedder:
    """Embeds texts by models of one provider.

    Texts that arrive together share a request: at most 64, with at most 200 kB, and each waits at
    most 20 ms for others. Equal texts are requested once. Embeddings are stored for all runs,
    together with their request, before they are returned. A request that is refused because of one
    text is halved; a text that is refused, or whose embedding is unusable, is not requested again.
    No embedding is kept of a reply whose embeddings differ in length. If the texts of a query have
    embeddings of different lengths, those of another length than the last reply are requested once
    more and replaced. ``on_paid`` is called with the cost of each request.
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
        self._lengths: dict[EmbeddingQuery, int] = {}  # of the last reply
        self._renewed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def embed(self, query: EmbeddingQuery, run_id: str | None) -> tuple[Vector, ...]:
        """Return the embedding of each text, in order.

        Raises:
            ProviderError: a request failed, or an embedding is unusable.
            AskingHalted: nothing is sent any more.
            StoreError: the store is not writable.
        """
        of = query._replace(texts=())
        bodies = await self._embed_texts(query.texts, of, run_id)
        if len(set(map(length_of, bodies))) > 1:
            bodies = await self._renew(query.texts, bodies, of, run_id)
        return tuple(map(unpack, bodies))

    async def close(self) -> None:
        """Cancel requests in flight."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for one in self._flying.values():
            one.cancel()

    async def _embed_texts(
        self, texts: Sequence[str], of: EmbeddingQuery, run_id: str | None, *, is_new: bool = False
    ) -> list[bytes]:
        """Return the embedding of each text; with ``is_new`` from a request of this session."""
        found = [self._find(text, of, run_id, is_new=is_new) for text in texts]
        bodies = await asyncio.gather(*map(asyncio.shield, found), return_exceptions=True)
        for body in bodies:
            if isinstance(body, BaseException):
                raise body
        return [body for body in bodies if isinstance(body, bytes)]

    async def _renew(
        self, texts: Sequence[str], bodies: Sequence[bytes], of: EmbeddingQuery, run_id: str | None
    ) -> list[bytes]:
        """Request the embeddings of another length than the last reply again, each once."""
        if of not in self._lengths:
            await self._embed_texts(texts[-1:], of, run_id, is_new=True)
        length = self._lengths[of]
        old = [it for it, body in zip(texts, bodies, strict=True) if length_of(body) != length]
        await self._embed_texts(old, of, run_id, is_new=True)
        renewed = await self._embed_texts(texts, of, run_id)
        if fault := _length_fault(of.model, renewed, "several replies"):
            raise fault
        return renewed

    def _find(
        self, text: str, of: EmbeddingQuery, run_id: str | None, *, is_new: bool = False
    ) -> "asyncio.Future[bytes]":
        """Return the embedding of a text, known, in flight, or queued."""
        key = vector_key(text, of, self._description)
        if key in self._flying:
            return self._flying[key]
        is_new = is_new and key not in self._renewed
        if is_new:
            self._renewed.add(key)
            self._forget(key)
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
        self._enqueue(_Waiting(key, text, size, found, is_new), of, run_id)
        return found

    def _forget(self, key: str) -> None:
        self._known_bytes -= len(self._known.pop(key, b""))

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
        self._forget(key)
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
            stored = self._store.find_embeddings([it.key for it in batch if not it.is_new])
            for waiting in batch:
                if waiting.key in stored:
                    _settle(waiting, stored[waiting.key])
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
        found = self._check_lengths(self._read(trying, answer, len(batch)), of)
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

    def _check_lengths(
        self, found: Sequence[bytes | Exception], of: EmbeddingQuery
    ) -> Sequence[bytes | Exception]:
        """Return the embeddings of a reply, or their fault where their lengths are wrong."""
        if of.dimensions is not None:
            return [_with_dimensions(it, of) for it in found]
        bodies = [it for it in found if isinstance(it, bytes)]
        if fault := _length_fault(of.model, bodies, "one reply"):
            return [fault if isinstance(it, bytes) else it for it in found]
        if bodies:
            self._lengths[of] = length_of(bodies[0])
        return found

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


def _with_dimensions(body: bytes | Exception, of: EmbeddingQuery) -> bytes | Exception:
    """Return the embedding, or its fault if it has not the dimensions requested."""
    if isinstance(body, Exception) or length_of(body) == of.dimensions:
        return body
    return BadResponse(
        f"{of.model} returned an embedding with {length_of(body):,} dimensions, but "
        f"{of.dimensions:,} were requested.",
        hint="Remove dimensions of the check, or set a number that the model supports.",
        is_retryable=False,
    )


def _length_fault(model: str, bodies: Sequence[bytes], place: str) -> BadResponse | None:
    """Return the fault of embeddings that differ in length."""
    lengths = sorted(set(map(length_of, bodies)))
    if len(lengths) < 2:  # noqa: PLR2004  two lengths differ
        return None
    listed = " and ".join(f"{it:,}" for it in lengths)
    return BadResponse(
        f"{model} returned embeddings with {listed} dimensions in {place}.",
        hint="Set dimensions of the check, or retry: benchmaker resume latest --retry-failed",
        is_retryable=False,
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
