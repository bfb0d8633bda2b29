"""The system's Chromium: one process for all modules of a worker, and pages that are used again.

Playwright runs an event loop in the main thread for as long as it lives, so that no other can run
there: each module has its own Playwright. They connect to the same browser.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable, get_driver_env
from playwright.sync_api import Browser, BrowserContext, CDPSession, Error, Page, Response

from benchmaker.arenas.code.probe import find_browser

LIGHTEST = "chromium-headless-shell"
"""Chromium without windows: a fresh profile takes a third of the time."""

MISSING = "Chromium is missing. Install it with: make system"
SIZE = {"width": 1440, "height": 900}
PATIENCE_MS = 120_000
"""How long something in a page may take before the test gives up: more than any machine needs."""

_KEEPER = """
import subprocess, sys
started = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
sys.stdin.read()
started.terminate()
started.wait()
"""
"""A program that ends another one together with this process, even if that is killed."""


@contextmanager
def browser_server(folder: Path) -> Iterator[str]:
    """The address of a Chromium that Playwright connects to; it runs until the end of the block."""
    found = shutil.which(LIGHTEST) or find_browser()
    assert found, MISSING
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    options = folder / "browser.json"
    options.write_text(json.dumps({"executablePath": found, "args": as_root}))
    launch = ["launch-server", "--browser", "chromium", "--config", str(options)]
    with subprocess.Popen(
        [sys.executable, "-c", _KEEPER, *compute_driver_executable(), *launch],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=get_driver_env(),
        start_new_session=True,  # Ctrl-C is not for it
    ) as keeper:
        try:
            address = keeper.stdout.readline().strip()
            assert address.startswith("ws:"), "the browser did not start"
            yield address
        finally:
            keeper.stdin.close()


def patient(browser: Browser, **how: Any) -> BrowserContext:
    """A fresh profile in which all may take as long as it takes under load."""
    context = browser.new_context(**how)
    context.set_default_timeout(PATIENCE_MS)
    return context


class Tab:
    """A page that one test after the other uses, each without what those before it left there.

    A page of its own for each test would cost half a second: Chromium starts a process for it.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self._session: CDPSession | None = None

    @contextmanager
    def use(self) -> Iterator[Page]:
        """The page as a fresh profile has it; it listens to what a test asks for until its end."""
        page = self._page or self._open()
        listening: list[tuple[Any, Callable[..., Any]]] = []
        on = page.on

        def noted(event: Any, handler: Callable[..., Any]) -> None:
            listening.append((event, handler))
            on(event, handler)

        page.on = noted  # type: ignore[method-assign]
        try:
            yield page
        finally:
            page.on = on  # type: ignore[method-assign]
            for event, handler in listening:
                page.remove_listener(event, handler)
            self._clean()

    def close(self) -> None:
        """Close the page; the next test has a new one."""
        page, self._page = self._page, None
        if page is not None:
            page.context.close()

    def _open(self) -> Page:
        context = patient(self._browser, viewport=SIZE, locale="en-GB")
        self._page = context.new_page()
        self._session = context.new_cdp_session(self._page)
        return self._page

    def _clean(self) -> None:
        """Leave the page; forget cookies, what pages stored, and what the browser cached."""
        assert self._page is not None
        assert self._session is not None
        for other in self._page.context.pages[1:]:
            other.close()
        try:
            self._page.goto("about:blank")
            everywhere = {"origin": "*", "storageTypes": "all"}
            self._session.send("Storage.clearDataForOrigin", everywhere)
            self._session.send("Network.clearBrowserCache")
            self._page.set_viewport_size(SIZE)
            self._page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        except Error:  # it hangs or is gone
            self.close()


def answers_to(page: Page) -> list[Response]:
    """What a page is answered from now on."""
    came: list[Response] = []
    page.on("response", lambda one: came.append(one))  # noqa: PLW0108  Playwright marks it
    return came


def weight(came: list[Response]) -> int:
    """The bytes of all answers, each of which is waited for."""
    return sum(len(one.body()) for one in came if not 300 <= one.status < 400)
