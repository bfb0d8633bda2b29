"""The relay: the first process inside, which connects ports of loopback to Unix sockets.

Started as ``python -I -S -B relay.py PORT SOCKET [PORT SOCKET] -- COMMAND…``. It listens on
127.0.0.1, leaves a process of its own behind that carries the bytes, and becomes the command, whose
status is then its own. The relay ends with the last process inside. It holds no secret: what the
command may do at a socket is decided behind it.
"""

import _socket  # the module socket takes longer to import than everything else here
import os
import select
import sys

LOOPBACK = "127.0.0.1"
_WAITING = 128
_CHUNK = 1 << 16

END = "--"
"""The word between the sockets and the command."""


def main() -> None:
    """Listen, fork the relay, and become the command."""
    words = sys.argv[1:]
    at = words.index(END)
    pairs, command = words[:at], words[at + 1 :]
    listeners = {
        _listen(int(port)): path for port, path in zip(pairs[::2], pairs[1::2], strict=True)
    }
    _fork_relay(listeners)
    for listener in listeners:
        listener.close()
    try:
        os.execvp(command[0], command)  # noqa: S606  the sandboxed command
    except OSError as exc:
        sys.stderr.write(f"{command[0]}: {exc.strerror}\n")
        sys.stderr.flush()
    os._exit(127)


def _listen(port: int) -> _socket.socket:
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind((LOOPBACK, port))
    listener.listen(_WAITING)
    return listener


def _fork_relay(listeners: dict[_socket.socket, str]) -> None:
    """Fork twice, so that the relay is no child of the command."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    if os.fork():
        os._exit(0)
    try:
        _serve(listeners)
    finally:
        os._exit(1)


def _serve(listeners: dict[_socket.socket, str]) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    first = min(listener.fileno() for listener in listeners)
    os.closerange(3, first)  # the pipes of the command end with the command
    Relay(listeners).run()


class Relay:
    """Carries bytes between accepted connections and connections to the sockets."""

    def __init__(self, listeners: dict[_socket.socket, str]) -> None:
        self._poll = select.poll()
        self._listeners = {it.fileno(): (it, path) for it, path in listeners.items()}
        self._ends: dict[int, _End] = {}
        for listener in listeners:
            listener.setblocking(False)
            self._poll.register(listener, select.POLLIN)

    def run(self) -> None:
        """Carry bytes until the process is ended."""
        while True:
            for fd, _ in self._poll.poll():
                if fd in self._listeners:
                    self._accept(*self._listeners[fd])
                elif end := self._ends.get(fd):
                    self._advance(end)

    def _accept(self, listener: _socket.socket, path: str) -> None:
        try:
            accepted, _ = listener._accept()  # type: ignore[attr-defined]  # noqa: SLF001
        except OSError:
            return
        inner = _socket.socket(fileno=accepted)
        outer = _socket.socket(_socket.AF_UNIX)
        try:
            outer.connect(path)
        except OSError:
            for one in (inner, outer):
                one.close()
            return
        inner.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        pair = _End(inner), _End(outer)
        for end, other in (pair, pair[::-1]):
            end.socket.setblocking(False)
            end.other = other
            self._ends[end.fd] = end
            self._watch(end)

    def _advance(self, end: "_End") -> None:
        """Move what can be moved, in both directions."""
        try:
            for one in (end, end.other):
                one.advance()
        except OSError:
            self._close(end)
            return
        if end.is_over and end.other.is_over:
            self._close(end)
            return
        for one in (end, end.other):
            self._watch(one)

    def _watch(self, end: "_End") -> None:
        reads = select.POLLIN if end.can_read else 0
        writes = select.POLLOUT if end.other.unsent else 0
        if reads or writes:
            self._poll.register(end.fd, reads | writes)
        elif end.is_watched:
            self._poll.unregister(end.fd)
        end.is_watched = bool(reads or writes)

    def _close(self, end: "_End") -> None:
        for one in (end, end.other):
            if one.is_watched:
                self._poll.unregister(one.fd)
            del self._ends[one.fd]
            one.socket.close()


class _End:
    """One end of a connection: what was read from it, and is still to be sent to the other."""

    other: "_End"

    def __init__(self, of: _socket.socket) -> None:
        self.socket = of
        self.fd = of.fileno()
        self.unsent = b""
        self.has_ended = False
        self.is_over = False
        self.is_watched = False

    @property
    def can_read(self) -> bool:
        """True if there is room for more."""
        return not self.has_ended and not self.unsent

    def advance(self) -> None:
        """Read from this end, and send to the other."""
        if self.can_read:
            self._read()
        while self.unsent:
            try:
                sent = self.other.socket.send(self.unsent)
            except BlockingIOError:
                return
            self.unsent = self.unsent[sent:]
        if self.has_ended and not self.is_over:
            self.is_over = True
            self.other.socket.shutdown(_socket.SHUT_WR)

    def _read(self) -> None:
        try:
            data = self.socket.recv(_CHUNK)
        except BlockingIOError:
            return
        self.unsent = data
        self.has_ended = not data


if __name__ == "__main__":
    main()
