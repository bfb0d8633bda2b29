"""Public answers of boards: their tags, and cache lifetimes.

The tag is derived from the address, from headers that change a page, and from the state of the
database. It changes with every change of the store, and a matching tag is answered before a page is
rendered.
"""

import secrets
from hashlib import sha256
from threading import Lock
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Scope

from benchmaker.store.database.versions import Versions
from benchmaker.web.accounts.permissions import Need, need_of
from benchmaker.web.agentic.background_work import under_way
from benchmaker.web.observing.requests import route_of
from benchmaker.web.page_list import PageList
from benchmaker.web.workbench import Workbench

FRESH_S, STALE_S = 15, 300
"""Seconds for which a response is shown without revalidation, and once more during it."""

TAG: Final = "validator"
"""The key in a request's state that holds its tag."""

_PUBLIC: Final = f"public, max-age={FRESH_S}, stale-while-revalidate={STALE_S}"
_PRIVATE: Final = "private, no-cache"
_VARY: Final = ("Cookie", "Authorization", "HX-Request", "Accept-Encoding")
_SENT: Final = ("cookie", "hx-request")
_HOUR_S: Final = 3_600
_PRICES: Final = "prices.yaml"
_OK, _NOT_MODIFIED = 200, 304


class Tag(NamedTuple):
    """The tag of an answer, and the computations in progress at that time."""

    text: str
    bench: Workbench
    computed: tuple[int, int]

    @property
    def still_holds(self) -> bool:
        """True if the answer cannot be a "being computed" page."""
        return not self.computed[0] and under_way(self.bench) == self.computed

    def is_known(self, headers: Headers) -> bool:
        """True if the client has this answer."""
        given = headers.get("if-none-match", "").split(",")
        return self.text.removeprefix("W/") in {it.strip().removeprefix("W/") for it in given}


class Validators:
    """Makes the tags of one server."""

    def __init__(self) -> None:
        self._own = secrets.token_hex(8)
        self._lock = Lock()
        self._versions: WeakKeyDictionary[Workbench, Versions] = WeakKeyDictionary()

    def tag(self, scope: Scope, headers: Headers, bench: Workbench) -> Tag:
        """Return the tag of the request for the current store."""
        computed = under_way(bench)
        parts = (
            self._own,
            self._version(bench).current_state(),
            *state_beside_the_store(bench),
            str(computed),
            scope["path"],
            scope["query_string"].decode("latin-1"),
            *(headers.get(name, "") for name in _SENT),
        )
        made = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return Tag(f'W/"{made}"', bench, computed)

    def _version(self, bench: Workbench) -> Versions:
        with self._lock:
            if bench not in self._versions:
                made = self._versions[bench] = bench.store.open_versions()
                bench.on_leave.append(made.close)
            return self._versions[bench]


def state_beside_the_store(bench: Workbench) -> tuple[str, str]:
    """Return the time of the last change to the file of prices, and the hour.

    Pages about costs show the former, boards of the last days depend on the latter.
    """
    hour = str(int(bench.settings.clock() // _HOUR_S))
    try:
        return str((bench.home / _PRICES).stat().st_mtime_ns), hour
    except OSError:
        return "", hour


def not_modified() -> Response:
    """Return the answer to a client with a valid copy."""
    return Response(status_code=_NOT_MODIFIED)


def sign(scope: Scope, status: int, headers: MutableHeaders) -> None:
    """Set cache headers; most answers may not be stored."""
    state = scope.get("state", {})
    tag: Tag | None = state.get(TAG)
    if status == _NOT_MODIFIED and tag is not None:
        _set_public_headers(tag, headers)
        return
    need = _need_of(scope) if "route" in scope else None
    if status != _OK or need is None or not need.is_public or "actor" not in state:
        return
    if tag is None or not tag.still_holds or "set-cookie" in headers:
        headers.setdefault("cache-control", _PRIVATE)
        return
    if "cache-control" not in headers:
        _set_public_headers(tag, headers)


def _need_of(scope: Scope) -> Need | None:
    pages: PageList = scope["app"].state.pages
    return need_of(scope["method"], route_of(scope), pages.by_route)


def _set_public_headers(tag: Tag, headers: MutableHeaders) -> None:
    headers["etag"] = tag.text
    headers["cache-control"] = _PUBLIC
    for name in _VARY:
        headers.add_vary_header(name)
