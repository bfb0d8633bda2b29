"""The isolation test at startup: a page of ours tries every way to reach a listener on loopback.

A namespace is tested alone, without the policy and the interception that every probed page also
has; flags are tested together with them.
"""

import asyncio
import json
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.arenas.code.probe.network_isolation import POLICY
from benchmaker.arenas.code.probe.scripts import script
from benchmaker.arenas.code.probe.served_files import HOME, ORIGIN
from benchmaker.record import ProbeIsolation, SelfTest

if TYPE_CHECKING:
    from playwright.async_api import Route

_WAIT_S = 1.5
_LIMIT_S = 60
_HEARS_S = 10
_LOOK_S = 0.02
_KNOCK = b"benchmaker"


class Listener:
    """Hears everything that comes to one port of the loopback address, TCP and UDP."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.port = 0
        self._server: asyncio.Server
        self._udp: asyncio.DatagramTransport

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._tcp, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])
        loop = asyncio.get_running_loop()
        self._udp, _ = await loop.create_datagram_endpoint(
            lambda: _Datagrams(self.heard), local_addr=("127.0.0.1", self.port)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._udp.close()
        self._server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._server.wait_closed(), 1)

    async def hears(self) -> bool:
        """Return True if it receives a connection of ours, which is then forgotten."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.sendto(_KNOCK, ("127.0.0.1", self.port))
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(_KNOCK + b"\n")
        await writer.drain()
        writer.close()
        for _ in range(int(_HEARS_S / _LOOK_S)):
            if len(self.heard) >= 2:  # noqa: PLR2004  one of each kind
                break
            await asyncio.sleep(_LOOK_S)
        kinds = {one.split(" ")[0] for one in self.heard}
        self.heard.clear()
        return kinds == {"tcp", "udp"}

    async def _tcp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = b""
        with suppress(TimeoutError, OSError, ValueError):
            line = await asyncio.wait_for(reader.readline(), 1)
        self.heard.append(f"tcp {line[:60]!r}")
        writer.close()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, heard: list[str]) -> None:
        self._heard = heard

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:  # noqa: ARG002
        self._heard.append(f"udp {data[:20]!r}")


async def try_walls(browser: Browser, isolation: ProbeIsolation) -> SelfTest:
    """Run the isolation test; ``seen`` is empty if nothing reached the listener."""
    async with Listener() as listener:
        controls = await listener.hears()
        tried = await asyncio.wait_for(_attack(browser, isolation, listener.port), _LIMIT_S)
        seen = tuple(sorted(set(listener.heard)))
    return SelfTest(tried=tuple(tried), seen=seen, controls=controls)


async def _attack(browser: Browser, isolation: ProbeIsolation, port: int) -> list[str]:
    is_alone = isolation is ProbeIsolation.NAMESPACE
    headers = {} if is_alone else {"Content-Security-Policy": POLICY}

    async def answer(route: "Route") -> None:
        if route.request.url == HOME:
            await route.fulfill(body="<!doctype html><body>", headers=headers,
                                content_type="text/html")  # fmt: skip
        elif is_alone and not route.request.url.startswith(f"{ORIGIN}/"):
            await route.continue_()
        else:
            await route.abort("failed")

    context = await browser.chromium.new_context(service_workers="block")
    try:
        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(HOME)
        tried: list[str] = json.loads(
            await page.evaluate(f"JSON.stringify(({script('leaks').rstrip().rstrip(';')})({port}))")
        )
        await asyncio.sleep(_WAIT_S)
    finally:
        await context.close()
    return tried
