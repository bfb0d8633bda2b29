"""Attacks on the walls: each must fail, leave a named result, and leave the host as it was."""

import os
import socket
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from benchmaker.sandbox import sealing
from benchmaker.sandbox.syscalls import denied_calls
from tests.sandbox.conftest import LIMITS

TRY = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, do):
    try:
        print(name, "GOT", do())
    except BaseException as error:
        print(name, "failed", type(error).__name__, error)
def call(number, *words):
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
"""


def nothing_got(ended, count):
    lines = [line for line in ended.stdout.splitlines() if " GOT" in line or " failed" in line]
    assert len(lines) == count, ended
    assert not [line for line in lines if " GOT" in line], ended.stdout


def test_a_fork_bomb_is_ended_by_name(attacker):
    ended = attacker.python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass")
    assert ended.reason == "processes"
    assert ended.wall_s < LIMITS["wall_s"]


def test_a_fork_bomb_that_detaches_is_ended_by_name(attacker):
    ended = attacker.python(
        "import os\n"
        "while True:\n"
        "  try:\n"
        "    if os.fork() == 0: os.setsid(); os.fork()\n"
        "  except OSError: pass"
    )
    assert ended.reason == "processes"


def test_threads_count_as_processes(attacker):
    ended = attacker.python(
        "import threading, time\n"
        "for _ in range(100): threading.Thread(target=time.sleep, args=(600,)).start()"
    )
    assert ended.reason == "processes" or "can't start new thread" in ended.stderr


def test_a_process_that_takes_all_memory_is_ended_by_name(attacker):
    ended = attacker.python("kept = []\nwhile True: kept.append(b'x' * (1 << 20))")
    assert ended.reason == "memory"
    assert ended.peak_mb < 1024


def test_many_processes_that_take_memory_together_are_ended_by_name(attacker):
    ended = attacker.python(
        "import os, time\n"
        "for _ in range(5):\n"
        "  if os.fork() == 0: break\n"
        "kept = b'x' * (60 << 20)\n"
        "time.sleep(600)"
    )
    assert ended.reason == "memory"


def test_shared_memory_counts(attacker):
    ended = attacker.python(
        "import mmap, time\n"
        "kept = mmap.mmap(-1, 1 << 30)\n"
        "for at in range(0, 1 << 30, 4096): kept[at] = 1\n"
    )
    assert ended.reason == "memory"


def test_memory_that_belongs_to_no_process_is_refused(attacker):
    numbers = {"x86_64": (319, 29), "aarch64": (279, 194)}[os.uname().machine]
    ended = attacker.python(
        TRY + f"attempt('memfd', lambda: call({numbers[0]}, b'x', 0))\n"
        f"attempt('segment', lambda: call({numbers[1]}, 0, 1 << 30, 0o1600))\n"
        f"attempt('huge segment', lambda: call({numbers[1]}, 0, ctypes.c_ulong(1 << 40), 0o1600))\n"
    )
    nothing_got(ended, 3)


def test_memory_shared_by_fork_counts_once(attacker):
    ended = attacker.python(
        "import os, time\n"
        "kept = b'x' * (60 << 20)\n"
        "pids = [p for _ in range(4) if (p := os.fork()) or os._exit(time.sleep(.4) or 0)]\n"
        "for pid in pids: os.waitpid(pid, 0)"
    )
    assert ended.reason == "exited", ended
    assert ended.exit_status == 0


def test_a_full_disk_is_named(attacker):
    ended = attacker.python("f = open('f', 'wb')\nwhile True: f.write(b'x' * (1 << 20))")
    assert ended.reason == "disk"


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm", "/workspace"])  # noqa: S108  inside
def test_no_writable_place_is_without_bounds(attacker, place):
    ended = attacker.python(
        f"import os\nos.chdir('{place}')\n"
        "try:\n"
        "  for name in range(100): open(str(name), 'wb').write(b'x' * (1 << 20))\n"
        "except OSError as error: print(error, name)"
    )
    assert "No space left on device" in ended.stdout
    assert int(ended.stdout.split()[-1]) <= 16


def test_files_without_content_have_a_bound(attacker):
    ended = attacker.python("for name in range(10**6): open(str(name), 'w').close()")
    assert ended.reason == "disk"
    assert ended.wall_s < LIMITS["wall_s"]


def test_a_file_beyond_its_size_is_named(attacker):
    ended = attacker.python(
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "f = open('f', 'wb'); f.truncate(1 << 40); f.write(b'x')",
    )
    assert ended.reason == "disk"


def test_output_without_end_is_named_and_kept_in_bounds(attacker):
    ended = attacker.command("yes", attacker.token, limits={"output_bytes": 10_000})
    assert ended.reason == "output"
    assert ended.truncated
    assert len(ended.stdout) <= 10_000


def test_an_endless_loop_is_ended_by_its_processor_time(attacker):
    ended = attacker.python("while True: pass", limits={"cpu_s": 0.5})
    assert ended.reason == "timeout"
    assert "processor" in ended.detail


def test_processor_time_of_many_is_added(attacker):
    code = "import os\nfor _ in range(4): os.fork()\nwhile True: pass"
    ended = attacker.python(code, limits={"cpu_s": 0.6})
    assert ended.reason == "timeout"
    assert ended.cpu_s < 0.6 * 2**4  # as much as if each had it


def test_the_work_of_a_child_counts_though_nobody_waited_for_it(attacker):
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'while True: pass'])\n"
        "time.sleep(600)"
    )
    ended = attacker.python(code, limits={"cpu_s": 0.5, "wall_s": 120})
    assert ended.reason == "timeout"
    assert ended.cpu_s > 0.5


def test_waiting_is_ended_by_the_wall_clock(attacker):
    ended = attacker.python("import time; time.sleep(600)", limits={"wall_s": 0.4})
    assert ended.reason == "timeout"
    assert 0.4 <= ended.wall_s < LIMITS["wall_s"]


def test_a_process_deaf_to_signals_is_ended(attacker):
    code = "import signal, time\nfor n in range(1, 65):\n  try: signal.signal(n, signal.SIG_IGN)\n"
    code += "  except (OSError, ValueError): pass\ntime.sleep(600)"
    ended = attacker.python(code, limits={"wall_s": 0.4})
    assert ended.reason == "timeout"


def test_secrets_of_the_host_are_out_of_sight(attacker, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", attacker.token)
    secret = attacker.folder / "secret"
    secret.write_text("the secret")
    secret.chmod(0o644)
    ended = attacker.command(
        "sh",
        "-c",
        f"cat {secret}; cat /proc/*/environ /proc/*/cwd/secret /proc/*/root{secret};"
        "cat /etc/shadow /root/.ssh/* /home/*/.ssh/*; ls /sys /home /root /var /work;"
        "cat /proc/1/environ; env",
    )
    assert "the secret" not in ended.stdout
    assert "SECRET_KEY" not in ended.stdout
    assert attacker.token not in ended.stdout


def test_the_environment_of_the_first_process_holds_nothing_of_the_host(attacker, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "the secret")
    ended = attacker.command("cat", "/proc/1/environ", "/proc/self/environ")
    assert "/proc/1/environ: Permission denied" in ended.stderr
    assert "the secret" not in ended.stdout


def test_processes_of_the_host_are_out_of_sight(attacker):
    ended = attacker.python("import os; print([n for n in os.listdir('/proc') if n.isdigit()])")
    assert len(ended.stdout.split(",")) <= 3


def test_the_network_of_the_host_is_out_of_reach(attacker):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.socket(socket.AF_UNIX) as hidden:
            hidden.bind(f"\0{attacker.token}")
            hidden.listen()
            ended = attacker.python(
                TRY + "import socket\n"
                f"attempt('loopback', lambda: socket.create_connection(('127.0.0.1', {port}), 2))\n"
                "attempt('address', lambda: socket.create_connection(('1.1.1.1', 53), 2))\n"
                "attempt('name', lambda: socket.getaddrinfo('example.com', 80))\n"
                f"attempt('abstract', lambda: socket.socket(1).connect('\\0{attacker.token}'))\n"
                "attempt('raw', lambda: socket.socket(17, 3))\n"
            )
    nothing_got(ended, 5)


def test_a_socket_among_the_files_is_not_handed_in(attacker):
    folder = attacker.workspace(a="x")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/s")
        ended = attacker.command("ls", workspace=folder)
    assert ended.stdout.split() == ["a"]
    assert ["s", "not a file, folder or link"] in [list(item) for item in ended.left_out]


def test_parents_and_strangers_can_not_be_killed(attacker):
    me = os.getpid()
    ended = attacker.python(
        TRY + "import signal\n"
        f"attempt('us', lambda: os.kill({me}, 9))\n"
        "attempt('outside', lambda: os.kill(os.getppid(), 9) or 1/0)\n"
        "attempt('everybody', lambda: os.kill(-1, 9) or 1/0)\n"
    )
    assert ended.reason in {"exited", "killed"}
    assert " GOT" not in ended.stdout


def test_a_daemon_does_not_outlive_the_command(attacker):
    began = time.monotonic()
    ended = attacker.python(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork() == 0: time.sleep(600)\n"
        "  os._exit(0)\n"
        "os.wait()"
    )
    assert ended.reason == "exited"
    assert time.monotonic() - began < LIMITS["wall_s"]


def test_nothing_outside_the_writable_places_can_be_written(attacker):
    ended = attacker.python(
        TRY + "for path in ('/x', '/usr/x', '/etc/x', '/etc/passwd', '/dev/x', '/proc/sys/kernel/"
        "hostname', '/proc/sysrq-trigger', '/proc/1/attr/x', '/root/x', '/home/x',\n"
        "             '/proc/sys/kernel/core_pattern', '/sys/x'):\n"
        "  attempt(path, lambda: os.write(os.open(path, os.O_WRONLY | os.O_CREAT), b'1'))"
    )
    nothing_got(ended, 12)


def test_a_workspace_that_is_only_read_can_not_be_written(attacker):
    ended = attacker.python(
        TRY + "attempt('write', lambda: open('x', 'w'))",
        writable=False,
        workspace=attacker.workspace(a="1"),
    )
    nothing_got(ended, 1)


def test_calls_that_reach_around_the_walls_are_refused(attacker):
    numbers = denied_calls(os.uname().machine)
    ended = attacker.python(
        TRY + f"for name, number in {numbers}.items():\n"
        "  attempt(name, lambda: call(number, 0, 0, 0, 0, 0, 0))"
    )
    nothing_got(ended, len(numbers))
    lines = {line.split()[0]: line for line in ended.stdout.splitlines()}
    wrong = [it for it in lines.values() if "permitted" not in it and "not implemented" not in it]
    assert wrong == []


def test_new_user_namespaces_and_privileges_are_refused(attacker):
    ended = attacker.python(
        TRY + "attempt('clone', lambda: call({'x86_64': 56, 'aarch64': 220}"
        "[os.uname().machine], 0x10000000 | 17, 0, 0, 0, 0))\n"
        "attempt('setuid', lambda: os.setuid(0))\n"
        "attempt('setgroups', lambda: os.setgroups([0]))\n"
        "attempt('chroot', lambda: os.chroot('/tmp'))\n"
        "attempt('mknod', lambda: os.mknod('/tmp/disk', 0o60600, os.makedev(254, 0)))\n"
        "attempt('chown', lambda: os.chown('/workspace', 0, 0))\n"
    )
    nothing_got(ended, 6)


def test_programs_that_change_the_user_do_not(attacker):
    ended = attacker.command("sh", "-c", "id -u; grep NoNewPrivs /proc/self/status; su -c id; true")
    assert ended.stdout.split()[0] == "1000"
    assert "NoNewPrivs:\t1" in ended.stdout
    assert "uid=0" not in ended.stdout


def test_no_terminal_can_be_typed_into(attacker):
    ended = attacker.python(
        TRY + "import fcntl, pty\n"
        "attempt('tty', lambda: open('/dev/tty', 'w'))\n"
        "master, slave = pty.openpty()\n"
        "attempt('type', lambda: fcntl.ioctl(slave, 0x5412, b'x'))\n"
        "attempt('paste', lambda: fcntl.ioctl(slave, 0x541C, b'\\x03'))\n"
    )
    nothing_got(ended, 3)


def test_the_clock_can_not_be_changed(attacker):
    ended = attacker.python(
        TRY + "import time\n"
        "offsets = '/proc/self/timens_offsets'\n"
        "attempt('set', lambda: time.clock_settime(time.CLOCK_REALTIME, 0))\n"
        "attempt('namespace', lambda: os.write(os.open(offsets, 1), b'1 9999 0'))\n"
        "real = time.time\ntime.time = time.monotonic = lambda: 0\n"
        "end = real() + 0.3\nwhile real() < end or time.process_time() < 0.1: pass"
    )
    nothing_got(ended, 2)
    assert ended.wall_s >= 0.3
    assert ended.cpu_s > 0


def test_a_replaced_interpreter_is_not_found(attacker):
    folder = attacker.workspace(true="#!/bin/sh\necho forged\n", sh="#!/bin/sh\nfalse\n")
    for name in ("true", "sh"):
        Path(folder, name).chmod(0o755)
    ended = attacker.command("sh", "-c", "true; command -v true; echo $PATH", workspace=folder)
    assert "forged" not in ended.stdout
    assert "/workspace" not in ended.stdout


def test_programs_of_the_host_can_not_be_replaced(attacker):
    ended = attacker.command(
        "sh", "-c", "ln -sf /tmp/x /usr/bin/true; cp /bin/sh /bin/true; mv /usr /x"
    )
    assert ended.exit_status != 0
    assert "Read-only" in ended.stderr


def test_a_library_of_ones_own_reaches_no_further_than_the_command(attacker):
    ended = attacker.command("true", env={"LD_PRELOAD": "/workspace/evil.so"})
    assert ended.reason == "exited"


def test_links_out_are_not_handed_in(attacker):
    secret = attacker.folder / "secret"
    secret.write_text("the secret")
    folder = attacker.workspace(a="1")
    for name, leads in {"b": "a", "out": str(secret), "up": "../secret", "top": "/etc"}.items():
        Path(folder, name).symlink_to(leads)
    ended = attacker.command("sh", "-c", "ls; cat *", workspace=folder)
    assert ended.stdout == "a\nb\n11"
    assert sorted(item[0] for item in ended.left_out) == ["out", "top", "up"]


def test_links_out_are_not_handed_back(attacker):
    attacker.folder.chmod(0o777)
    outputs = attacker.folder / "outputs"
    ended = attacker.python(
        "import os\nos.mkdir('d'); os.symlink('/etc', 'd/etc'); os.symlink('../..', 'd/up')\n"
        "os.mkdir('x'); os.mkdir('x/y'); os.symlink('../..', 'x/y/top')\n"
        "os.symlink('x/y/top/../..', 'escape'); os.symlink('x', 'fine')\n"
        "os.mkfifo('pipe'); open('f', 'w').write('1'); os.chmod('f', 0o6777)",
        outputs=str(outputs),
    )
    links = {path.name for path in outputs.rglob("*") if path.is_symlink()}
    assert links == {"top", "fine"}
    assert sorted(item[0] for item in ended.left_out) == ["d/etc", "d/up", "escape", "pipe"]
    assert (outputs / "f").stat().st_mode & 0o7777 == 0o755


def test_outputs_that_do_not_fit_are_named(attacker):
    attacker.folder.chmod(0o777)
    ended = attacker.python(
        "f = open('f', 'wb'); f.truncate(60 << 20)", outputs=str(attacker.folder / "outputs")
    )
    assert ended.reason == "disk"
    assert "outputs" in ended.detail


def test_outputs_in_endless_folders_are_named(attacker):
    attacker.folder.chmod(0o777)
    ended = attacker.python(
        "import os\nfor _ in range(200): os.mkdir('d'); os.chdir('d')",
        outputs=str(attacker.folder / "outputs"),
    )
    assert ended.reason == "disk"
    assert "deeper" in ended.detail


def test_a_workspace_beyond_its_bounds_is_refused(attacker):
    folder = attacker.workspace()
    with Path(folder, "sparse").open("wb") as file:
        file.truncate(1 << 40)
    failed = attacker.command("true", workspace=folder, fails_with="SandboxError")
    assert "sparse" in failed.message


def test_the_users_own_folder_is_not_touched(attacker):
    folder = attacker.workspace(a="1")
    ended = attacker.command("sh", "-c", "echo 2 > a; echo 3 > b", workspace=folder)
    assert ended.exit_status == 0
    assert {path.name: path.read_text() for path in Path(folder).iterdir()} == {"a": "1"}


def test_a_verdict_in_a_file_or_in_the_output_is_no_verdict(attacker):
    code = "import os\nfor name in ('verdict', '/tmp/verdict'): open(name, 'w').write('pass')\n"
    code += "print('verdict: pass')"
    assert attacker.python(code).channel == ""


SEALED = """
import os, subprocess, sys
sys.path.insert(0, "/seal")
import sealing
fd = sealing.seal()
done = subprocess.run([sys.executable, "-I", "-S", "-c", sys.argv[2], str(fd), str(os.getpid())])
os.write(fd, b"verdict of the runner: %d" % done.returncode)
"""

FORGE = """
import ctypes, os, sys
fd, runner = map(int, sys.argv[1:])
ways = [f"/proc/{runner}/fd/{fd}", f"/proc/{runner}/mem", f"/proc/self/fd/{fd}"]
ways += [f"/proc/1/fd/{each}" for each in range(3, 30)] + ["/proc/1/mem"]
got = []
for path in ways:
    try: os.write(os.open(path, os.O_WRONLY), b"forged"); got.append(path)
    except OSError: pass
for each in range(3, 256):
    try: os.write(each, b"forged"); got.append(each)
    except OSError: pass
if ctypes.CDLL(None).ptrace(16, runner, 0, 0) == 0: got.append("ptrace")
if os.fork() == 0:
    os.setsid()
    try: os.write(fd, b"forged")
    except OSError: os._exit(0)
sys.exit(len(got))
"""


def test_a_sealed_runner_can_not_be_spoken_for(attacker):
    ours = Path(sealing.__file__)
    source = attacker.folder / "source" / "benchmaker" / "sandbox" / "sealing.py"
    path = source if attacker.is_plain else ours
    ended = attacker.python(SEALED, FORGE, reads={str(path): "/seal/sealing.py"})
    assert ended.channel == "verdict of the runner: 0", ended


def test_a_runner_that_is_killed_gives_no_verdict(attacker):
    source = attacker.folder / "source" / "benchmaker" / "sandbox" / "sealing.py"
    path = source if attacker.is_plain else Path(sealing.__file__)
    kill = "import os, sys; os.kill(int(sys.argv[2]), 9)"
    ended = attacker.python(SEALED, kill, reads={str(path): "/seal/sealing.py"})
    assert (ended.reason, ended.signal, ended.channel) == ("killed", 9, "")


def test_a_verdict_without_end_is_cut(attacker):
    ended = attacker.python(
        "import os\nfd = int(os.environ['BENCHMAKER_VERDICT_FD'])\n"
        "for _ in range(40): os.write(fd, b'x' * 65536)"
    )
    assert ended.channel_truncated
    assert len(ended.channel) == 1 << 20


def test_a_verdict_pipe_that_is_held_open_ends_with_the_command(attacker):
    began = time.monotonic()
    ended = attacker.python(
        "import os, time\nif os.fork() == 0: os.setsid(); time.sleep(600)\n"
        "os.write(int(os.environ['BENCHMAKER_VERDICT_FD']), b'done')"
    )
    assert ended.channel == "done"
    assert time.monotonic() - began < LIMITS["wall_s"]


def test_the_host_goes_on_meanwhile(attacker):
    beats = []
    stop = threading.Event()

    def beat():
        while not stop.wait(0.05):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        attacker.python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass")
    finally:
        stop.set()
        thread.join()
    assert max((b - a for a, b in pairwise(beats)), default=0) < LIMITS["wall_s"]


def test_the_first_process_can_not_be_rewritten(attacker):
    ended = attacker.python(
        TRY + "attempt('memory', lambda: os.open('/proc/1/mem', os.O_RDWR))\n"
        "attempt('pipes', lambda: os.open('/proc/1/fd/3', os.O_WRONLY))\n"
        "attempt('trace', lambda: call({'x86_64': 101, 'aarch64': 117}[os.uname().machine], 16, 1))"
    )
    nothing_got(ended, 3)
