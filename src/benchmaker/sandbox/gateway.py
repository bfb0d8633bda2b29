"""A command whose only way out is a gateway: the relay in front of it, and the socket inside."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmaker.errors import SandboxError
from benchmaker.sandbox import relay
from benchmaker.sandbox.command import GATEWAY_PORT, GATEWAY_SOCKET, SandboxCommand
from benchmaker.sandbox.interpreter import base_interpreter, base_reads
from benchmaker.sandbox.isolation import Isolation

RELAY: Final = "/run/benchmaker/relay.py"
"""The path of the relay inside."""

_IMAGE_PYTHON: Final = "python3"


def through_gateway(command: SandboxCommand, isolation: Isolation) -> SandboxCommand:
    """The command that starts the relay first; unchanged without a gateway.

    In a container the relay needs the image's own Python.
    """
    if command.gateway is None:
        return command
    is_container = isolation is Isolation.CONTAINER
    python = _IMAGE_PYTHON if is_container else base_interpreter()
    start = (python, "-I", "-S", "-B", RELAY, str(GATEWAY_PORT), GATEWAY_SOCKET)
    own: dict[str | Path, str] = {Path(relay.__file__): RELAY, command.gateway: GATEWAY_SOCKET}
    interpreter = {} if is_container else base_reads()
    return replace(
        command,
        argv=(*start, *command.argv),
        reads={**command.reads, **interpreter, **own},
        gateway=None,
    )


def check_gateway(command: SandboxCommand, isolation: Isolation) -> None:
    """Refuse a gateway that can't be the only way out, or is no socket."""
    if command.gateway is None:
        return
    if isolation is Isolation.PROCESS:
        raise SandboxError("isolation by process can't limit a command to a gateway.")
    if command.network:
        raise SandboxError("a command with a gateway can't have a network of its own.")
    if not command.gateway.is_socket():
        raise SandboxError("the gateway's socket does not exist.", where=str(command.gateway))


def relay_processes(command: SandboxCommand) -> int:
    """The number of processes that the relay adds."""
    return int(command.gateway is not None)
