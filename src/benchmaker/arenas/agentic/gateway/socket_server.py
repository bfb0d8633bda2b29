"""Unix sockets that an ASGI application is served on, within a running event loop."""

import asyncio
import logging
import shutil
import socket
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

App = Callable[..., Awaitable[None]]

_ENDING_S = 5.0
_KEPT_S = 75
"""Seconds for which an idle connection is kept, longer than most clients keep theirs."""
_LOG = logging.getLogger("benchmaker.gateway.connections")
_LOG.propagate = False  # what happens in a connection is no message for the terminal
_LOG.addHandler(logging.NullHandler())  # without any, warnings are printed
_LONGEST = 90
"""The longest path that fits the address of a Unix socket on every system."""


class SocketServer:
    """Serves applications on Unix sockets in a folder of their own.

    The folder has an unguessable name, and others can't list it. The sockets are open to every
    user, since a sandbox may run its programs as another one; a token guards what they serve.
    """

    def __init__(self) -> None:
        self.folder = _new_folder()
        self._config = uvicorn.Config(
            _no_app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_keep_alive=_KEPT_S,
        )
        self._config.load()
        self._state = ServerState()
        self._servers: dict[Path, asyncio.AbstractServer] = {}
        self._starting: dict[Path, asyncio.Task[None]] = {}

    def listen(self, name: str, app: App) -> Path:
        """Return a new socket that accepts connections from now on."""
        path = self.folder / name
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen(128)
        self._starting[path] = asyncio.create_task(self._start(path, listener, app))
        return path

    async def stop(self, path: Path) -> None:
        """Accept no more connections on a socket, and remove it."""
        starting = self._starting.pop(path, None)
        if starting is not None:
            await starting
        server = self._servers.pop(path, None)
        if server is not None:
            server.close()
        await asyncio.to_thread(path.unlink, missing_ok=True)

    async def close(self) -> None:
        """Stop every socket, wait for requests in progress, and remove the folder."""
        for path in list(self._starting):
            await self.stop(path)
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(list(self._state.tasks), timeout=_ENDING_S)
        for task in list(self._state.tasks):
            task.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _start(self, path: Path, listener: socket.socket, app: App) -> None:
        loop = asyncio.get_running_loop()

        def connection() -> asyncio.Protocol:
            return _Connection(self._config, self._state, app)

        self._servers[path] = await loop.create_unix_server(connection, sock=listener)


class _Connection(H11Protocol):
    """One connection to an application."""

    def __init__(self, config: uvicorn.Config, state: ServerState, app: App) -> None:
        super().__init__(config, state, {})
        self.app: Any = app
        self.logger = _LOG
        self.access_log = False


async def _no_app(_scope: object, _receive: object, _send: object) -> None:
    """Each socket has its own."""


def _new_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="bm-gateway-")
    if len(folder) > _LONGEST:
        Path(folder).rmdir()
        folder = tempfile.mkdtemp(prefix="bm-gateway-", dir="/tmp")
    path = Path(folder)
    path.chmod(0o711)
    return path
