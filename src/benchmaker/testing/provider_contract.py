"""The contract of every provider, as a class of tests to inherit."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from benchmaker.errors import ProviderError
from benchmaker.providers.base import Provider, Request
from benchmaker.record import Completion
from benchmaker.testing.demand import demand


class ProviderContract:
    """Inherit, name the class ``Test…``, and set the attributes; pytest does the rest.

    ``provider`` creates a new provider when called without arguments (wrap a function in
    ``staticmethod``). ``answerable`` are requests that it answers, at least one. ``unanswerable``
    are requests that it can't answer. ``limit_s`` limits every wait.

    Example::

        class TestScripted(ProviderContract):
            provider = partial(Scripted, {("model-a", "case-1"): "42"})
            answerable = (a_request(),)
            unanswerable = (a_request(case_id="unheard of"),)
    """

    provider: ClassVar[Callable[[], Provider]]
    answerable: ClassVar[Sequence[Request]]
    unanswerable: ClassVar[Sequence[Request]] = ()
    limit_s: ClassVar[float] = 10.0

    def test_it_has_an_id_and_a_version(self) -> None:
        """Has the attributes set by ``@provider``."""
        for mark in ("id", "version"):
            value = getattr(type(type(self).provider()), mark, None)
            demand(isinstance(value, str) and value, f"no {mark}: mark the class with @provider")

    def test_an_answer_is_a_completion(self) -> None:
        """Return text and other known facts; unknown figures are None."""
        demand(self.answerable, "give at least one request that is answered")

        async def ask(provider: Provider) -> None:
            for request in self.answerable:
                _check(await provider.complete(request))

        self._run(ask)

    def test_two_requests_at_once_are_both_answered(self) -> None:
        """Answer concurrent requests, as sent by the engine."""

        async def ask(provider: Provider) -> None:
            twice = [*self.answerable, *self.answerable]
            for answer in await asyncio.gather(*(provider.complete(it) for it in twice)):
                _check(answer)

        self._run(ask)

    def test_what_goes_wrong_is_a_provider_error(self) -> None:
        """Raise ProviderError, so that the failure is recorded and the run continues."""

        async def ask(provider: Provider) -> None:
            for request in self.unanswerable:
                try:
                    answer = await provider.complete(request)
                except ProviderError as exc:
                    demand(str(exc), f"{type(exc).__name__} without a message")
                except Exception as exc:
                    raise AssertionError(f"raised {type(exc).__name__}: {exc}") from exc
                else:
                    raise AssertionError(f"{request.case_id!r} was answered: {answer!r}")

        self._run(ask)

    def test_a_request_can_be_cancelled_and_the_next_is_answered(self) -> None:
        """Support cancellation, as by Ctrl-C and time limits, without hanging or locks."""

        async def ask(provider: Provider) -> None:
            request = self.answerable[0]
            completion = asyncio.ensure_future(provider.complete(request))
            await asyncio.sleep(0)
            completion.cancel()
            await asyncio.gather(completion, return_exceptions=True)
            _check(await provider.complete(request))

        self._run(ask)

    def _run(self, ask: Callable[[Provider], Awaitable[None]]) -> None:
        async def ask_within_limit() -> None:
            provider = type(self).provider()
            try:
                await asyncio.wait_for(ask(provider), self.limit_s)
            finally:
                await _close(provider)

        asyncio.run(ask_within_limit())


def _check(answer: object) -> None:
    if not isinstance(answer, Completion):
        raise AssertionError(f"{answer!r} is no Completion")  # noqa: TRY004  a demand, as the others
    for figure in ("latency_s", "cost_usd"):
        value = getattr(answer, figure)
        demand(value is None or value >= 0, f"{figure} is {value!r}")


async def _close(provider: Provider) -> None:
    close = getattr(provider, "close", None)
    result = close() if close else None
    if inspect.isawaitable(result):
        await result
