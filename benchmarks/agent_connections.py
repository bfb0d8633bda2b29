"""The addresses to which a process and all its children connect, for ``agent_checks.py``.

``strace`` notes each call that names an address, in every process: that of Benchmaker, those of the
sandbox, the relay and the agent. A listener on all interfaces of the machine, at the port that the
relay has inside, would see a connection of an agent that is not in a network of its own.
"""

import re
import selectors
import shutil
import socket
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmaker.sandbox.command import GATEWAY_PORT

CALLS = "connect,sendto,sendmsg,sendmmsg"
"""The calls that may name an address."""

_INET = re.compile(
    r'sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|AF_INET6, )"([^"]+)"'
)
_UNIX = re.compile(r'sa_family=AF_UNIX, sun_path=(@?)"([^"]*)"')
_ERROR = re.compile(r"= -1 (E[A-Z]+)")
_LOOPBACK = ("127.", "::1")
_RANDOM = re.compile(r"/benchmaker-[^/]+")


@dataclass(frozen=True, slots=True)
class Connections:
    """The addresses with the number of calls that named each, and the connections to the listener.

    An address that was refused has the error behind it, such as ``ENETUNREACH``.
    """

    addresses: Counter[str]
    heard: int
    status: int

    @property
    def outside(self) -> tuple[str, ...]:
        """The addresses on a network beyond loopback that were not refused."""
        return tuple(it for it in self.addresses if it.startswith("network ") and " E" not in it)

    @property
    def is_closed(self) -> bool:
        """True if nothing was reached but this machine's sockets and loopback inside."""
        return not self.outside and not self.heard and bool(self.addresses)

    def lines(self) -> Iterator[str]:
        """The addresses, most frequent first, and the connections to the listener."""
        for address, number in self.addresses.most_common():
            yield f"  {number:>5} × {address}"
        yield f"  {self.heard:>5} × the listener on all interfaces, port {GATEWAY_PORT}"


def traced(command: Sequence[str]) -> Connections:
    """Run a command under strace; its output is passed on.

    Raises:
        FileNotFoundError: strace is not installed.
    """
    strace = shutil.which("strace")
    if strace is None:
        raise FileNotFoundError("strace")
    with tempfile.TemporaryDirectory() as folder, listener() as heard:
        file = Path(folder, "calls")
        words = [strace, "-f", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o", str(file)]
        done = subprocess.run([*words, *command], check=False)
        with file.open(encoding="utf-8", errors="replace") as lines:
            addresses = Counter(filter(None, map(address_of, whole_calls(lines))))
        return Connections(addresses, len(heard), done.returncode)


def whole_calls(lines: Iterable[str]) -> Iterator[str]:
    """Lines with the ends of calls that strace wrote apart, since others came in between.

    >>> list(whole_calls(["7 connect(3, {…} <unfinished ...>", "8 connect(4, {…}, 16) = 0",
    ...                   "7 <... connect resumed>) = -1 ENOENT"]))
    ['8 connect(4, {…}, 16) = 0', '7 connect(3, {…}) = -1 ENOENT']
    """
    begun: dict[str, str] = {}
    for line in lines:
        process, _, rest = line.partition(" ")
        start, mark, _ = line.partition(" <unfinished ...>")
        if mark:
            begun[process] = start
        elif rest.lstrip().startswith("<..."):
            yield begun.pop(process, process) + line.partition(" resumed>")[2]
        else:
            yield line
    yield from begun.values()


def address_of(line: str) -> str:
    """The address that a traced call names; empty if it names none.

    >>> address_of('9 connect(3, {sa_family=AF_INET, sin_port=htons(53), '
    ...            'sin_addr=inet_addr("10.0.0.2")}, 16) = -1 ENETUNREACH (Network is unreachable)')
    'network 10.0.0.2 port 53 ENETUNREACH'
    >>> address_of('9 connect(3, {sa_family=AF_UNIX, sun_path="/run/gateway.sock"}, 110) = 0')
    'socket /run/gateway.sock'
    """
    if found := _INET.search(line):
        port, host = found.groups()
        place = "loopback" if host.startswith(_LOOPBACK) else "network"
        return f"{place} {host} port {port}{_error(line)}"
    if found := _UNIX.search(line):
        name = "".join(found.groups())
        return f"socket {_RANDOM.sub('/benchmaker-…', name)}{_error(line)}"
    return ""


def _error(line: str) -> str:
    errors = [it for it in _ERROR.findall(line) if it != "EINPROGRESS"]
    return f" {errors[-1]}" if errors else ""


@contextmanager
def listener() -> Iterator[list[str]]:
    """Listen on all interfaces; the peers that connected."""
    heard: list[str] = []
    with socket.create_server(("", GATEWAY_PORT)) as server, selectors.DefaultSelector() as waiting:
        ours, theirs = socket.socketpair()
        waiting.register(server, selectors.EVENT_READ)
        waiting.register(theirs, selectors.EVENT_READ)
        thread = threading.Thread(target=_accept, args=(server, theirs, waiting, heard))
        thread.start()
        try:
            yield heard
        finally:
            ours.send(b"end")
            thread.join()
            ours.close()
            theirs.close()


def _accept(
    server: socket.socket, end: socket.socket, waiting: selectors.BaseSelector, heard: list[str]
) -> None:
    while True:
        ready = [key.fileobj for key, _ in waiting.select()]
        if server in ready:
            peer, address = server.accept()
            peer.close()
            heard.append(str(address))
        elif end in ready:
            return
