"""A command whose only way out is a socket, through the relay inside."""

import asyncio
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmaker.errors import SandboxError
from benchmaker.sandbox import (
    GATEWAY_URL,
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
    container,
    relay,
    run_sandboxed,
)
from benchmaker.sandbox.gateway import through_gateway
from benchmaker.sandbox.mounted_python import mounted_python

LIMITS = ResourceLimits(wall_s=60, cpu_s=30, memory_mb=256, processes=24, disk_mb=32, inodes=500)
PORT = int(GATEWAY_URL.rpartition(":")[2])

CALL = f"""
import socket, sys
def call(data, port={PORT}):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
        one.sendall(data)
        one.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: one.recv(65536), b""))
"""


def echo(connection):
    with connection:
        data = b"".join(iter(lambda: connection.recv(65536), b""))
        connection.sendall(data[::-1])


@contextmanager
def listening(folder, serve=echo):
    """A socket that every user may connect to; each connection is served by a thread."""
    path = Path(folder) / "gateway.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        path.chmod(0o666)
        server.listen(64)
        server.settimeout(0.1)
        ended = threading.Event()

        def accept():
            while not ended.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                connection.settimeout(20)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield path
        finally:
            ended.set()
            thread.join()


def python(code, path, **more):
    argv = ("/usr/bin/env", "python3", "-I", "-S", "-c", CALL + code)
    return SandboxCommand(argv, gateway=path, **more)


def run(code, path, *, proxy=None, **more):
    command = python(code, path, proxy=proxy)
    return run_sandboxed(command, isolation=Isolation.NAMESPACE, limits=LIMITS, **more)


@pytest.mark.usefixtures("walls")
class TestBehindTheWalls:
    def test_a_request_reaches_the_socket_and_its_answer_returns(self, tmp_path):
        with listening(tmp_path) as path:
            ended = run("print(call(b'ping').decode())", path)
        assert (ended.stdout, ended.stderr) == (b"gnip\n", b"")

    def test_many_large_answers_pass_at_once(self, tmp_path):
        code = """
from concurrent.futures import ThreadPoolExecutor
data = [bytes([at]) * 300_000 + b"end" for at in range(8)]
with ThreadPoolExecutor(8) as pool:
    print(all(a == b[::-1] for a, b in zip(pool.map(call, data), data)))
"""
        with listening(tmp_path) as path:
            assert run(code, path).stdout == b"True\n"

    def test_bytes_pass_as_they_come(self, tmp_path):
        waiting = threading.Event()

        def drip(connection):
            with connection:
                connection.sendall(b"first")
                assert waiting.wait(20)
                connection.sendall(b"second")

        def note(connection):
            with connection:
                waiting.set()

        with listening(tmp_path, lambda one: (note if one.recv(1) == b"n" else drip)(one)) as path:
            code = f"""
one = socket.create_connection(("127.0.0.1", {PORT}), timeout=20)
one.sendall(b"d")
print(one.recv(5).decode()); call(b"n"); print(one.recv(9).decode())
"""
            assert run(code, path).stdout == b"first\nsecond\n"

    def test_nothing_else_is_within_reach(self, tmp_path):
        code = """
for address in ("1.1.1.1", "127.0.0.1"):
    try: socket.create_connection((address, 80), timeout=3)
    except OSError as exc: print(type(exc).__name__)
import os; print(sorted(os.listdir("/sys/class/net")) if os.path.exists("/sys/class/net") else "lo")
"""
        with listening(tmp_path) as path:
            said = run(code, path).stdout.decode().splitlines()
        assert said == ["OSError", "ConnectionRefusedError", "lo"]

    def test_the_status_is_that_of_the_command(self, tmp_path):
        with listening(tmp_path) as path:
            assert run("sys.exit(7)", path).exit_status == 7
            assert run("import os; os.kill(os.getpid(), 15)", path).signal == 15

    def test_a_missing_program_is_not_started(self, tmp_path):
        with listening(tmp_path) as path:
            command = SandboxCommand(("no-such-agent",), gateway=path)
            ended = run_sandboxed(command, isolation=Isolation.NAMESPACE, limits=LIMITS)
        assert (ended.reason, ended.detail) == ("not_started", "no-such-agent: not found")

    def test_each_port_leads_to_its_own_socket(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()

        def name(text):
            def serve(connection):
                with connection:
                    connection.recv(100)
                    connection.sendall(text)

            return serve

        code = "print(call(b'?') + call(b'?', 8378), os.environ['https_proxy'])"
        with (
            listening(tmp_path / "a", name(b"gateway ")) as gateway,
            listening(tmp_path / "b", name(b"proxy")) as proxy,
        ):
            ended = run("import os\n" + code, gateway, proxy=proxy)
        assert ended.stdout == b"b'gateway proxy' http://127.0.0.1:8378\n", ended

    def test_the_relay_is_no_child_of_the_command(self, tmp_path):
        code = """
import os
try: print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError: print("none")
"""
        with listening(tmp_path) as path:
            assert run(code, path).stdout == b"none\n"

    def test_a_connection_without_a_gateway_is_closed(self, tmp_path):
        with listening(tmp_path) as path:
            pass
        code = """
try: print(call(b"ping"))
except OSError: print(b"")
"""
        assert run(code, path).stdout == b"b''\n"

    def test_a_stop_ends_the_command_and_its_outputs_are_taken(self, tmp_path):
        async def stopped(path):
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()

            def hang_up(connection):
                connection.close()
                loop.call_soon_threadsafe(stop.set)

            with listening(path, hang_up) as gateway:
                code = "open('left.txt', 'w').write('x'); call(b'now'); import time; time.sleep(50)"
                return await arun_sandboxed(
                    python(code, gateway),
                    isolation=Isolation.NAMESPACE,
                    limits=LIMITS,
                    outputs=Outputs(path / "out"),
                    stop=stop,
                )

        ended = asyncio.run(stopped(tmp_path))
        assert ended.reason == "killed"
        assert (tmp_path / "out" / "left.txt").read_text() == "x"


def test_isolation_by_process_is_refused(tmp_path):
    with listening(tmp_path) as path, pytest.raises(SandboxError, match="can't limit a command"):
        run_sandboxed(SandboxCommand(("true",), gateway=path), isolation=Isolation.PROCESS)


def test_a_network_of_its_own_is_refused(tmp_path):
    command = SandboxCommand(("true",), gateway=tmp_path, network=True)
    with pytest.raises(SandboxError, match="network of its own"):
        run_sandboxed(command, isolation=Isolation.NAMESPACE)


def test_a_missing_socket_is_refused(tmp_path):
    command = SandboxCommand(("true",), gateway=tmp_path / "none.sock")
    with pytest.raises(SandboxError, match="socket does not exist"):
        run_sandboxed(command, isolation=Isolation.NAMESPACE)


@pytest.mark.parametrize("program", ["podman", "docker"])
def test_a_container_gets_the_sockets_and_a_python_of_this_machine(program, tmp_path):
    gateway, proxy = tmp_path / "gateway.sock", tmp_path / "proxy.sock"
    for path in (gateway, proxy):
        path.touch()
    command = SandboxCommand(("agent", "-p"), gateway=gateway, proxy=proxy, image="some/image")
    inside = through_gateway(command, Isolation.CONTAINER)
    made = container.wrap_command(inside, tmp_path, LIMITS, program=program, name="one")
    line = " ".join(made.argv)
    assert f"--volume {gateway}:/run/benchmaker/gateway.sock:ro" in line
    assert f"--volume {proxy}:/run/benchmaker/proxy.sock:ro" in line
    assert "--network none" in line
    assert "--env https_proxy=http://127.0.0.1:8378" in line
    words, _ = mounted_python()
    start, _, rest = line.partition(" some/image ")
    assert start.endswith(f"--entrypoint {words[0]}")
    assert rest == " ".join(words[1:]) + (
        f" -I -S -B /run/benchmaker/relay.py {PORT} /run/benchmaker/gateway.sock "
        "8378 /run/benchmaker/proxy.sock -- agent -p"
    )


def test_the_mounted_python_runs_where_nothing_else_is():
    """In a root without a C library, a shell, or a Python of its own."""
    words, reads = mounted_python()
    binds = [word for path, place in reads.items() for word in ("--ro-bind", str(path), place)]
    code = "import _socket, select, sys; print(sys.prefix, sys.version_info[:2])"
    walls = ["bwrap", "--unshare-all", "--proc", "/proc", "--dev", "/dev", *binds, "--clearenv"]
    argv = [*walls, "--", *words, "-I", "-S", "-B", "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    prefix, version = done.stdout.split(" ", 1)
    assert (prefix, version.strip()) == ("/run/benchmaker/python", str(sys.version_info[:2]))


def test_the_relay_needs_nothing_but_the_standard_library():
    code = f"import runpy, sys; runpy.run_path({relay.__file__!r}); print(*sorted(sys.modules))"
    argv = [sys.executable, "-I", "-S", "-c", code]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert {"benchmaker", "socket", "selectors", "asyncio"}.isdisjoint(loaded)
