"""A server on a socket of this machine."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import uvicorn

from benchmaker.cli.context import Context
from benchmaker.errors import PrerequisiteError
from benchmaker.web import Settings, create_app
from benchmaker.web.access import TOKEN_WORD, new_token
from benchmaker.web.connections import Connection

_WAITING = 200
_SECONDS_TO_END = 5


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is about to run, and the address that opens it."""

    url: str
    server: uvicorn.Server
    socket: socket.socket

    def run(self) -> None:
        """Answer until Ctrl-C."""
        self.server.run(sockets=[self.socket])


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket bound there; PrerequisiteError where somebody else listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
            made.listen(_WAITING)
        except OSError as exc:
            raise PrerequisiteError(
                f"port {port} can't be used: {exc.strerror}.",
                hint="Name another one with --port, or --port 0 for a free one.",
            ) from exc
        yield made


def served(
    context: Context,
    bound: socket.socket,
    *,
    works: bool,
    metrics: bool = False,
    log_level: str = "warning",
) -> Served:
    """The workbench over this context's data, not yet running."""
    port = bound.getsockname()[1]
    names = ("127.0.0.1", "[::1]")
    token = new_token()
    app = create_app(
        Settings(
            home=context.home,
            store_url=context.store_url,
            hosts=tuple(f"{name}:{port}" for name in names),
            preview_host=f"localhost:{port}",
            token=token,
            environ=context.environ,
            dotenv=context.dotenv,
            works=works,
            metrics=metrics,
        )
    )
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        log_level=log_level,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    host = bound.getsockname()[0]
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}/?{TOKEN_WORD}={token}"
    return Served(url, _Server(config, on_exit=app.state.bench.leave), bound)


class _Server(uvicorn.Server):
    """A server that says when it was told to end, since it waits for pages that stay open."""

    def __init__(self, config: uvicorn.Config, *, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, or a signal that means the same."""
        self._on_exit()
        super().handle_exit(sig, frame)
