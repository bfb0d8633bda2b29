"""Answers and values made of a store, kept until anything in the store changes.

Every commit to the store, by any process, changes its state: a new row, label, note, score, role or
job. So do new prices, the next hour, and a computation in the background. So nothing that is kept
can be out of date, however much of the store it shows.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, ref

from fastapi import Request, Response

from benchmaker.web.accounts.cache_validators import state_beside_the_store
from benchmaker.web.agentic.background_work import under_way
from benchmaker.web.render_cache import MOST_BYTES, RenderCache, RenderedBody
from benchmaker.web.rendering import Viewer, jobs_at_work
from benchmaker.web.workbench import Workbench

T = TypeVar("T")

_MOST: Final = 50


class PageContent(NamedTuple):
    """A page before it is rendered.

    ``shown`` identifies everything that it shows; None if it may change without the store. ``draw``
    renders it.
    """

    shown: Hashable
    draw: Callable[[], Response]


class UnchangedStore:
    """Answers and values of the present state of one store; the least recently used are evicted."""

    def __init__(self, bench: Workbench) -> None:
        self.pages = RenderCache(2 * MOST_BYTES)
        self._values: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._versions = bench.store.open_versions()
        self._lock = Lock()
        self._bench = ref(bench)
        bench.on_leave.append(self._versions.close)

    def state(self) -> Hashable:
        """Return the present state; equal ones mean that nothing has changed."""
        bench = self._bench()
        if bench is None:  # nobody uses it any more
            return object()
        versions = self._versions.current_state()
        return versions, state_beside_the_store(bench), under_way(bench)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` made of this state, or let it make it now."""
        state = self.state()
        with self._lock:
            kept = self._values.get(key)
        if kept is not None and kept[0] == state:
            found: T = kept[1]
            return found
        made = make()
        with self._lock:
            self._values[key] = state, made
            self._values.move_to_end(key)
            while len(self._values) > _MOST:
                self._values.popitem(last=False)
        return made


_KEPT_BY: "WeakKeyDictionary[Workbench, UnchangedStore]" = WeakKeyDictionary()
_LOCK = Lock()


def unchanged_store(bench: Workbench) -> UnchangedStore:
    """The answers and values kept for a workbench."""
    with _LOCK:
        if bench not in _KEPT_BY:
            _KEPT_BY[bench] = UnchangedStore(bench)
        return _KEPT_BY[bench]


def answer_unless_kept(
    request: Request, bench: Workbench, draw: Callable[[], RenderedBody | Response]
) -> Response:
    """Return the answer that was made of the present state, or make it now.

    An answer is kept for one address and one kind of viewer: the same person, theme and keyboard
    setting. Requests for a part of a page are never answered from the cache.

    Args:
        request: the request.
        bench: the workbench.
        draw: makes the answer; a response as it is will not be kept.
    """
    if "hx-request" in request.headers:
        return _response(request, draw())
    kept = unchanged_store(bench)
    key = (kept.state(), *_viewer(request, bench))
    if (known := kept.pages.find(key)) is not None:
        return known.answer(request)
    made = draw()
    if isinstance(made, RenderedBody):
        kept.pages.keep(key, made)
    return _response(request, made)


def render_unless_kept(
    request: Request, bench: Workbench, find: Callable[[], PageContent]
) -> Response:
    """Return the page as it was rendered of the present state, or of the same content.

    Args:
        request: the request.
        bench: the workbench.
        find: reads what the page shows.
    """
    return answer_unless_kept(request, bench, lambda: _render_content(request, bench, find()))


def _render_content(
    request: Request, bench: Workbench, found: PageContent
) -> RenderedBody | Response:
    """The page of this content, rendered before or now."""
    if found.shown is None:
        return found.draw()
    kept = unchanged_store(bench)
    key = (found.shown, jobs_at_work(request), *_viewer(request, bench))
    if (known := kept.pages.find(key)) is not None:
        return known
    made = RenderedBody.of_response(found.draw())
    kept.pages.keep(key, made)
    return made


def _viewer(request: Request, bench: Workbench) -> tuple[Hashable, ...]:
    return (request.url.path, request.url.query, Viewer.of(request), bench.redactor)


def _response(request: Request, made: RenderedBody | Response) -> Response:
    return made.answer(request) if isinstance(made, RenderedBody) else made
