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
from starlette.routing import BaseRoute

from benchmaker.web.accounts.cache_validators import state_beside_the_store
from benchmaker.web.agentic.background_work import under_way
from benchmaker.web.render_cache import MOST_BYTES, RenderCache, RenderedBody
from benchmaker.web.rendering import Viewer, jobs_at_work
from benchmaker.web.turns import RENDERING
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


class KeptAnswer(NamedTuple):
    """An answer, the state of the store that it was made of, and the route that made it."""

    state: Hashable
    body: RenderedBody
    route: BaseRoute | None
    path_params: dict[str, Any]

    def memory_bytes(self) -> int:
        """Return about how many bytes it takes in a cache, with its key."""
        return self.body.memory_bytes()


class UnchangedStore:
    """Answers and values of the present state of one store; the least recently used are evicted.

    ``answers`` are found by address and viewer, ``pages`` by what they show.
    """

    def __init__(self, bench: Workbench) -> None:
        self.answers: RenderCache[KeptAnswer] = RenderCache(2 * MOST_BYTES)
        self.pages: RenderCache[RenderedBody] = RenderCache()
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
        return self._versions.current_state(), *_state_in_memory(bench)

    def state_at_once(self) -> Hashable | None:
        """Return the present state, or None if the database has to be waited for."""
        bench, versions = self._bench(), self._versions.current_state_at_once()
        return None if bench is None or versions is None else (versions, *_state_in_memory(bench))

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


def known_unchanged_store(bench: Workbench) -> UnchangedStore | None:
    """The answers and values kept for a workbench; None if nothing was kept yet."""
    with _LOCK:
        return _KEPT_BY.get(bench)


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
        with RENDERING.turn():
            return _response(request, draw())
    kept, key = unchanged_store(bench), answer_key(request, bench)
    state, known = kept.state(), kept.answers.find(key)
    if known is not None and known.state == state:
        return known.body.answer(request.headers)
    with RENDERING.turn():
        made = draw()
    if isinstance(made, RenderedBody):
        route, path_params = request.scope.get("route"), request.path_params
        kept.answers.keep(key, KeptAnswer(state, made, route, path_params))
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
    key = (found.shown, jobs_at_work(request), *answer_key(request, bench))
    if (known := kept.pages.find(key)) is not None:
        return known
    made = RenderedBody.of_response(found.draw())
    kept.pages.keep(key, made)
    return made


def answer_key(request: Request, bench: Workbench) -> tuple[Hashable, ...]:
    """Return the address and the kind of viewer that an answer is kept for."""
    scope = request.scope
    return scope["path"], scope["query_string"], Viewer.of(request), bench.redactor


def _state_in_memory(bench: Workbench) -> tuple[Hashable, Hashable]:
    return state_beside_the_store(bench), under_way(bench)


def _response(request: Request, made: RenderedBody | Response) -> Response:
    return made.answer(request.headers) if isinstance(made, RenderedBody) else made
