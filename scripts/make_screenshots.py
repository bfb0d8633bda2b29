"""Pictures of every page, for docs/reference/pages.md; run ``python -m scripts.make_screenshots``.

Each page of the workbench is shown over a made data folder. The picture for the documentation is
that of the light theme on a wide screen, stored small by the browser itself; ``--raw`` keeps both
themes at two widths.
"""

import argparse
import base64
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

from playwright.sync_api import Browser, Page, sync_playwright

from benchmaker.arenas.code.probe import find_browser
from scripts.reference.pages import MORE, SIGNED_IN, SIGNED_OUT
from tests.web.accounts.illustrated import peopled, worked
from tests.web.accounts.people import sign_in
from tests.web.answering import Models, answering
from tests.web.every_page import Place, places
from tests.web.illustrated import illustrated
from tests.web.rendered import render_pages
from tests.web.serving import serving
from tests.web.test_arena_live import begun, put, until

T = TypeVar("T")
FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "pages"
_HEIGHTS = {1440: 1_720, 375: 1_700}
_MARGIN = 16
_QUALITY = 0.72
_SETTLES_S = 2.0
_DRAWN_MS = 400
_HELD, _REFUSED_S = 5, 120
_WIDTH = 1_200
_SCALED = """async ({png, width, quality}) => {
  const image = await createImageBitmap(
    await (await fetch("data:image/png;base64," + png)).blob(),
    {resizeWidth: width, resizeQuality: "high"});
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""

_SHOWN_FOLDER = "~/.local/share/benchmaker"
_RENAMED = """([folder, shown]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.data.includes(folder)) text.data = text.data.replaceAll(folder, shown);
  }
}"""


_ENDS = """most => Math.max(0, ...[...document.querySelectorAll("main section.panel")]
  .map(it => Math.ceil(it.getBoundingClientRect().bottom + scrollY)).filter(it => it <= most))"""
"""The bottom of the last panel that fits into a height."""


class Shot(NamedTuple):
    """A picture of a page, as PNG."""

    theme: str
    width: int
    png: bytes


class Work(NamedTuple):
    """What is to be done: the pages that are wanted (all if none), and where single pictures go."""

    browser: Browser
    names: frozenset[str]
    raw: Path | None

    def take(self, address: str, places: Iterable[Place], *, home: Path, cookie: str = "") -> None:
        """Take the pictures of the selected pages, signed in with the cookie.

        The path of the data folder ``home`` is shown as the usual one.
        """
        for place in places:
            if not self.names or place.name in self.names:
                shots = list(_shots(self.browser, address, place, home=home, cookie=cookie))
                _store(self.browser, place, shots, self.raw)


def main() -> None:
    """Make the pictures of all pages, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pages by their names on the list; all if none")
    parser.add_argument("--raw", type=Path, help="a folder for the single pictures, too")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="benchmaker-") as folder, _chromium() as browser:
        work = Work(browser, frozenset(given.names), given.raw)
        for take in (_at_rest, _empty, _running, _shared):
            take(work, Path(folder, take.__name__))


def _at_rest(work: Work, folder: Path) -> None:
    folder.mkdir()
    home = folder / "home"
    home.mkdir()
    names = _aside(lambda: illustrated(home))
    _aside(lambda: render_pages(home, names.code, names.improved))
    with serving(home, previews=True, works=False) as address:
        work.take(address, places(names), home=home)


def _empty(work: Work, folder: Path) -> None:
    with serving(folder, works=False) as address:
        work.take(address, [one for one in MORE if one.name == "home-empty"], home=folder)


def _running(work: Work, folder: Path) -> None:
    """A run in whose middle an answer is held and a request refused."""
    live = [one for one in MORE if one.name.startswith("arena-")]
    if work.names and not work.names & {one.name for one in live}:
        return
    folder.mkdir()
    suite = _aside(lambda: put(folder, cases=12, name="sums"))
    with answering(lambda prompt: _said(models, prompt)) as models, serving(folder) as address:
        (folder / "endpoints.yaml").write_text(
            f"endpoints:\n  desk:\n    base_url: {models.url}\n    local: true\n", encoding="utf-8"
        )
        run = begun(address, suite, ["desk/small", "desk/large"], concurrency=4)
        until(lambda: not models.flows.is_set())
        time.sleep(_SETTLES_S)
        shown = [one._replace(path=one.path.replace("RUN", run)) for one in live]
        work.take(address, shown, home=folder)
        models.flows.set()


def _shared(work: Work, folder: Path) -> None:
    """A server with accounts, some of whose people wait for a word."""
    if work.names and not work.names & {one.name for one in (*SIGNED_IN, *SIGNED_OUT)}:
        return
    folder.mkdir()
    home = folder / "home"
    home.mkdir()
    _aside(lambda: illustrated(home))
    _aside(lambda: peopled(home))
    with serving(home, works=False) as address:
        attempt = _aside(lambda: worked(address, home))
        work.take(address, SIGNED_OUT, home=home)
        asker, _ = sign_in(address, "ada")
        own = [one._replace(path=one.path.replace("ATTEMPT", attempt)) for one in SIGNED_IN]
        work.take(address, own, home=home, cookie=asker.headers["Cookie"])


def _said(models: Models, prompt: str) -> str:
    """An answer; from one case on it is held, and the request after that is refused."""
    number = int(prompt.rpartition(" ")[2])
    if number >= _HELD and models.flows.is_set():
        models.flows.clear()
        models.refusals, models.refused_s = 1, _REFUSED_S
    return "I think it is 41" if number == 1 else "40 and 2 are 42"


def _aside(work: Callable[[], T]) -> T:
    """In another thread, since Playwright runs a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def _chromium() -> "_Chromium":
    return _Chromium()


class _Chromium:
    """The system's Chromium for as long as the block lasts."""

    def __enter__(self) -> Browser:
        found = find_browser()
        if found is None:
            raise SystemExit("Chromium is missing. Install it with: make system")
        self._playwright = sync_playwright().start()
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._browser = self._playwright.chromium.launch(executable_path=found, args=as_root)
        return self._browser

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._playwright.stop()


def _shots(
    browser: Browser, address: str, place: Place, *, home: Path, cookie: str
) -> Iterator[Shot]:
    page = browser.new_page(locale="en-GB", reduced_motion="reduce")
    if cookie:
        name, _, value = cookie.partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": address}])
    page.goto(address + place.path)
    page.locator("#pending").wait_for(state="detached")
    page.locator("main [aria-busy=true]").first.wait_for(state="detached")
    page.wait_for_timeout(_DRAWN_MS)
    show_usual_folder(page, home)
    for width, height in _HEIGHTS.items():
        page.set_viewport_size({"width": width, "height": 900})
        whole = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": width, "height": _height(page, whole, height)})
        if len(page.frames) > 1:  # previews are drawn again in their new height
            page.wait_for_timeout(_DRAWN_MS)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            yield Shot(theme, width, page.screenshot())
    page.close()


def show_usual_folder(page: Page, home: Path) -> None:
    """Write the usual data folder wherever the page has the path of ``home``."""
    page.evaluate(_RENAMED, [str(home), _SHOWN_FOLDER])


def _height(page: Page, whole: int, most: int) -> int:
    """The height of a picture: a long page ends behind its last panel that fits."""
    if whole <= most:
        return max(500, whole)
    end: int = page.evaluate(_ENDS, most - _MARGIN)
    return end + _MARGIN if end > most / 2 else most


def _store(browser: Browser, place: Place, shots: list[Shot], raw: Path | None) -> None:
    if raw is not None:
        raw.mkdir(parents=True, exist_ok=True)
        for one in shots:
            (raw / f"{place.name}-{one.theme}-{one.width}.png").write_bytes(one.png)
    wide = next(one for one in shots if one.theme == "light" and one.width == max(_HEIGHTS))
    picture = {"png": base64.b64encode(wide.png).decode(), "width": _WIDTH, "quality": _QUALITY}
    page = browser.new_page()
    made = base64.b64decode(page.evaluate(_SCALED, picture))
    page.close()
    path = FOLDER / f"{place.name}.webp"
    path.write_bytes(made)
    print(f"{path.name}  {len(made):,} bytes")


if __name__ == "__main__":
    main()
