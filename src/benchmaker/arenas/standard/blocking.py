"""The same functions for those who do not await."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from benchmaker.arenas.standard.arguments import refuse_wrong
from benchmaker.arenas.standard.call_options import fold_deprecated
from benchmaker.engine.runs.signals import stop_on_signals
from benchmaker.errors import SpecError

P = ParamSpec("P")
T = TypeVar("T")

_owns_process: ContextVar[bool] = ContextVar("_owns_process", default=False)


def make_blocking(
    name: str, doc: str, function: Callable[P, Coroutine[Any, Any, T]]
) -> Callable[P, T]:
    """Return a blocking function called ``name`` that runs ``function``.

    During a run, Ctrl-C or SIGTERM stops cleanly, and a second one immediately.
    """

    @functools.wraps(function)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        _refuse_running_loop(name, function.__name__)
        plain = inspect.unwrap(function)
        folded = fold_deprecated(name, plain, kwargs, stacklevel=2)
        refuse_wrong(name, plain, args, folded)

        async def call() -> T:
            _owns_process.set(True)
            return await function(*args, **folded)

        return asyncio.run(call())

    wait.__name__ = wait.__qualname__ = name
    wait.__doc__ = doc
    return wait


def signals(stop: asyncio.Event) -> AbstractContextManager[None]:
    """Let signals set ``stop`` during a blocking call; otherwise leave signals alone."""
    return stop_on_signals(stop) if _owns_process.get() else nullcontext()


def _refuse_running_loop(name: str, awaited: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise SpecError(
        f"{name}() can't be called while an event loop is running (notebook, async function).",
        hint=f"Use: await {awaited}(…)",
    )
