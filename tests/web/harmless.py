"""Whether anything that was only to be shown has acted; and a browser that would let it."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page

from benchmaker.web.code.preview_hosts import PreviewHost
from tests.web.browser import patient

SENTINEL = "__pwned"
FRAMED = "framed: "
"""How dialogs of generated pages begin."""

_WATCH = """document.addEventListener("securitypolicyviolation", (event) =>
  (window.__refused ??= []).push(`${event.violatedDirective} ${event.blockedURI}`))"""

_TOUCH = """
document.querySelectorAll("details").forEach(it => { it.open = true; });
document.querySelectorAll("input, select, textarea, summary, a").forEach(it => {
  it.focus();
  it.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
});
"""

_STRANGE = """apart => {
  const found = [], own = location.origin, shown = new Set();
  const may = new Set(["allow-scripts", "allow-forms", "allow-modals"]);
  for (const it of document.querySelectorAll("iframe, a[target=_blank]")) {
    const src = it.src ?? it.href, kept = it.localName === "a"
      ? /noopener/.test(it.rel) && /noreferrer/.test(it.rel)
      : it.sandbox.length && [...it.sandbox].every(one => may.has(one));
    const {protocol, host} = new URL(src, location);
    const isApart = protocol === "http:" && (host === apart || host.endsWith(`.${apart}`));
    if (kept && isApart && !it.srcdoc) shown.add(it);
  }
  const never = new Set(["iframe", "frame", "object", "embed", "img", "base", "video", "audio",
    "portal", "math", "foreignobject", "animate", "set", "style"]);
  const leads = new Set(["href", "xlink:href", "src", "action", "formaction", "data", "ping",
    "hx-get", "hx-post", "hx-put", "hx-delete", "hx-replace-url", "hx-push-url", "sse-connect"]);
  const names = new Set(["id", "class", "for", "name", "type", "rel", "target", "data-key"]);
  const told = (it, why) => found.push(`${why}: ${it.outerHTML.slice(0, 160)}`);
  for (const it of document.querySelectorAll("*")) {
    if (shown.has(it)) continue;
    if (never.has(it.localName.toLowerCase())) told(it, "element");
    if (it.localName === "script" && (!it.src || it.textContent)) told(it, "script");
    if (it.localName === "meta" && it.httpEquiv) told(it, "meta");
    for (const {name, value} of it.attributes) {
      if (/^(on|hx-on|hx-vals|style$|srcdoc$|srcset$)/i.test(name)) told(it, name);
      if (names.has(name) && value.includes("__pwned")) told(it, name);
      if (!leads.has(name) || value === "data:,") continue;
      let where; try { where = new URL(value, location); } catch { told(it, name); continue; }
      if (where.origin !== own) told(it, name);
    }
  }
  return found;
}"""


class Watched:
    """A page and all that it did which it should not.

    The name localhost, and those below, belong to generated pages: their frames may say and try
    what they like, and ask for what lies there; ``framed`` are the dialogs that they opened.
    ``defended`` frames ask nobody else.
    """

    def __init__(self, page: Page, *, defended: bool = True) -> None:
        self.page = page
        self.framed: list[str] = []
        self._defended = defended
        self._own = self._apart = ""
        self._seen: list[str] = []
        page.add_init_script(_WATCH)
        page.on("dialog", self._dialog)
        page.on("pageerror", self._error)
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("requestfinished", self._came)
        page.on("requestfailed", lambda it: self._came(it, (it.failure or "?").lower()))
        page.on("download", lambda it: self._seen.append(f"download: {it.url}"))
        page.on("popup", lambda it: self._seen.append(f"window: {it.url}"))

    def found(self, address: str) -> list[str]:
        """What the page at an address did; all that is folded is opened, all fields are visited."""
        self._seen.clear()
        self.framed.clear()
        self._own = urlsplit(address).netloc
        self._apart = self._own.replace("127.0.0.1", "localhost")
        self.page.goto(address, wait_until="load")
        try:
            self.page.evaluate(_TOUCH)
            return [*self._seen, *self.here()]
        except Error as gone:  # the page went elsewhere meanwhile
            return [*self._seen, str(gone)]

    def here(self) -> list[str]:
        """What there is in the page as it stands."""
        acted = self.page.evaluate(f"'{SENTINEL}' in window || document.title.includes('owned')")
        refused = [
            one
            for one in self.page.evaluate("window.__refused ?? []")
            if not (self._has_frames and one.startswith("frame-src "))
        ]  # went elsewhere
        strange = self.page.evaluate(_STRANGE, self._apart)
        return [*(["it ran"] if acted else []), *refused, *strange]

    def _dialog(self, dialog) -> None:
        if dialog.message.startswith(FRAMED):
            self.framed.append(dialog.message)
        else:
            self._seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _is_apart(self, host: str) -> bool:
        return PreviewHost(self._apart).answers_to(host)

    @property
    def _has_frames(self) -> bool:
        return len(self.page.frames) > 1

    def _error(self, error) -> None:
        """Errors of frames name their place, or none; those of the page name a script of ours."""
        stack = error.stack or ""
        is_framed = not stack or f"{self._apart}/" in stack
        if not (self._has_frames and is_framed):
            self._seen.append(f"error: {error}")

    def _console(self, said) -> None:
        is_framed = urlsplit(said.location["url"]).netloc not in {"", self._own}
        if said.type in {"error", "warning"} and not (self._has_frames and is_framed):
            self._seen.append(f"console: {said.text}")

    def _request(self, request) -> None:
        parts = urlsplit(request.url)
        is_own = parts.scheme == "data" or parts.netloc == self._own
        if not is_own and _is_of_the_page(request, self.page):
            self._seen.append(f"request: {request.url}")

    def _came(self, request, refused: str = "") -> None:
        """A frame's request that was answered, or that nothing of ours refused."""
        parts = urlsplit(request.url)
        is_fine = parts.scheme in {"data", "blob"} or self._is_apart(parts.netloc)
        if self._defended and not is_fine and not _is_of_the_page(request, self.page):
            self._seen.extend([f"request: {request.url} {refused}"] * ("csp" not in refused))


def _is_of_the_page(request, page: Page) -> bool:
    """Whether the page asks itself, and none of its frames."""
    try:
        return request.frame == page.main_frame
    except Error:  # of a frame that is not there yet
        return request.is_navigation_request() and not page.frames


@contextmanager
def watching(browser: Browser, *, defended: bool = True) -> Iterator[Watched]:
    """A page under watch; undefended, the browser ignores the policy that forbids scripts."""
    context = patient(browser, bypass_csp=not defended, viewport={"width": 1440, "height": 900})
    try:
        yield Watched(context.new_page(), defended=defended)
    finally:
        context.close()
