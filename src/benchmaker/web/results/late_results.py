"""Results that take a while to compute: a page without them appears at once, and loads again.

Small results are computed before the page answers.
"""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from fastapi import Request, Response

from benchmaker.record import Run
from benchmaker.report.sentences.notes import name
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Workbench

T = TypeVar("T")

AT_ONCE = 2_000
"""Number of trials whose results a page computes before it answers."""

PANEL = "computing"
"""The id of the element that asks for the results."""

_WAIT_S, _LISTEN_S = 0.1, 10.0
_VALID_S = 60.0
_DRAWN = 30


class _Work(NamedTuple):
    future: Future[Any]
    ended_at: list[float]

    @property
    def is_old(self) -> bool:
        """True if nobody has taken the result for a while."""
        return bool(self.ended_at) and monotonic() - self.ended_at[0] > _VALID_S


class LateResults:
    """Results that are computed in the background, each of them once; and taken by one page."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="benchmaker-results")
        self._work: dict[Hashable, _Work] = {}
        self._lock = Lock()

    def is_ready(self, key: Hashable, make: Callable[[], T], wait_s: float) -> bool:
        """Start the computation if it is not under way, and wait; True if it has ended."""
        with self._lock:
            self._work = {one: work for one, work in self._work.items() if not work.is_old}
            work = self._work.get(key) or self._start(make)
            self._work[key] = work
        return not wait([work.future], wait_s).not_done

    def take(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of a computation that has ended, or raise its error."""
        with self._lock:
            work = self._work.pop(key, None)
        return make() if work is None else cast("T", work.future.result())

    def _start(self, make: Callable[[], T]) -> _Work:
        work = _Work(self._pool.submit(make), [])
        work.future.add_done_callback(lambda _: work.ended_at.append(monotonic()))
        return work


_KEPT_BY: "WeakKeyDictionary[Workbench, LateResults]" = WeakKeyDictionary()
_LOCK = Lock()


def late_results(bench: Workbench) -> LateResults:
    """The computations of a workbench."""
    with _LOCK:
        return _KEPT_BY.setdefault(bench, LateResults())


def result_or_page(
    request: Request,
    bench: Workbench,
    runs: Sequence[Run],
    make: Callable[[], T],
    *,
    title: str,
    crumbs: tuple[Crumb, ...],
    of: Hashable = None,
) -> T | Response:
    """Return the result of ``make``, or the answer of a page that has to wait for it.

    The page that waits asks for its own address again; this request gets no content, and a header
    to load the whole page when the result is ready.

    Args:
        request: the request.
        bench: the workbench.
        runs: the runs of the result.
        make: computes the result.
        title: the title of the page.
        crumbs: its breadcrumb.
        of: distinguishes the results of the same runs on pages of one kind.
    """
    trials = sum(run.planned for run in runs)
    if trials <= AT_ONCE:
        return make()
    late = late_results(bench)
    key = (request.scope["route"].path, tuple(run.id for run in runs), of)
    if request.headers.get("hx-trigger") == PANEL:
        is_ready = late.is_ready(key, make, _LISTEN_S)
        return Response(status_code=204, headers={"hx-refresh": "true"} if is_ready else None)
    if late.is_ready(key, make, _WAIT_S):
        return late.take(key, make)
    return page(
        request,
        "results/computing",
        title=title,
        here="Results",
        crumbs=crumbs,
        run=runs[0],
        trials=trials,
        models=[name(bench.redactor.text(model)) for model in runs[0].models[:_DRAWN]],
        address=f"{request.url.path}{'?' if request.url.query else ''}{request.url.query}",
    )
