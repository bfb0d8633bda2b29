"""A real server on a free port of this machine, in a thread."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from benchmaker.web import Settings, create_app

_PATIENCE_S = 120

apps: dict[str, FastAPI] = {}
"""The applications that are served, by address."""


@contextmanager
def serving(
    home: Path, *, previews: bool = False, proxies: tuple[str, ...] = (), **settings
) -> Iterator[str]:
    """The address of a workbench over that data folder, open to this test.

    With ``previews`` the name localhost is theirs alone. ``proxies`` are believed.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", 0))
        bound.listen(200)
        port = bound.getsockname()[1]
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}", *settings.pop("hosts", ()))
        if previews:
            hosts, settings["preview_host"] = hosts[:1], hosts[1]
        app = create_app(Settings(home=home, hosts=hosts, **settings))
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=1,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
        )
        server = uvicorn.Server(config)
        address = f"http://127.0.0.1:{port}"
        apps[address] = app
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            _wait(server)
            yield address
        finally:
            del apps[address]
            server.should_exit = True
            thread.join(_PATIENCE_S)


def _wait(server: uvicorn.Server) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not server.started:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.01)
