"""Background computation for slow pages, which wait briefly and otherwise say so."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from benchmaker.web.turns import RENDERING
from benchmaker.web.workbench import Workbench

T = TypeVar("T")

WAIT_S = 0.9
"""Seconds that a page waits."""

_MOST = 20


class _BackgroundWorker:
    """One thread for a workbench, and its requested computations."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="benchmaker-board")
        self._work: dict[Hashable, Future[Any]] = {}
        self._done = 0
        self._lock = Lock()

    def under_way(self) -> tuple[int, int]:
        """Return the numbers of running and of finished computations."""
        with self._lock:
            done = sum(one.done() for one in self._work.values())
            return len(self._work) - done, self._done + done

    def is_under_way(self, key: Hashable) -> bool:
        """Return True while a computation runs; the error of one that failed is raised once."""
        with self._lock:
            work = self._work.get(key)
            if work is None or not work.done():
                return work is not None
            del self._work[key]
            self._done += 1
        work.result()
        return False

    def result(self, key: Hashable, make: Callable[[], T], wait_s: float) -> T | None:
        """Return the result of ``make``, or None if it is not ready; errors are raised."""
        with self._lock:
            if key not in self._work and len(self._work) >= _MOST:
                return None
            if key not in self._work:
                self._work[key] = self._pool.submit(make)
            work = self._work[key]
        try:
            with RENDERING.pause():
                made = work.result(wait_s)
        except Late:
            if not work.done():
                return None
            made = work.result()
        finally:
            if work.done():
                with self._lock:
                    self._done += self._work.pop(key, None) is not None
        return cast("T", made)


_ASIDE: "WeakKeyDictionary[Workbench, _BackgroundWorker]" = WeakKeyDictionary()
_LOCK = Lock()


def compute_in_background(
    bench: Workbench, key: Hashable, make: Callable[[], T], *, wait_s: float = WAIT_S
) -> T | None:
    """Return the result of ``make`` if ready within a moment; else None, to be requested again.

    Args:
        bench: the workbench.
        key: identifies the computation; each key runs only once at a time.
        make: computes the result, in a background thread.
        wait_s: seconds to wait for the result.
    """
    with _LOCK:
        aside = _ASIDE.setdefault(bench, _BackgroundWorker())
    return aside.result(key, make, wait_s)


def is_under_way(bench: Workbench, key: Hashable) -> bool:
    """Return True while a computation is running; the error of one that failed is raised once."""
    with _LOCK:
        aside = _ASIDE.get(bench)
    return aside is not None and aside.is_under_way(key)


def under_way(bench: Workbench) -> tuple[int, int]:
    """Return the numbers of running and of finished computations of a workbench.

    A waiting page is out of date as soon as one of these changes.
    """
    with _LOCK:
        aside = _ASIDE.get(bench)
    return aside.under_way() if aside else (0, 0)
