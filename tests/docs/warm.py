"""``benchmaker`` as the pages call it, without its imports: a fork of a process that has them.

A page calls the program some ten times, and most of what that takes are imports. Here a process
imports everything once; :func:`programs` is a folder for PATH whose ``benchmaker`` hands its
arguments, folder, environment and streams over, and ends as the fork of that process ended.
``tests/docs/test_doc_warm.py`` shows that nothing else differs from the program itself.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import os
import pkgutil
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

LONGEST = 1 << 20
NEWLINE = {"r": None, "w": "\n"}
HANDED_OVER = """#!{python} -IS
import os, socket
import sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    told = [os.getcwd(), str(len(sys.argv)), *sys.argv, *map("=".join, os.environ.items())]
    data = "\\0".join(told).encode("utf-8", "surrogateescape")
    socket.send_fds(line, [len(data).to_bytes(4)], [0, 1, 2])
    line.sendall(data)
    code = line.recv(1)
sys.exit(code[0] if code else 137)
"""


class Asked(NamedTuple):
    """One call: the folder, the words, the variables, and the three streams."""

    folder: str
    words: list[str]
    variables: dict[str, str]
    streams: list[int]


@functools.cache
def programs() -> Path:
    """A folder with a ``benchmaker`` that is forked; its process ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    address = folder / "line"
    program = folder / "bin" / "benchmaker"
    program.parent.mkdir()
    program.write_text(HANDED_OVER.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, __file__, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        start_new_session=True,
    )
    atexit.register(_end, process, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return program.parent


def _end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    shutil.rmtree(folder, ignore_errors=True)


def serve(address: str) -> Asked:
    """Answer calls until stdin ends; returns in each fork, with what it is to do."""
    watched = selectors.DefaultSelector()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen()
    watched.register(listening, selectors.EVENT_READ)
    watched.register(sys.stdin, selectors.EVENT_READ)
    os.write(1, b"ready\n")
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _ in watched.select():
            if key.fileobj is sys.stdin:
                os._exit(0)
            if key.fileobj is not listening:
                _ended(running.pop(key.fd))
                watched.unregister(key.fd)
                os.close(key.fd)
                continue
            line, _ = listening.accept()
            asked = _read(line)
            if (child := os.fork()) == 0:
                watched.close()
                listening.close()
                line.close()
                return asked
            for stream in asked.streams:
                os.close(stream)
            handle = os.pidfd_open(child)
            running[handle] = child, line
            watched.register(handle, selectors.EVENT_READ)


def _ended(one: tuple[int, socket.socket]) -> None:
    child, line = one
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with line, contextlib.suppress(BrokenPipeError):  # whoever called may be gone
        line.sendall(bytes([code if code >= 0 else 128 - code]))


def _read(line: socket.socket) -> Asked:
    head, streams, _, _ = socket.recv_fds(line, 4, 3)
    size = int.from_bytes(head)
    data = b""
    while len(data) < size:
        data += line.recv(LONGEST)
    folder, count, *told = data.decode("utf-8", "surrogateescape").split("\0")
    words, variables = told[: int(count)], told[int(count) :]
    return Asked(folder, words, dict(one.split("=", 1) for one in variables), streams)


def become(asked: Asked) -> None:
    """Make this process what the program is when it was started by that call."""
    os.environ.clear()
    os.environ.update(asked.variables)
    time.tzset()
    os.chdir(asked.folder)
    for place, stream in enumerate(asked.streams):
        os.dup2(stream, place)
        os.close(stream)
    _open_streams()
    sys.argv = [str(Path(sys.executable).parent / "benchmaker"), *asked.words[1:]]
    sys.path[0] = str(Path(sys.executable).parent)


def _open_streams() -> None:
    """As Python does when it starts: how a stream is written depends on what it leads to."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        before = getattr(sys, name)
        kept = {"encoding": before.encoding, "errors": before.errors, "closefd": False}
        is_line = name == "stderr" or os.isatty(number)
        stream = open(number, mode, 1 if is_line else -1, newline=NEWLINE[mode], **kept)  # noqa: PTH123, SIM115  a number, for good
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def import_everything() -> None:
    """Import every module of ours that can be; none may begin a thread, which a fork would lose."""
    import benchmaker  # noqa: PLC0415  the caller of programs() does not need it

    for one in pkgutil.walk_packages(benchmaker.__path__, "benchmaker."):
        if "migrations" not in one.name and not one.name.endswith("__main__"):
            importlib.import_module(one.name)
    assert threading.active_count() == 1, threading.enumerate()


if __name__ == "__main__":
    import_everything()
    gc.collect()
    gc.freeze()
    become(serve(sys.argv[1]))
    from benchmaker.cli import main

    sys.exit(main())
