"""One browser behind a wall: started, watched, closed, and its files removed."""

import asyncio
import os
import re
import shlex
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from benchmaker.arenas.code.probe.memory import MemoryWatch
from benchmaker.arenas.code.probe.network_isolation import FLAGS, Wall
from benchmaker.arenas.code.probe.tab import Tab
from benchmaker.errors import RenderError

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import CDPSession, Playwright

START_S = 30
"""The seconds within which a browser must answer after its start."""

_CLOSE_S = 5
_END_LOOKS, _END_LOOK_S = 10, 0.1
_START = """\
#!/bin/sh
echo $$ > {pid}
exec nice -n {nicer} {command} "$@" --user-data-dir={profile}
"""


_NICER = 5
"""How much the browser yields to others: pages that keep it busy leave the workbench its time."""


class StartTimeoutError(RenderError):
    """A browser did not answer after its start, as it would not with another isolation."""


class Browser:
    """A running browser; ``async with`` closes it. ``in_use`` counts its open pages.

    Use :func:`start`; the browser's files are in a separate folder, owned by the user it runs as.
    """

    def __init__(
        self, chromium: "Chromium", cdp: "CDPSession", *, folder: Path, pid: int, most_mb: int
    ) -> None:
        self.chromium = chromium
        self.cdp = cdp
        self.memory = MemoryWatch(pid, most_mb=most_mb)
        self.in_use = 0
        self.pages = 0
        self.is_spent = False
        self._folder = folder
        self._empty_tabs: list[Tab] = []

    @property
    def version(self) -> str:
        """The browser's build."""
        return self.chromium.version

    @property
    def is_running(self) -> bool:
        """False once its process has ended, which the driver may report later."""
        return self.chromium.is_connected() and self.memory.is_running

    async def is_lost(self) -> bool:
        """Return True if the browser ended, rather than one of its pages.

        A dying browser may first appear as a crash of its page. So after a crash, its own end is
        awaited for a moment.
        """
        for _ in range(_END_LOOKS):
            if not self.is_running:
                return True
            if not self.is_spent:
                break
            await asyncio.sleep(_END_LOOK_S)
        return False

    async def take_tab(self) -> Tab:
        """Return an empty tab, opened if there is none."""
        while self._empty_tabs:
            tab = self._empty_tabs.pop()
            if not tab.is_stained:
                return tab
        return await Tab.open(self.chromium)

    async def return_tab(self, tab: Tab, *, is_usable: bool) -> None:
        """Empty a tab for another page, or close it."""
        if is_usable and await tab.clear():
            self._empty_tabs.append(tab)
        elif not await tab.close():
            self.is_spent = True

    def kill(self) -> None:
        """Kill its processes immediately; its pages are lost."""
        self.is_spent = True
        self.memory.kill_all()

    async def close(self) -> None:
        """End it, whatever state it is in, and remove its files."""
        await self.memory.stop()
        with suppress(Exception):  # what can't be closed in order is killed
            await asyncio.wait_for(self.chromium.close(), _CLOSE_S)
        self.memory.kill_all()
        await asyncio.to_thread(_remove, self._folder)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


async def start(playwright: "Playwright", path: str, wall: Wall, *, most_mb: int) -> Browser:
    """Start the browser at ``path`` behind ``wall``.

    Raises:
        StartTimeoutError: it did not answer.
        RenderError: it did not start; the message quotes its own.
    """
    from playwright.async_api import Error, TimeoutError  # noqa: PLC0415, A004  an extra, loaded where it is used

    folder = Path(tempfile.mkdtemp(prefix="benchmaker-probe-"))
    try:
        chromium = await playwright.chromium.launch(
            executable_path=_starter(folder, path, wall),
            chromium_sandbox=wall.keeps_sandbox,
            args=list(FLAGS),
            env=_surroundings(folder),
            timeout=START_S * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except TimeoutError as exc:
        _remove(folder)
        raise StartTimeoutError(
            f"the browser did not answer within {START_S} s.", where=path
        ) from exc
    except Error as exc:
        _remove(folder)
        raise RenderError(
            f"the browser did not start: {_start_failure(str(exc))}", where=path
        ) from exc
    pid = int((folder / "own" / "pid").read_text("ascii"))
    cdp = await chromium.new_browser_cdp_session()
    browser = Browser(chromium, cdp, folder=folder, pid=pid, most_mb=most_mb)
    browser.memory.start()
    return browser


def _starter(folder: Path, path: str, wall: Wall) -> str:
    """A command that takes the browser's arguments and starts it behind the wall.

    The folder inside belongs to the browser's user; the command does not.
    """
    own = folder / "own"
    own.mkdir()
    command = shlex.join((*wall.before, path))
    text = _START.format(
        pid=shlex.quote(str(own / "pid")),
        nicer=_NICER,
        command=command,
        profile=shlex.quote(str(own / "profile")),
    )
    starter = folder / "start"
    starter.write_text(text, "utf-8")
    starter.chmod(0o755)
    folder.chmod(0o711)
    if wall.uid is not None:
        os.chown(own, wall.uid, wall.uid)
    return str(starter)


def _surroundings(folder: Path) -> dict[str, str | float | bool]:
    """The whole environment of the browser: nothing of ours."""
    own = str(folder / "own")
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": own,
        "TMPDIR": own,
        "XDG_RUNTIME_DIR": own,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _start_failure(message: str) -> str:
    """Return the reason in the driver's message: the quoted error, or the exit status."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    own = [line.partition("[err] ")[2] for line in lines if "[err] " in line]
    loud = [line for line in own if ("ERROR" in line or "rror:" in line) and "crashpad" not in line]
    status = re.search(r"exitCode=(\d+)", message)
    if status and not own:
        return f"the program ended immediately, with exit status {status[1]}."
    words = (loud[-1:] or own[:1] or lines[:1] or ["no error message"])[0][:300]
    return f'its message is "{words}".'
