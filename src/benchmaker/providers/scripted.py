"""Answers from a script: the provider for tests, examples and replays of failures."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmaker.errors import ProviderError
from benchmaker.plugins import provider
from benchmaker.providers.base import Request
from benchmaker.record import Completion

Answer = str | Completion | Exception
"""A text, a whole completion, or an error."""

Script = Mapping[tuple[str, str], Answer] | Sequence[Answer] | Callable[[Request], Answer]
"""Answers by (model, case id), in the order of the calls, or made from the request."""

Sleep = Callable[[float], Awaitable[object]]
"""Waits for a time: ``asyncio.sleep``, or the clock of a simulation."""


@provider
class Scripted:
    """Answers every request from a script, after ``latency_s`` seconds if set.

    An exception in the script is raised. ``requests`` records all requests in order. ``source``
    names the origin of the answers for reports; "" if a program generates them.

    >>> from benchmaker.testing import a_request
    >>> scripted = Scripted({("m", "sum"): "42"})
    >>> asyncio.run(scripted.complete(a_request(model="m", case_id="sum"))).text
    '42'
    >>> scripted.calls, scripted.models
    (1, ('m',))
    """

    def __init__(
        self,
        answers: Script,
        *,
        models: Sequence[str] = (),
        latency_s: float | None = None,
        source: str = "",
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.models = tuple(models) or _models_of(answers)
        self.runs = 1
        self.requests: list[Request] = []
        self._latency_s = latency_s
        self._source = source
        self._sleep = sleep
        self._answer = _lookup(answers)

    @property
    def calls(self) -> int:
        """The number of requests received, answered or not."""
        return len(self.requests)

    def description(self) -> dict[str, Any]:
        """Return the provider's description for a run's record."""
        source = {"source": self._source} if self._source else {}
        return {"kind": "scripted", **source}

    async def complete(self, request: Request) -> Completion:
        """The scripted answer.

        Raises:
            ProviderError: the script has none for this request.
        """
        self.requests.append(request)
        if self._latency_s is not None:
            await self._sleep(self._latency_s)
        match self._answer(request):
            case Exception() as failure:
                raise failure
            case str() as text:
                return Completion(text=text, latency_s=self._latency_s)
            case completion:
                return completion


def _models_of(answers: Script) -> tuple[str, ...]:
    if not isinstance(answers, Mapping):
        return ("scripted",)
    return tuple(dict.fromkeys(model for model, _ in answers))


def _lookup(answers: Script) -> Callable[[Request], Answer]:
    if isinstance(answers, Mapping):
        return lambda request: answers.get(
            (request.model, request.case_id), _missing_answer(request)
        )
    if isinstance(answers, Sequence):
        coming: Iterator[Answer] = iter(answers)
        return lambda request: next(coming, _missing_answer(request))
    return answers


def _missing_answer(request: Request) -> ProviderError:
    return ProviderError(
        f"no scripted answer for model {request.model!r}, case {request.case_id!r}.",
        hint="Add it to the script.",
    )
