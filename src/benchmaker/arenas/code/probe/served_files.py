"""The resources a probed page may load: its own document and files, and vendored ones."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from benchmaker.arenas.code.preview import vendored_file
from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.arenas.code.probe.network_isolation import POLICY

if TYPE_CHECKING:
    from playwright.async_api import Route

ORIGIN = "http://localhost"
"""The origin that a page sees; browsers trust the name like an encrypted connection."""

VENDOR = "/v/"
"""The path prefix of the vendored files; bundles are assembled with it."""

HOME = f"{ORIGIN}/"
_MOST_RELOADS = 4
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class ServableBundle(Protocol):
    """The probe's view of a bundle: a document and the files next to it, by relative path."""

    @property
    def document(self) -> str: ...  # noqa: D102
    @property
    def files(self) -> Mapping[str, tuple[str, bytes]]: ...  # noqa: D102


@dataclass
class Server:
    """Answers the requests of one page from memory; ``witness`` records refusals.

    ``is_pinned`` is set while controls are clicked: navigation is then blocked. ``has_strayed`` is
    True once the page requested anything outside, or loaded itself.
    """

    bundle: ServableBundle
    witness: Witness
    is_pinned: bool = False
    is_awaited: bool = False
    spare_loads: int = _MOST_RELOADS
    has_strayed: bool = False

    def await_load(self) -> None:
        """Expect a load of the page requested by us."""
        self.is_awaited, self.is_pinned = True, False

    async def answer(self, route: "Route") -> None:
        """Serve, or refuse, one request."""
        url = route.request.url
        is_document = _is_document(route)
        parts = urlsplit(url)
        if is_document and self.is_pinned:
            self.witness.left = True
            await route.abort("aborted")
        elif parts.scheme == "http" and parts.netloc == "localhost":
            await self._serve_own(route, unquote(parts.path), is_document=is_document)
        else:
            self.witness.refuse(url)
            self.has_strayed = True
            if is_document:
                self.witness.went_to = url
            await route.abort("blockedbyclient")

    async def _serve_own(self, route: "Route", path: str, *, is_document: bool) -> None:
        if is_document and not self._may_load():
            self.witness.reloads_stopped = True
            await route.abort("aborted")
            return
        kind, body = self._file(path)
        if kind is None:
            if not path.endswith("favicon.ico"):
                self.witness.lack(path.lstrip("/"))
            await route.fulfill(status=404, body="", headers=_HEADERS, content_type="text/plain")
            return
        await route.fulfill(body=body, headers=_HEADERS, content_type=kind)

    def _may_load(self) -> bool:
        """Return True if the page may load itself: when requested, and a few more times."""
        self.witness.loads += 1
        is_allowed = self.is_awaited or self.spare_loads > 0
        if not self.is_awaited:
            self.spare_loads -= 1
            self.has_strayed = True
        self.is_awaited = False
        return is_allowed

    def _file(self, path: str) -> tuple[str | None, bytes]:
        inside = path.lstrip("/")
        if inside in ("", "index.html") and inside not in self.bundle.files:
            return "text/html; charset=utf-8", self.bundle.document.encode("utf-8", "replace")
        if inside in self.bundle.files:
            return self.bundle.files[inside]
        if path.startswith(VENDOR):
            with suppress(KeyError):
                return vendored_file(path.removeprefix(VENDOR))
        return None, b""


def _is_document(route: "Route") -> bool:
    """True if the navigation is of the whole page, not of a frame in it."""
    request = route.request
    return request.is_navigation_request() and request.frame.parent_frame is None
