"""Pages and values made of a store, kept until anything in the store changes.

Every commit to the store, by any process, changes its state: a new row, label, note, score, name,
role or job. So nothing that is kept can be out of date, however much of the store it shows.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from fastapi import Request, Response

from benchmaker.web.render_cache import RenderCache, RenderedBody
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
    """What was made of the present state of one store; the least recently used is evicted."""

    def __init__(self, bench: Workbench) -> None:
        self.pages = RenderCache()
        self._values: OrderedDict[Hashable, tuple[str, Any]] = OrderedDict()
        self._versions = bench.store.open_versions()
        self._lock = Lock()
        bench.on_leave.append(self._versions.close)

    def state(self) -> str:
        """Return the state of the store; equal texts mean that nothing has changed."""
        return self._versions.current_state()

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
    """What was made of the present state of a workbench's store."""
    with _LOCK:
        if bench not in _KEPT_BY:
            _KEPT_BY[bench] = UnchangedStore(bench)
        return _KEPT_BY[bench]


def render_unless_kept(
    request: Request, bench: Workbench, find: Callable[[], PageContent]
) -> Response:
    """Return the page of an address as it was rendered before, or render it now.

    A page is kept for one address and one kind of viewer: the same person, theme and keyboard
    setting. It is found by the state of the store; if that has changed, by what it shows. Requests
    of a part of a page are always rendered.

    Args:
        request: the request.
        bench: the workbench.
        find: reads what the page shows.
    """
    if "hx-request" in request.headers:
        return find().draw()
    kept = unchanged_store(bench)
    viewer = (request.url.path, request.url.query, Viewer.of(request), bench.redactor)
    by_state = (kept.state(), *viewer)
    if (known := kept.pages.find(by_state)) is not None:
        return known.answer(request)
    found = find()
    if found.shown is None:
        return found.draw()
    by_content = (found.shown, jobs_at_work(request), *viewer)
    made = kept.pages.find(by_content)
    if made is None:
        response = found.draw()
        made = RenderedBody.of(bytes(response.body), response.media_type or "text/html")
        kept.pages.keep(by_content, made)
    kept.pages.keep(by_state, made)
    return made.answer(request)
