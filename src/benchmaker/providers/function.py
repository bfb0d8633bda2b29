"""Answers from a Python function."""

import asyncio
import importlib
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import msgspec

from benchmaker.errors import BadResponse, ProviderError, SpecError, Timeout, TrialError
from benchmaker.plugins import provider
from benchmaker.providers.base import Request
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.record import Completion

Answered = str | Completion | Sequence[Sequence[float]]
Answer = Callable[[Request], Answered | Awaitable[Answered]]
"""Takes the request; returns the text or a whole completion, or the embeddings of its texts."""


@provider
class Function:
    """Calls a Python function: a callable, or ``package.module:name``.

    It is called with the :class:`~benchmaker.providers.Request` and returns the text or a
    :class:`~benchmaker.record.Completion`. For a request with ``texts`` it returns their embeddings
    in order, each a list of numbers. A coroutine function runs in the event loop, any other in a
    separate thread, which cannot be killed and is abandoned on timeout.

    Args:
        function: the function, or its dotted name.
        models: its names; by default its own name.
        limits: ``total_s`` bounds each call.

    >>> from benchmaker.testing import a_request
    >>> shout = Function(lambda request: request.messages[-1].content.upper())
    >>> asyncio.run(shout.complete(a_request())).text
    'WHAT IS 6 X 7?'
    """

    def __init__(
        self,
        function: Answer | str,
        *,
        models: Sequence[str] = (),
        limits: HttpLimits | None = None,
    ) -> None:
        self._function = _load_function(function) if isinstance(function, str) else function
        self.name = function if isinstance(function, str) else name_of(function)
        self.models = tuple(models) or (self.name,)
        self._total_s = (limits or HttpLimits()).total_s

    def description(self) -> dict[str, Any]:
        """Return the provider's description for a run's record."""
        return {"kind": "function", "function": self.name}

    async def complete(self, request: Request) -> Completion:
        """Return the function's answer.

        Raises:
            ProviderError: the function raises; a TrialError propagates unchanged.
            Timeout: it takes longer than ``total_s``.
            BadResponse: it returns neither text nor a completion.
        """
        started = time.monotonic()
        deadline = asyncio.timeout(self._total_s)
        try:
            async with deadline:
                answer = await self._call(request)
        except TimeoutError as exc:
            if not deadline.expired():
                raise ProviderError(f"{self.name} raised TimeoutError: {exc}") from exc
            limit = f"{self._total_s:g} s (total limit)"
            raise Timeout(f"{self.name} did not finish within {limit}.") from exc
        except TrialError:
            raise
        except Exception as exc:
            raise ProviderError(f"{self.name} raised {type(exc).__name__}: {exc}") from exc
        if request.texts and isinstance(answer, (list, tuple)):
            answer = _embeddings_json(answer)
        return self._completion(answer, time.monotonic() - started)

    async def _call(self, request: Request) -> object:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(request)
        answer = await _in_thread(self._function, request)
        return await answer if inspect.isawaitable(answer) else answer

    def _completion(self, answer: object, seconds: float) -> Completion:
        match answer:
            case str():
                return Completion(text=answer, latency_s=seconds)
            case Completion():
                return answer
            case _:
                kind = type(answer).__name__
                raise BadResponse(
                    f"{self.name} returned {kind}, not text or a Completion.",
                    is_retryable=False,
                )


def _embeddings_json(vectors: Sequence[Sequence[float]]) -> str:
    """Return embeddings in the form in which endpoints send them."""
    try:
        rows = [[float(it) for it in one] for one in vectors]
    except (TypeError, ValueError) as exc:
        raise BadResponse(f"the embeddings are not numbers: {exc}.", is_retryable=False) from exc
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    return msgspec.json.encode(data).decode()


async def _in_thread(function: Answer, request: Request) -> object:
    """The function's result; its thread does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def report(result: object, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def work() -> None:
        result: object = None
        error: BaseException | None = None
        try:
            result = function(request)
        except BaseException as exc:  # noqa: BLE001  it is raised where it is awaited
            is_plain = isinstance(exc, Exception) and not isinstance(exc, StopIteration)
            error = exc if is_plain else ProviderError(f"the function raised {exc!r}")
        with suppress(RuntimeError):  # the loop has ended, and nobody waits
            loop.call_soon_threadsafe(report, result, error)

    threading.Thread(target=work, name="benchmaker-function", daemon=True).start()
    return await done


def _load_function(path: str) -> Answer:
    """The function at ``package.module:name``."""
    module_name, _, name = path.partition(":")
    hint = "Use package.module:function of an installed module."
    if not name or not all(part.isidentifier() for part in module_name.split(".")):
        raise SpecError(f"no function in {path!r}.", hint=hint)
    try:
        module = importlib.import_module(module_name)
    except ImportError as exc:
        raise SpecError(f"{path!r}: {exc}.", hint=hint) from exc
    except Exception as exc:
        raise SpecError(
            f"{path!r}: importing {module_name} raised {type(exc).__name__}: {exc}"
        ) from exc
    found = getattr(module, name, None)
    if not callable(found):
        raise SpecError(f"{path!r}: {module_name} has no function {name!r}.", hint=hint)
    return cast("Answer", found)  # whether it answers rightly is seen when it is called


def name_of(function: Answer) -> str:
    """Return the dotted name of a function: ``package.module:name``."""
    module = getattr(function, "__module__", "")
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{module}:{name}" if module else name
