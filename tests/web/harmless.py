"""Whether anything that was only to be shown has acted; and a browser that would let it."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page

SENTINEL = "__pwned"

_WATCH = """document.addEventListener("securitypolicyviolation", (event) =>
  (window.__refused ??= []).push(`${event.violatedDirective} ${event.blockedURI}`))"""

_TOUCH = """
document.querySelectorAll("details").forEach(it => { it.open = true; });
document.querySelectorAll("input, select, textarea, summary, a").forEach(it => {
  it.focus();
  it.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
});
"""

_STRANGE = """() => {
  const found = [], own = location.origin;
  const never = new Set(["iframe", "frame", "object", "embed", "img", "base", "video", "audio",
    "portal", "math", "foreignobject", "animate", "set", "style"]);
  const leads = new Set(["href", "xlink:href", "src", "action", "formaction", "data", "ping",
    "hx-get", "hx-post", "hx-put", "hx-delete", "hx-replace-url", "hx-push-url", "sse-connect"]);
  const names = new Set(["id", "class", "for", "name", "type", "rel", "target", "data-key"]);
  const told = (it, why) => found.push(`${why}: ${it.outerHTML.slice(0, 160)}`);
  for (const it of document.querySelectorAll("*")) {
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
    """A page and all that it did which it should not."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._seen: list[str] = []
        page.add_init_script(_WATCH)
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self._seen.append(f"error: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("download", lambda it: self._seen.append(f"download: {it.url}"))
        page.on("popup", lambda it: self._seen.append(f"window: {it.url}"))

    def found(self, address: str) -> list[str]:
        """What the page at an address did; all that is folded is opened, all fields are visited."""
        self._seen.clear()
        self._own = urlsplit(address).netloc
        self.page.goto(address, wait_until="load")
        try:
            self.page.evaluate(_TOUCH)
            return [*self._seen, *self.here()]
        except Error as gone:  # the page went elsewhere meanwhile
            return [*self._seen, str(gone)]

    def here(self) -> list[str]:
        """What there is in the page as it stands."""
        acted = self.page.evaluate(f"'{SENTINEL}' in window || document.title.includes('owned')")
        refused = self.page.evaluate("window.__refused ?? []")
        strange = self.page.evaluate(_STRANGE)
        return [*(["it ran"] if acted else []), *refused, *strange]

    def _dialog(self, dialog) -> None:
        self._seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, said) -> None:
        if said.type in {"error", "warning"}:
            self._seen.append(f"console: {said.text}")

    def _request(self, request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme != "data" and parts.netloc != self._own:
            self._seen.append(f"request: {request.url}")


@contextmanager
def watching(browser: Browser, *, defended: bool = True) -> Iterator[Watched]:
    """A page under watch; undefended, the browser ignores the policy that forbids scripts."""
    context = browser.new_context(bypass_csp=not defended, viewport={"width": 1440, "height": 900})
    try:
        yield Watched(context.new_page())
    finally:
        context.close()
