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
from benchmaker.web.rendering import Viewer
from benchmaker.web.workbench import Workbench

T = TypeVar("T")

_MOST: Final = 50
_OK: Final = 200


class DrawnPage(NamedTuple):
    """A page, and whether it shows the same until the store changes."""

    response: Response
    is_lasting: bool


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
    request: Request, bench: Workbench, draw: Callable[[], DrawnPage]
) -> Response:
    """Return the page of an address as it was rendered of this state, or render it now.

    A page is kept for one address and one kind of viewer: the same person, theme and keyboard
    setting. Requests of a part of a page are always answered by ``draw``.
    """
    if "hx-request" in request.headers:
        return draw().response
    kept = unchanged_store(bench)
    viewer = Viewer.of(request)
    key = (kept.state(), request.url.path, request.url.query, viewer, bench.redactor)
    if (known := kept.pages.find(key)) is not None:
        return known.answer(request)
    drawn = draw()
    if not drawn.is_lasting or drawn.response.status_code != _OK:
        return drawn.response
    made = RenderedBody.of(bytes(drawn.response.body), drawn.response.media_type or "text/html")
    kept.pages.keep(key, made)
    return made.answer(request)
