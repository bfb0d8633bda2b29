"""One page in a browser: loaded, given time, paused, examined; each wait is limited.

Facts are read in an isolated JavaScript world while the page's scripts are paused, so that the page
can neither change during the examination nor falsify it.
"""

import asyncio
import base64
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.arenas.code.probe.scripts import script
from benchmaker.arenas.code.probe.served_files import HOME, ServableBundle, Server
from benchmaker.arenas.code.probe.tab import WORLD, Tab
from benchmaker.record.probe import HEIGHTS

if TYPE_CHECKING:
    from playwright.async_api import Page

LOAD_S = 5.0
LOOK_S = 4.0
SETTLE_MS = 1000
CLICK_MS = 400
PASSED_S = 1.5
_LAST_TASK_S = 2.0
_FRAMES_S = 1.0
_MOST_PICTURES = 5
_MOST_MOVES = 6
_CLOCK = 'globalThis[Symbol.for("benchmaker.clock")]'
_SIZES = 'globalThis[Symbol.for("benchmaker.sizes")]'
T = TypeVar("T")


class Hung(Exception):
    """The page did not come back in its time."""


class Crashed(Exception):
    """The page's process ended."""


class Visit:
    """A page in a tab without traces of any other; ``async with`` ends it.

    ``notes`` is the current witness; replace it to start again. ``until`` is the deadline of this
    page in the loop's time; ``patience`` scales every shorter limit.
    """

    def __init__(
        self, browser: Browser, bundle: ServableBundle, *, until: float, patience: float = 1.0
    ) -> None:
        self.until = until
        self._browser = browser
        self._server = Server(bundle, Witness())
        self._patience = patience
        self._tab: Tab
        self._world: int | None = None

    @property
    def page(self) -> "Page":
        """The driver's page, for actions of a visitor."""
        return self._tab.page

    @property
    def bundle(self) -> ServableBundle:
        """The page's document and files."""
        return self._server.bundle

    @property
    def notes(self) -> Witness:
        """The current witness."""
        return self._server.witness

    @notes.setter
    def notes(self, witness: Witness) -> None:
        self._server.witness = witness

    @property
    def is_loaded(self) -> bool:
        """True if the last load completed."""
        return self._tab.loaded.is_set()

    @property
    def is_calm(self) -> bool:
        """True if the page was loaded once, and reached out of its document nowhere."""
        return self.notes.loads == 1 and not self._tab.is_stained

    @property
    def left_s(self) -> float:
        """The seconds that remain of the page's budget."""
        return max(0.0, self.until - asyncio.get_running_loop().time())

    async def __aenter__(self) -> Self:
        self._tab = await self._browser.take_tab()
        self._tab.server = self._server
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._browser.return_tab(self._tab, is_usable=error is None)

    async def load(self, width: int, *, height: int | None = None) -> None:
        """Load the page again in a window of this width.

        Raises:
            Hung: it never finished loading.
            Crashed: its process ended.
        """
        high = height or HEIGHTS.get(width, 900)
        await self._resize(width, high)
        self.notes = Witness()
        self._server.await_load()
        self._world = self._tab.world = None
        self._tab.loaded.clear()
        loop = asyncio.get_running_loop()
        began = loop.time()
        await self.wait_for(self._tab.cdp.send("Page.navigate", {"url": HOME}), LOAD_S)
        spent = (loop.time() - began) / self._patience
        await self.wait_for(self._tab.loaded.wait(), max(0.1, LOAD_S - spent))

    async def resize(self, width: int) -> bool:
        """Resize the window of a stopped page; return False if it no longer stands still."""
        await self._resize(width, HEIGHTS.get(width, 900))
        return await self.ask("resized") is True

    async def reads_size(self) -> bool:
        """Return True if the page has read its window's size, or may react to another one."""
        with suppress(_Threw, _Gone):
            read = await self._evaluate(f"{_SIZES} !== false", world=None, limit_s=LOOK_S)
            return read is not False
        return True

    async def _resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
        form = {**size, "deviceScaleFactor": 1, "mobile": False}
        await self._send("Emulation.setDeviceMetricsOverride", form)

    async def settle(self, ms: int = SETTLE_MS, *, limit_s: float = PASSED_S) -> bool:
        """Advance the page's time by ``ms`` milliseconds; return False if that took too long."""
        most = int(limit_s * self._patience * 1000)
        call = f"{_CLOCK} ? {_CLOCK}.settle({ms}, {most}) : {{isLate: false}}"
        for moves in range(_MOST_MOVES + 1):  # a page that goes elsewhere takes the clock along
            if moves == _MOST_MOVES:
                self.notes.reloads_stopped = True
                self.pin()
            loads = self.notes.loads
            try:
                said = await self._evaluate(call, world=None, limit_s=limit_s + _LAST_TASK_S)
                await self._frames_rest()
                if self.notes.loads == loads or moves == _MOST_MOVES:
                    self._tab.is_stained |= said["isLate"]
                    return not said["isLate"]
            except _Threw:
                return False
            except _Gone:
                pass
            with suppress(Hung):
                await self.wait_for(asyncio.sleep(0.1), 1)
        return True

    async def draw(self) -> None:
        """Wait for the first frame after a load; no time passes for the page."""
        with suppress(_Threw, _Gone):
            await self._evaluate(f"{_CLOCK}?.draw()", world=None, limit_s=LOOK_S)

    async def _frames_rest(self) -> None:
        """Wait for frames inside the page, a little: they have the time of the machine."""
        with suppress(Hung):
            await self.wait_for(self._tab.frames_quiet.wait(), _FRAMES_S)

    async def stop(self) -> None:
        """Hold the page's scripts."""
        await self._send("Emulation.setScriptExecutionDisabled", {"value": True})

    async def go_on(self) -> None:
        """Let the page's scripts run again."""
        await self._send("Emulation.setScriptExecutionDisabled", {"value": False})

    async def ask(self, *names: str) -> Any:  # noqa: ANN401  what a script says
        """Return the result of the last of these scripts, ``resources/probe/<name>.js``."""
        return await self.evaluate("\n".join(map(script, names)))

    async def evaluate(self, expression: str, *, limit_s: float = LOOK_S) -> Any:  # noqa: ANN401
        """Evaluate an expression in our isolated world of the page."""
        for _ in range(3):
            with suppress(_Gone, _Threw):
                if self._world is None:
                    self._world = self._tab.world or await self._make_world()
                return await self._evaluate(expression, world=self._world, limit_s=limit_s)
            self._world = self._tab.world = None
        raise Hung

    async def accessibility(self) -> list[tuple[str, str]]:
        """The rules of axe-core that are broken, with their impact, sorted."""
        found = await self.evaluate(f"{script('timers')}\nloadAxe();\n{script('axe_run')}")
        return sorted((str(rule), str(impact)) for rule, impact in found)

    async def picture(self, *, has_frames: bool = False) -> bytes:
        """The window as a PNG; frames inside are drawn by others, so it waits for two alike."""
        taken = await self._capture()
        for _ in range(_MOST_PICTURES if has_frames else 0):
            await self.wait_for(asyncio.sleep(0.1), 1)
            before, taken = taken, await self._capture()
            if taken == before:
                break
        return taken

    async def still_picture(self) -> bytes:
        """The window as a PNG, without what moves by itself."""
        await self.evaluate(f"{script('still')}\nhold()")
        return await self.picture()

    async def _capture(self) -> bytes:
        said = await self._send(
            "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}
        )
        return base64.b64decode(said["data"])

    async def click(self, x: float, y: float) -> None:
        """Press and release the mouse at a place; moved there before."""
        at = {"x": x, "y": y}
        held = {**at, "button": "left", "clickCount": 1}
        await self._mouse("mouseMoved", at)
        await self._mouse("mousePressed", {**held, "buttons": 1})
        await self._mouse("mouseReleased", held)

    async def wait_for(self, work: Awaitable[T], limit_s: float) -> T:
        """The result of some work; ends early with the page's budget or its process."""
        task = asyncio.ensure_future(work)
        limit = min(limit_s * self._patience, self.left_s)
        both: set[asyncio.Future[Any]] = {task, self._tab.crash}
        await asyncio.wait(both, timeout=limit, return_when="FIRST_COMPLETED")
        if task.done():
            return task.result()
        task.add_done_callback(_forget)
        task.cancel()
        self._tab.is_stained = True
        if self._tab.crash.done():
            raise Crashed
        raise Hung

    def pin(self) -> None:
        """From here on the page stays where it is."""
        self._server.is_pinned = True

    async def _mouse(self, kind: str, given: Mapping[str, object]) -> None:
        await self._send("Input.dispatchMouseEvent", {"type": kind, **given}, limit_s=2.0)

    async def _make_world(self) -> int:
        frame = (await self._send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        made = await self._send("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
        return int(made["executionContextId"])

    async def _evaluate(self, expression: str, *, world: int | None, limit_s: float) -> Any:  # noqa: ANN401
        given = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        if world is not None:
            given["contextId"] = world
        said = await self._send("Runtime.evaluate", given, limit_s=limit_s)
        if "exceptionDetails" in said:
            raise _Threw(str(said["exceptionDetails"])[:300])
        return said["result"].get("value")

    async def _send(
        self, method: str, given: dict[str, Any] | None = None, *, limit_s: float = LOOK_S
    ) -> dict[str, Any]:
        from playwright.async_api import Error  # noqa: PLC0415  an extra, loaded where it is used

        try:
            return await self.wait_for(self._tab.cdp.send(method, given or {}), limit_s)
        except Error as exc:
            if self._tab.crash.done():
                raise Crashed from exc
            raise _Gone(str(exc)[:300]) from exc


class _Threw(Exception):
    """The evaluation failed: the page altered its environment, or is another one."""


class _Gone(Exception):
    """The evaluation's world no longer exists, or never did."""


def _forget(task: "asyncio.Future[Any]") -> None:
    """Consume the result of abandoned work."""
    if not task.cancelled():
        task.exception()
