"""A browser tab that counts what a person does in it, and the bytes that come."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Error, Locator, Page, Request

SIZE = {"width": 1440, "height": 900}
PATIENCE_MS = 120_000
_QUIET_MS = 1_000


@dataclass(slots=True)
class Tab:
    """A page with an empty cache; ``acts`` counts clicks, keys that act, and typed fields."""

    page: Page
    acts: int = 0
    came: list[Request] = field(default_factory=list)

    def click(self, what: Locator) -> None:
        """Click, and wait until the page is quiet."""
        what.click()
        self.acts += 1
        self.settle()

    def go_back(self) -> None:
        """Press the Back button of the browser."""
        self.page.go_back()
        self.acts += 1
        self.settle()

    def fill(self, what: Locator, text: str) -> None:
        """Type into a field."""
        what.fill(text)
        self.acts += 1
        self.settle()

    def press(self, keys: str) -> None:
        """Press a key or a combination that does something."""
        self.page.keyboard.press(keys)
        self.acts += 1
        self.settle()

    def shows(self, *texts: str) -> None:
        """Wait until the page contains each text: the task is done."""
        for text in texts:
            self.page.get_by_text(text).first.wait_for(state="attached")

    def settle(self) -> None:
        """Wait until nothing has come for a while."""
        n = -1
        while n != len(self.came):
            n = len(self.came)
            self.page.wait_for_timeout(_QUIET_MS)

    def forget(self) -> None:
        """Begin the count here."""
        self.acts = 0
        self.came.clear()

    def transferred(self) -> int:
        """Bytes of the bodies of all responses, as they came over the wire."""
        return sum(map(_body, self.came))


def _body(request: Request) -> int:
    try:
        return max(0, request.sizes()["responseBodySize"])
    except Error:  # the page that asked is gone, as after a navigation
        return 0


@contextmanager
def opened(browser: Browser, address: str, state: dict | None = None) -> Iterator[Tab]:
    """A tab in a fresh profile, at the first page of a viewer."""
    context = browser.new_context(
        viewport=SIZE, storage_state=state, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(PATIENCE_MS)
    try:
        tab = Tab(context.new_page())
        tab.page.on("requestfinished", lambda one: tab.came.append(one))  # noqa: PLW0108  Playwright marks it
        tab.page.goto(address)
        tab.settle()
        yield tab
    finally:
        context.close()


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def until_open(port: int) -> None:
    """Wait until a server listens on the port."""
    end = time.monotonic() + PATIENCE_MS / 1_000
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return
