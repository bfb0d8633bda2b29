"""The contract of workbench pages, as a class of tests to inherit."""

import inspect
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any, ClassVar, Final
from urllib.parse import quote

from benchmaker.record.account import Role
from benchmaker.testing.demand import demand
from benchmaker.testing.local_server import LocalServer, ServerReply, local_server

_OK, _SIGN_IN, _FORBIDDEN, _FAILED = 200, 303, 403, 500
_MARKUP: Final = "<b>&x'\"</b>"
_READING: Final = frozenset({"GET", "HEAD"})
_THEMES: Final = ("light", "dark")


class PageContract:
    """Inherit, name the class ``Test…``, and set one attribute; pytest does the rest.

    ``page`` is the class of the page; it must be importable by its module's name. It is served by
    ``benchmaker serve`` in another process, with an empty store and with a few runs, to an admin, a
    member, a viewer and a visitor without a sign-in. No browser is needed.

    Example::

        class TestOutcomes(PageContract):
            page = Outcomes
    """

    page: ClassVar[type]

    def test_it_has_an_id_and_a_version(self) -> None:
        """Has the attributes set by ``@web_page``."""
        for mark in ("id", "version"):
            value = getattr(self.page, mark, None)
            fine = isinstance(value, str) and value and getattr(self.page, "kind", "") == "page"
            demand(fine, f"no {mark}: mark the class with @web_page")

    def test_its_docstring_begins_with_a_sentence(self) -> None:
        """Lists describe the page by this sentence."""
        text = inspect.cleandoc(self.page.__doc__ or "")
        demand(text.partition("\n")[0].endswith("."), "the docstring's first line is no sentence")

    def test_it_is_a_whole_document(self) -> None:
        """Has a title, one heading and the frame of all pages, with and without runs."""
        for server in self._servers():
            reply = self._read(server)
            seen = _Seen.of(reply.text)
            demand(reply.text.lstrip().lower().startswith("<!doctype html>"), "no <!doctype html>")
            demand(seen.titles == 1 and seen.title.strip(), "not one <title> with a text")
            demand(seen.headings == 1 and seen.heading.strip(), "not one <h1> with a text")
            framed = {"main", "nav"} <= seen.tags
            demand(framed, "no <main> or <nav>: extend base.html.jinja")

    def test_nothing_in_it_is_refused_by_the_browser(self) -> None:
        """In both themes, the page has no inline script or style, and nothing from another site."""
        for server in self._servers():
            for theme in _THEMES:
                reply = self._read(server, Cookie=f"benchmaker_theme={theme}")
                demand(f'data-theme="{theme}"' in reply.text, f"the theme {theme} has no effect")
                found = _Seen.of(reply.text).refused
                demand(not found, f"the Content-Security-Policy refuses {', '.join(found[:3])}")

    def test_what_an_address_says_is_escaped(self) -> None:
        """Parts of the address come from any user."""
        words = f"?q={quote(_MARKUP)}&page={quote(_MARKUP)}&a=%00"
        for server in self._servers():
            reply = server.ask(f"{self._path}{words}", Role.ADMIN)
            demand(reply.status < _FAILED, f"it fails with {words}: {reply.status}")
            demand(_MARKUP not in reply.text, "a word of the address is in the page as markup")

    def test_nobody_reads_it_without_signing_in(self) -> None:
        """Nothing is public unless the team's boards are."""
        for method, path in self._routes():
            status = self._server.ask(path, None, method=method).status
            demand(status in {_SIGN_IN, 401}, f"{method} {path} answers {status} to nobody")

    def test_its_role_may_read_it_and_those_below_may_not(self) -> None:
        """The minimum role is the declared one, by default viewer."""
        needed = self._fact("role", Role.VIEWER)
        for role in Role:
            status = self._server.ask(self._path, role).status
            wanted = _OK if role.covers(needed) else _FORBIDDEN
            demand(status == wanted, f"{self._path} answers {status} to a {role}, not {wanted}")

    def test_a_viewer_changes_nothing(self) -> None:
        """Requests that change data require a member and an origin on this server."""
        for method, path in self._routes():
            if method not in _READING:
                status = self._server.ask(path, Role.VIEWER, method=method).status
                demand(status == _FORBIDDEN, f"{method} {path} answers {status} to a viewer")
                foreign = {"Origin": "https://other.example"}
                status = self._server.ask(path, Role.ADMIN, method=method, **foreign).status
                demand(status == _FORBIDDEN, f"{method} {path} answers {status} to another site")

    def test_its_links_lead_to_it(self) -> None:
        """The page is in the navigation, the jump palette, or both."""
        place, palette = self._fact("navigation", None), self._palette()
        demand(place or palette, "nothing leads to it: give it a title or a navigation")
        if place:
            links = _Seen.of(self._server.ask("/").text).links
            demand((place.name, self._path) in links, f"{place.name} is not in the navigation")
        for name, href in palette.items():
            links = _Seen.of(self._server.ask(f"/jump?q={quote(name)}").text).links
            demand(any(it == href for _, it in links), f"the jump palette has no {name!r}")
            status = self._server.ask(href).status
            demand(status == _OK, f"{name!r} in the jump palette leads to {href}: {status}")

    def test_its_other_addresses_answer(self) -> None:
        """Files and further pages without parameters are served."""
        for server in self._servers():
            for method, path in self._routes():
                if method == "GET" and "{" not in path:
                    status = server.ask(path).status
                    demand(status == _OK, f"{path} answers {status}")

    @property
    def _path(self) -> str:
        """Return the address of the page: its first route that answers GET."""
        return next((path for method, path in self._routes() if method == "GET"), "/")

    def _routes(self) -> Iterator[tuple[str, str]]:
        for route in self._fact("routes", None).routes:
            for method in sorted(route.methods):
                yield method, route.path

    def _palette(self) -> Mapping[str, str]:
        title = self._fact("title", "")
        found: Mapping[str, str] = self._fact("palette", {title: self._path} if title else {})
        return found

    def _fact(self, name: str, default: Any) -> Any:  # noqa: ANN401  as the page declares it
        return getattr(self.page, name, default)

    @property
    def _server(self) -> LocalServer:
        return self._start(has_runs=True)

    def _servers(self) -> Iterator[LocalServer]:
        for has_runs in (False, True):
            yield self._start(has_runs=has_runs)

    def _start(self, *, has_runs: bool) -> LocalServer:
        path = f"{self.page.__module__}:{self.page.__qualname__}"
        return local_server(path, has_runs=has_runs)

    def _read(self, server: LocalServer, **headers: str) -> ServerReply:
        reply = server.ask(self._path, Role.ADMIN, **headers)
        demand(reply.status == _OK, f"{self._path} answers {reply.status}")
        kind = reply.headers.get("content-type", "")
        demand(kind.startswith("text/html"), f"{self._path} is {kind or 'of no type'}")
        return reply


class _Seen(HTMLParser):
    """The parts of a page that the contract checks."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.titles = self.headings = 0
        self.title = self.heading = ""
        self.links: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self._open: list[str] = []
        self._href: str | None = None
        self._words = ""

    @classmethod
    def of(cls, text: str) -> "_Seen":
        made = cls()
        made.feed(text)
        made.close()
        return made

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a tag, and its parts that a browser refuses."""
        values = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self._open.append(tag)
        self.titles += tag == "title" and "svg" not in self._open
        self.headings += tag == "h1"
        if tag == "a":
            self._href, self._words = values.get("href"), ""
        self.refused += _refusal_of(tag, values)

    def handle_endtag(self, tag: str) -> None:
        """Record the end of a tag; tags never closed end with their parent."""
        if tag == "a" and self._href is not None:
            self.links.append((" ".join(self._words.split()), self._href))
            self._href = None
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Record the texts of title, heading and links."""
        if "title" in self._open and "svg" not in self._open:
            self.title += data
        if "h1" in self._open:
            self.heading += data
        self._words += data


def _refusal_of(tag: str, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts of a tag that the server's policy refuses."""
    if tag == "style" or (tag == "script" and "src" not in values):
        yield f"<{tag}> inside the page"
    for name, value in values.items():
        if name == "style" or name.startswith("on"):
            yield f"the attribute {name} of <{tag}>"
        if re.match(r"\s*javascript:", value, re.IGNORECASE):
            yield f"a script in {name} of <{tag}>"
    address = values.get("href" if tag == "link" else "src", "")
    is_loaded = tag in {"link", "script", "img", "iframe", "audio", "video", "source"}
    if is_loaded and address and not re.match(r"/(?!/)|data:", address):
        yield f"{address} in <{tag}>"
    if tag in {"iframe", "object", "embed"}:
        yield f"<{tag}>"
