"""A server on a socket of this machine."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType

import uvicorn
from fastapi import FastAPI

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.cli.context import Context
from benchmaker.cli.server.reachability import Reach
from benchmaker.engine.trials.interpreter import tune_interpreter
from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.redact import Redactor
from benchmaker.web import Settings, create_app
from benchmaker.web.access import TOKEN_WORD, new_link_token, new_token
from benchmaker.web.connections import Connection

_WAITING = 200
_SECONDS_TO_END = 5
_SECONDS_TO_CONNECT = 5


@dataclass(frozen=True, slots=True)
class PreparedServer:
    """A server that is about to run, the address that opens it, and who is let in there."""

    url: str
    says: str
    server: uvicorn.Server
    socket: socket.socket

    def run(self) -> None:
        """Answer until Ctrl-C."""
        with tune_interpreter():
            self.server.run(sockets=[self.socket])


@contextmanager
def listen_on(host: str, port: int) -> Iterator[socket.socket]:
    """Bind a socket; PrerequisiteError if another process listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay only if the protocol is named; otherwise the body of an answer
    # waits for the client to confirm the head, which takes up to 40 ms on Linux
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
            made.listen(_WAITING)
        except OSError as exc:
            raise PrerequisiteError(
                f"port {port} can't be used: {exc.strerror}.",
                hint="Choose another port with --port, or use --port 0 for a free one.",
            ) from exc
        yield made


def new_link(context: Context, host: str, port: int) -> str:
    """Return an address that opens one more session of the server that listens there.

    Raises:
        PrerequisiteError: no server listens there.
    """
    try:
        socket.create_connection((host, port), timeout=_SECONDS_TO_CONNECT).close()
    except OSError as exc:
        raise PrerequisiteError(
            f"no server listens on {host}, port {port}.",
            hint="Name its port with --port, or start one with: benchmaker serve",
        ) from exc
    return f"{Reach(host).url(port)}?{TOKEN_WORD}={new_link_token(context.home)}"


def prepare_server(
    context: Context,
    bound: socket.socket,
    *,
    works: bool,
    reach: Reach | None = None,
    metrics: bool = False,
    pages: tuple[str, ...] = (),
    requests_a_minute: int = 1_200,
    allow_private: bool = False,
    oidc: OidcSettings | None = None,
    hides: Redactor | None = None,
    log_level: str = "warning",
) -> PreparedServer:
    """The workbench over this context's data, not yet running."""
    host, port = bound.getsockname()[:2]
    reach = reach or Reach(host)
    token = new_token()
    app = create_app(
        Settings(
            home=context.home,
            store_url=context.store_url,
            hosts=reach.hosts(port),
            preview_host=reach.preview_host(port),
            token=token,
            environ=context.environ,
            dotenv=context.dotenv,
            works=works,
            metrics=metrics,
            pages=pages,
            is_shared=reach.is_shared,
            is_https=reach.is_https,
            requests_a_minute=requests_a_minute,
            allow_private=allow_private,
            oidc=oidc,
            hides=hides,
        )
    )
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        log_level=log_level,
        access_log=False,
        server_header=False,
        proxy_headers=bool(reach.proxies),
        forwarded_allow_ips=list(reach.proxies),
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    server = _Server(config, on_exit=app.state.bench.leave)
    shown = replace(reach, host=host).url(port)
    if _has_accounts(app):
        return PreparedServer(shown, "Users sign in with their accounts.", server, bound)
    return PreparedServer(
        f"{shown}?{TOKEN_WORD}={token}", "The token opens one session.", server, bound
    )


def _has_accounts(app: FastAPI) -> bool:
    """True if people sign in; if the store is unreadable, the pages report it."""
    try:
        return bool(app.state.signed.accounts.has_users())
    except BenchmakerError:
        return False


class _Server(uvicorn.Server):
    """A server that announces its shutdown, since it waits for open pages."""

    def __init__(self, config: uvicorn.Config, *, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, or a signal that means the same."""
        self._on_exit()
        super().handle_exit(sig, frame)
