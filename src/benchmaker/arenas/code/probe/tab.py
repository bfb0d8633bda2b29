"""A tab of the browser: its own context, its events, and its return to an empty state.

Starting a tab costs more than most pages, since the accessibility rules run several times faster
in a process that has run them before. A tab therefore serves several pages, one after the other.
Only a page that stayed within its document passes its tab on; after any other the tab is closed.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.arenas.code.probe.scripts import axe, script
from benchmaker.arenas.code.probe.served_files import HOME, Server

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, CDPSession, Dialog, FileChooser, Page, Route

WORLD = "benchmaker"
"""The name of our JavaScript world in the page."""

_PAGES_PER_TAB = 25
_MOST_HEAP = 64 * 1024 * 1024
"""The bytes of scripts' objects that an emptied tab may still hold."""

_CLEAR_S = 2.0
_CLOSE_S = 3.0
_OUTSIDE = {"type": "mouseMoved", "x": -1, "y": -1}


class _EmptyBundle:
    """What a tab shows between two pages.

    It has their address and policy, so that the browser keeps the process and its history.
    """

    document = "<!doctype html><title></title>"
    files: Mapping[str, tuple[str, bytes]] = MappingProxyType({})


class Tab:
    """A context with one page in it. ``server`` answers the page's requests.

    ``world`` is our JavaScript world in the current document. ``crash`` is done when the page's
    process ended. ``is_stained`` is True after frames, workers, dialogs or refused
    requests: their effects may outlast the page.
    """

    def __init__(self, context: "BrowserContext", page: "Page", cdp: "CDPSession") -> None:
        self.page = page
        self.cdp = cdp
        self.server = Server(_EmptyBundle(), Witness())
        self.crash: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.loaded = asyncio.Event()
        self.frames_quiet = asyncio.Event()
        self.frames_quiet.set()
        self.is_stained = False
        self.world: int | None = None
        self._frame = ""
        self._context = context
        self._busy_frames: set[str] = set()
        self._pages = 0

    @classmethod
    async def open(cls, chromium: "Chromium") -> "Tab":
        """Open a tab without a page."""
        context = await chromium.new_context(
            viewport={"width": 1440, "height": 900},
            device_scale_factor=1,
            locale="en-US",
            timezone_id="UTC",
            color_scheme="light",
            reduced_motion="reduce",
            service_workers="block",
            accept_downloads=False,
        )
        await context.add_init_script(script("clock") + script("sizes"))
        page = await context.new_page()
        tab = cls(context, page, await context.new_cdp_session(page))
        await context.route("**/*", tab._answer)
        tab._listen()
        for domain in ("Page", "Runtime", "Log"):
            await tab.cdp.send(f"{domain}.enable")
        tab._frame = (await tab.cdp.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        rules = {"source": f"globalThis.loadAxe = () => {{{axe()}\n}};", "worldName": WORLD}
        await tab.cdp.send("Page.addScriptToEvaluateOnNewDocument", rules)
        return tab

    @property
    def notes(self) -> Witness:
        """The current witness."""
        return self.server.witness

    async def clear(self) -> bool:
        """Empty the tab for another page; return False if it should be closed instead.

        The page's scripts are paused first, so that none of them runs at its end.
        """
        self._pages += 1
        if self.is_stained or self._pages >= _PAGES_PER_TAB:
            return False
        with suppress(Exception):  # a page that hangs can't be left
            async with asyncio.timeout(_CLEAR_S):
                return await self._leave_page()
        return False

    async def close(self) -> bool:
        """Close it; return False if its page prevents that."""
        with suppress(Exception):  # a page that hangs is closed from outside, or with the browser
            await asyncio.wait_for(self._context.close(), _CLOSE_S)
            return True
        return False

    async def _leave_page(self) -> bool:
        send = self.cdp.send
        await send("Emulation.setScriptExecutionDisabled", {"value": True})
        self.server = empty = Server(_EmptyBundle(), Witness())
        empty.await_load()
        self.loaded.clear()
        await send("Page.navigate", {"url": HOME})
        await self.loaded.wait()
        await send("Input.dispatchMouseEvent", _OUTSIDE)
        await send("Emulation.setScriptExecutionDisabled", {"value": False})
        await send("Runtime.evaluate", {"expression": "window.name = ''"})
        await send("Page.resetNavigationHistory")
        heap = await send("Runtime.getHeapUsage")
        is_calm = not (self.is_stained or empty.witness.absent or empty.witness.loads > 1)
        return is_calm and heap["usedSize"] < _MOST_HEAP

    async def _answer(self, route: "Route") -> None:
        await self.server.answer(route)
        self.is_stained |= self.server.has_strayed

    def _listen(self) -> None:
        page, cdp = self.page, self.cdp
        page.on("dialog", self._on_dialog)
        page.on("crash", self._on_crash)
        page.on("filechooser", self._on_chooser)
        page.on("worker", self._on_worker)
        self._context.on("page", self._on_popup)
        cdp.on(
            "Runtime.exceptionThrown",
            lambda said: self.notes.record_exception(said["exceptionDetails"]),
        )
        cdp.on("Runtime.consoleAPICalled", self._on_console)
        cdp.on("Log.entryAdded", self._on_log)
        cdp.on("Page.loadEventFired", lambda _: self.loaded.set())
        cdp.on("Runtime.executionContextCreated", self._on_world)
        cdp.on("Page.frameAttached", self._on_frame)
        for begun in ("Page.frameStartedLoading", "Page.frameRequestedNavigation"):
            cdp.on(begun, self._on_frame_busy)
        for done in ("Page.frameStoppedLoading", "Page.frameDetached"):
            cdp.on(done, self._on_frame_done)

    async def _on_dialog(self, dialog: "Dialog") -> None:
        self.is_stained = True
        self.notes.dialogs += 1
        self.notes.left = True
        with suppress(Exception):  # the page it belongs to may be gone
            await dialog.dismiss()

    def _on_chooser(self, _: "FileChooser") -> None:
        self.is_stained = True
        self.notes.left = True

    def _on_crash(self, _: "Page") -> None:
        self.is_stained = True
        if not self.crash.done():
            self.crash.set_result(None)

    def _on_worker(self, _: object) -> None:
        self.is_stained = True

    async def _on_popup(self, page: "Page") -> None:
        if page is not self.page:
            self.is_stained = True
            self.notes.left = True
            with suppress(Exception):  # it may close itself
                await page.close()

    def _on_world(self, said: dict[str, Any]) -> None:
        found = said["context"]
        if found["name"] == WORLD and found["auxData"].get("frameId") == self._frame:
            self.world = found["id"]

    def _on_frame(self, _: dict[str, Any]) -> None:
        self.is_stained = True

    def _on_frame_busy(self, said: dict[str, Any]) -> None:
        self._busy_frames.add(said["frameId"])
        self.frames_quiet.clear()

    def _on_frame_done(self, said: dict[str, Any]) -> None:
        self._busy_frames.discard(said["frameId"])
        if not self._busy_frames:
            self.frames_quiet.set()

    def _on_console(self, said: dict[str, Any]) -> None:
        if said["type"] in ("error", "assert"):
            words = " ".join(str(one.get("value", "")) for one in said.get("args", ()))
            self.notes.console("error", words)

    def _on_log(self, said: dict[str, Any]) -> None:
        entry = said["entry"]
        self.is_stained |= "Content Security Policy" in entry["text"]
        self.notes.console(entry["level"], entry["text"])
