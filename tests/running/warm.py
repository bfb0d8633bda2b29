"""``benchmaker`` without its imports: a fork of a process that has them.

A command takes most of its time to import. Here a process imports everything once, for all
workers, and every call is a fork of it:

- :func:`programs` is a folder for PATH with a ``benchmaker`` that hands its arguments, folder,
  environment and streams over, and ends as the fork of that process ended;
- :func:`start` starts a command without a process of its own in between, so that it can be sent
  signals; what it gives is used as a ``subprocess.Popen`` is;
- :func:`call` has a function of ours called in a fork, with a line to talk over.

A fork heeds SIGINT, SIGTERM and SIGHUP even where these are ignored here, as under ``nohup``.
``tests/docs/test_doc_warm.py`` shows that nothing else differs from the program itself.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.util
import os
import pkgutil
import selectors
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CALL = "a function"
DATABASE = "TESTS_ON_POSTGRESQL"
LED = ROOT / "tests" / "on_postgresql" / "hook" / "sitecustomize.py"
"""What leads the stores of a process to PostgreSQL, and the variable that says where it is."""

LONGEST = 1 << 20
NEWLINE = {"r": None, "w": "\n"}
HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HANDED_OVER = """#!/bin/sh
'''exec' {python} -IS "$0" "$@"
'''
import os, socket
import sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    told = [os.getcwd(), str(len(sys.argv)), *sys.argv, *map("=".join, os.environ.items())]
    data = "\\0".join(told).encode("utf-8", "surrogateescape")
    socket.send_fds(line, [len(data).to_bytes(4, "big")], [0, 1, 2])
    line.sendall(data)
    line.recv(4, socket.MSG_WAITALL)
    code = int.from_bytes(line.recv(4, socket.MSG_WAITALL) or b"\\0\\0\\0\\x89", "big", signed=True)
sys.exit(code if code >= 0 else 128 - code)
"""


class Asked(NamedTuple):
    """One call: the folder, the words, the variables, and the streams."""

    folder: str
    words: list[str]
    variables: dict[str, str]
    streams: list[int]


def pytest_configure(config: Any) -> None:
    """Name the mark."""
    config.addinivalue_line("markers", "warm: has programs forked from the process for them")


def pytest_collection_finish(session: Any) -> None:
    """Start the process once for all workers, where a test is going to need it."""
    if not session.config.option.collectonly and any(map(_needs_it, session.items)):
        _started()


def _needs_it(item: Any) -> bool:
    names = getattr(item, "fixturenames", ())
    return "program" in names or item.get_closest_marker("warm") is not None


def programs() -> Path:
    """A folder with a ``benchmaker`` that is forked."""
    return _started().address.parent / "bin"


class Started(NamedTuple):
    """The process that forks, and where it listens.

    Workers keep what they inherit of it, since what is let go warns that it was not closed.
    """

    address: Path
    process: "subprocess.Popen[bytes]"


@functools.cache
def _started() -> Started:
    """The process that forks; it is started where it is not there, and ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    address = folder / "line"
    program = folder / "bin" / "benchmaker"
    program.parent.mkdir()
    program.write_text(HANDED_OVER.format(python=shlex.quote(sys.executable), address=str(address)))
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address))
        listening.listen(128)
        process = subprocess.Popen(
            [sys.executable, __file__, str(listening.fileno())],
            stdin=subprocess.PIPE,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            pass_fds=[listening.fileno()],
            start_new_session=True,
        )
    atexit.register(_end, process, folder)
    return Started(address, process)


def _end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    shutil.rmtree(folder, ignore_errors=True)


class Program:
    """A fork at work, with what a ``subprocess.Popen`` has of it; what it prints is kept."""

    def __init__(self, asked: Asked, printed: Sequence[IO[bytes]] = (), *, text: bool = False):
        self.returncode: int | None = None
        self._printed, self._text = printed, text
        self._said: list[bytes] = []
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(str(_started().address))
        told = [asked.folder, str(len(asked.words)), *asked.words]
        told += map("=".join, {**asked.variables, **_database()}.items())
        data = "\0".join(told).encode("utf-8", "surrogateescape")
        socket.send_fds(self._line, [len(data).to_bytes(4, "big")], asked.streams)
        self._line.sendall(data)
        self.pid = self._number()

    def _number(self) -> int:
        data = self._line.recv(4, socket.MSG_WAITALL)
        assert len(data) == 4, "the process that forks is gone"
        return int.from_bytes(data, "big", signed=True)

    def poll(self) -> int | None:
        """The exit code, or None while it runs; below zero the signal that ended it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it is there."""
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._line, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            self.returncode = self._number()
            self._line.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[Any, ...]:
        """What it printed to stdout and stderr, once it has ended."""
        self.wait(timeout)
        for file in self._printed:
            file.seek(0)
            self._said.append(file.read())
            file.close()
        self._printed = ()
        said = self._said
        return tuple(one.decode() for one in said) if self._text else tuple(said)

    def complaints(self) -> str:
        """What it printed to stderr until now."""
        file = self._printed[1].fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def _database() -> dict[str, str]:
    """The variables that lead a process and all it starts to this worker's PostgreSQL, if any."""
    if DATABASE not in os.environ:
        return {}
    return {name: os.environ[name] for name in (DATABASE, "PYTHONPATH")}


def start(
    words: Sequence[object],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    stdout: int | None = None,
    text: bool = False,
) -> Program:
    """Start ``benchmaker`` with these words; stdout may be a file, and stdin is empty."""
    with open(os.devnull, "rb") as empty:  # noqa: PTH123  for its number
        printed = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]  # noqa: SIM115  read later
        out = printed[0].fileno() if stdout is None else stdout
        streams = [empty.fileno(), out, printed[1].fileno()]
        said = ["benchmaker", *map(str, words)]
        return Program(Asked(str(cwd), said, dict(env), streams), printed, text=text)


def call(
    function: Callable[..., None], *arguments: object, stderr: IO[bytes]
) -> tuple[Program, Connection]:
    """Call ``function(line, *arguments)`` in a fork; gives the process and our end of the line."""
    ours, theirs = Pipe()
    with theirs, open(os.devnull, "r+b") as empty:  # noqa: PTH123  for its number
        streams = [empty.fileno(), empty.fileno(), stderr.fileno(), theirs.fileno()]
        words = [CALL, function.__module__, function.__qualname__]
        process = Program(Asked(str(Path.cwd()), words, dict(os.environ), streams))
    ours.send(arguments)
    return process, ours


def serve(listening: socket.socket) -> Asked:
    """Answer calls until stdin ends; returns in each fork, with what it is to do."""
    watched = selectors.DefaultSelector()
    watched.register(listening, selectors.EVENT_READ)
    watched.register(sys.stdin, selectors.EVENT_READ)
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
                for handle, (_, other) in running.items():
                    os.close(handle)
                    other.close()
                return asked
            for stream in asked.streams:
                os.close(stream)
            _tell(line, child)
            handle = os.pidfd_open(child)
            running[handle] = child, line
            watched.register(handle, selectors.EVENT_READ)


def _ended(one: tuple[int, socket.socket]) -> None:
    child, line = one
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with line:
        _tell(line, code)


def _tell(line: socket.socket, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # whoever called may be gone
        line.sendall(number.to_bytes(4, "big", signed=True))


def _read(line: socket.socket) -> Asked:
    head, streams, _, _ = socket.recv_fds(line, 4, 4)
    size = int.from_bytes(head, "big")
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
    for place, stream in enumerate(asked.streams[:3]):
        os.dup2(stream, place)
        os.close(stream)
    _open_streams()
    _heed_signals()
    if asked.variables.get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    if DATABASE in asked.variables:
        _lead_to_database()
    sys.argv = [str(Path(sys.executable).parent / "benchmaker"), *asked.words[1:]]
    sys.path[0] = str(Path(sys.executable).parent)


def _lead_to_database() -> None:
    """Load the hook as Python loads it where it starts; it installs itself."""
    spec = importlib.util.spec_from_file_location("led_to_postgresql", LED)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _open_streams() -> None:
    """As Python does when it starts: how a stream is written depends on what it leads to."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        before = getattr(sys, name)
        kept = {"encoding": before.encoding, "errors": before.errors, "closefd": False}
        is_line = name == "stderr" or os.isatty(number)
        stream = open(number, mode, 1 if is_line else -1, newline=NEWLINE[mode], **kept)  # noqa: PTH123, SIM115  a number, for good
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _heed_signals() -> None:
    """As in a process that is started from a terminal: nothing is ignored or blocked."""
    for number in HEEDED:
        how = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, how)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)


def import_everything() -> None:
    """Import every module of ours that can be; none may begin a thread, which a fork would lose."""
    import benchmaker  # noqa: PLC0415  the caller of programs() does not need it

    for one in pkgutil.walk_packages(benchmaker.__path__, "benchmaker."):
        if "migrations" not in one.name and not one.name.endswith("__main__"):
            importlib.import_module(one.name)
    assert threading.active_count() == 1, threading.enumerate()


def do(asked: Asked) -> None:
    """Do what was asked for, in the fork."""
    become(asked)
    if asked.words[0] == CALL:
        sys.path.insert(0, str(ROOT))
        function = getattr(importlib.import_module(asked.words[1]), asked.words[2])
        line = Connection(asked.streams[3])
        function(line, *line.recv())
        return
    from benchmaker.cli import main  # noqa: PLC0415  as above

    sys.exit(main())


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads would be lost
    connections = socket.socket(fileno=int(sys.argv[1]))
    import_everything()
    gc.collect()
    gc.freeze()
    do(serve(connections))
