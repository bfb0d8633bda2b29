"""A command whose only way out is a socket: the relay in front of it, and the sockets inside.

One socket leads to a gateway, the other to a proxy that admits listed hosts.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmaker.errors import SandboxError
from benchmaker.sandbox import relay
from benchmaker.sandbox.command import (
    GATEWAY_PORT,
    GATEWAY_SOCKET,
    PROXY_PORT,
    PROXY_SOCKET,
    PROXY_URL,
    SandboxCommand,
)
from benchmaker.sandbox.interpreter import base_interpreter, base_reads, script_file
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.mounted_python import mounted_python

RELAY: Final = "/run/benchmaker/relay.py"
"""The path of the relay inside."""

_LOOPBACK: Final = "localhost,127.0.0.1,::1"
PROXY_VARIABLES: Final = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), PROXY_URL),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), _LOOPBACK),
    "NODE_USE_ENV_PROXY": "1",
}
"""The variables by which programs find the proxy; requests to the gateway do not pass it."""


def through_gateway(command: SandboxCommand, isolation: Isolation) -> SandboxCommand:
    """The command that starts the relay first; unchanged without a socket.

    In a container the relay runs by this machine's Python, which the image need not have.
    """
    sockets = _sockets(command)
    if not sockets:
        return command
    if isolation is Isolation.CONTAINER:
        python, interpreter = mounted_python()
    else:
        python, interpreter = (base_interpreter(),), dict(base_reads())
    listening = (word for port, _, place in sockets for word in (str(port), place))
    own: dict[str | Path, str] = {path: place for _, path, place in sockets}
    return replace(
        command,
        argv=(*python, "-I", "-S", "-B", RELAY, *listening, relay.END, *command.argv),
        env=(PROXY_VARIABLES if command.proxy else {}) | dict(command.env),
        reads={**command.reads, **interpreter, script_file(relay.__file__): RELAY, **own},
        gateway=None,
        proxy=None,
    )


def check_gateway(command: SandboxCommand, isolation: Isolation) -> None:
    """Refuse a socket that can't be the only way out, or is none."""
    for _, path, place in _sockets(command):
        what = "gateway" if place == GATEWAY_SOCKET else "proxy"
        if isolation is Isolation.PROCESS:
            raise SandboxError(f"isolation by process can't limit a command to a {what}.")
        if command.network:
            raise SandboxError(f"a command with a {what} can't have a network of its own.")
        if not path.is_socket():
            raise SandboxError(f"the {what}'s socket does not exist.", where=str(path))


def relay_processes(command: SandboxCommand) -> int:
    """The number of processes that the relay adds."""
    return int(bool(_sockets(command)))


def _sockets(command: SandboxCommand) -> list[tuple[int, Path, str]]:
    """The ports inside, with the host paths of their sockets and the paths inside."""
    every = (
        (GATEWAY_PORT, command.gateway, GATEWAY_SOCKET),
        (PROXY_PORT, command.proxy, PROXY_SOCKET),
    )
    return [(port, path, place) for port, path, place in every if path is not None]
