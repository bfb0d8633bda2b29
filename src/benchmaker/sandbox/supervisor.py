"""The supervisor: the process between us and a command, which sets it up, watches it and ends it.

Started as ``python -I -S -B keeper.py FD`` with an empty environment, so that nothing of the host
is in ``/proc/<pid>/environ`` of any process that a command can see. ``FD`` is a socket of
messages: it gets the plan, answers ``ready`` (with the open folder of the writable places), gets
``go``, and answers ``started`` and ``ended``. When the socket closes, it ends the command.

As root it first makes what is to be read reachable, then steps down to nobody: the limit on
processes does not bind root. It then enters a user namespace of its own, where that limit counts
this command's processes alone (since Linux 5.14).

Every process of the command is its descendant: orphans come back here, so nothing is left.
It imports only what loads quickly: ``json``, ``socket`` and ``typing`` would double its start.
"""

from __future__ import annotations

import _socket
import ctypes
import fcntl
import marshal
import math
import os
import resource
import select
import sys
import warnings  # noqa: F401  os.execvpe imports it, and nobody may not be able to read it
from _json import encode_basestring_ascii
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Plan = dict[str, Any]

STAGE = "/tmp"  # noqa: S108  a file system of our own is mounted there, which nobody else sees
VERDICT = 3
"""The file descriptor of the verdict pipe in a command; shells can write to numbers below 10."""
LINK = 4
"""The file descriptor of the socket that leads to another command."""
_ABOVE = 20
_TICK_S, _WINDOW_S = 0.03, 1.0
_LOW_MEMORY, _AROUND = 0.04, 4
_SPARE = 64  # other processes of the same user come and go meanwhile; the watch is exact
_MIB, _SIGKILL = 1 << 20, 9
_NEWNS, _NEWUSER = 0x00020000, 0x10000000
_NOSUID, _NODEV, _BIND, _REC, _PRIVATE = 2, 4, 4096, 16384, 1 << 18
_SET_DUMPABLE, _SET_SUBREAPER, _SET_DEATH_SIGNAL = 4, 36, 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_HERTZ = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Execute the plan; faults before the start of the command are reported."""
    control = _socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(control.fileno(), False)  # a function of os
    plan: Plan = marshal.loads(control.recv(1 << 22))  # noqa: S302  of our own process
    try:
        _prctl(_SET_SUBREAPER, 1)
        plan["pauses"] = os.open(plan["pause_file"], os.O_RDONLY) if plan["pause_file"] else -1
        stage = _stage(plan)
    except OSError as exc:
        said = f"{exc.filename or 'setting up'}: {exc.strerror}"
        _send_message(control, failed=said, errno=exc.errno or 0)
        return
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, stage.to_bytes(4, sys.byteorder))
    control.sendmsg([_message(ready=True)], [rights])
    if control.recv(16) == b"go":
        _keep(control, plan, stage)


def _stage(plan: Plan) -> int:
    """Make the writable places and step down; the folder that holds them, opened."""
    if plan["isolation"] == "process":
        _step_down(plan["nobody"])
        return os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    if plan["nobody"]:
        _unshare(_NEWNS)
        _mount_stage(plan)
        _step_down(plan["nobody"])
        _enter_user_namespace(_NEWUSER)
    else:
        _enter_user_namespace(_NEWUSER | _NEWNS)
        _mount_stage(plan)
    return os.open(STAGE, os.O_RDONLY | os.O_DIRECTORY)


def _step_down(nobody: list[int] | None) -> None:
    if nobody:
        os.setgroups([])
        os.setresgid(nobody[1], nobody[1], nobody[1])
        os.setresuid(nobody[0], nobody[0], nobody[0])
        _prctl(_SET_DUMPABLE, 1)  # else our own /proc files stay root's, the uid map among them


def _enter_user_namespace(flags: int) -> None:
    uid, gid = os.getuid(), os.getgid()
    _unshare(flags)
    maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    for name, text in maps.items():
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:  # noqa: PTH123  quick start
            file.write(text)


def _mount_stage(plan: Plan) -> None:
    """Mount a file system of limited size and number of files, with the readable paths."""
    _mount(None, "/", None, _REC | _PRIVATE)
    reads = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in plan["reads"]]
    uid, gid = plan["nobody"] or (os.getuid(), os.getgid())
    options = f"mode=0755,size={plan['disk_bytes']},nr_inodes={plan['inodes']}"
    _mount("tmpfs", STAGE, "tmpfs", _NOSUID | _NODEV, options)
    for name in ("workspace", "tmp", "shm"):
        os.mkdir(f"{STAGE}/{name}")  # noqa: PTH102  as above
        os.chown(f"{STAGE}/{name}", uid, gid)
    for name in ("reads", "files"):
        os.mkdir(f"{STAGE}/{name}")  # noqa: PTH102  as above
    for name, text in plan["files"].items():
        _write_file(f"{STAGE}/files/{name}", text)
    for at, fd in enumerate(reads):
        _bind(fd, f"{STAGE}/reads/{at}")


def _bind(fd: int, place: str) -> None:
    source = f"/proc/self/fd/{fd}"
    if os.path.isdir(source):  # noqa: PTH112  pathlib would make the start slower
        os.mkdir(place)  # noqa: PTH102  as above
    else:
        _write_file(place, "")
    _mount(source, place, None, _BIND | _REC)
    os.close(fd)


def _write_file(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123  as above
        file.write(text)


def _keep(control: _socket.socket, plan: Plan, stage: int) -> None:
    status, status_end = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        _become(plan, status_end)
    os.close(status_end)
    for fd in (0, 1, 2, *plan["pass"]):
        os.close(fd)  # so that a pipe ends with the command and not with us
    _send_message(control, started=True)
    watch = ProcessMonitor(plan, child, stage)
    reason, detail = watch.until_end(control)
    code = _end_all(child)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    _send_message(
        control,
        ended=True,
        reason=reason,
        detail=detail,
        status=code,
        status_text=_read_all(status),
        disk_full=watch.is_disk_full_at_end(),
        cpu_s=max(used.ru_utime + used.ru_stime, watch.cpu_s),
        peak_bytes=max(watch.peak_bytes, used.ru_maxrss * 1024),
    )


def _become(plan: Plan, status_end: int) -> NoReturn:
    """Run the child: limits, a separate session, and the command itself."""
    try:
        _prctl(_SET_DEATH_SIGNAL, _SIGKILL)
        os.setsid()
        os.nice(5)  # whoever watches goes first
        _write_file("/proc/self/oom_score_adj", "1000")  # and is killed last
        os.chdir(plan["folder"])
        argv = plan["argv"]
        verdict, *others = (fcntl.fcntl(fd, fcntl.F_DUPFD, _ABOVE) for fd in plan["pass"])
        status_end = fcntl.fcntl(status_end, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
        for fd in plan["pass"]:
            os.close(fd)
        os.dup2(verdict, VERDICT)
        os.close(verdict)
        if plan["has_link"]:
            link = others.pop()
            os.dup2(link, LINK)
            os.close(link)
        if plan["isolation"] == "namespace":
            os.set_inheritable(status_end, True)  # a function of os
            wrapper_options = ["--json-status-fd", str(status_end), "--seccomp", str(others[0])]
            options = [*plan["options"], *wrapper_options]
            argv = [plan["bwrap"], "--args", str(_in_memory(options)), "--", *argv]
        _set_limits(plan)
        os.execvpe(argv[0], argv, plan["env"])  # noqa: S606  that is what we are for
    except OSError as exc:
        os.write(status_end, f"{exc.strerror}\n".encode())
    finally:
        os._exit(127)


def _in_memory(options: list[str]) -> int:
    """The options in a file that has no name: nothing of them shows in a list of processes."""
    fd = os.memfd_create("options", 0)
    os.write(fd, b"".join(os.fsencode(option) + b"\0" for option in options))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _set_limits(plan: Plan) -> None:
    limits = dict(plan["limits"])
    if not limits:
        return
    others = _tasks_of_user() if plan["counts_others"] else _AROUND
    limits["NPROC"] = plan["processes"] + others
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))


def _tasks_of_user() -> int:
    own, found = os.getuid(), _SPARE
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208  as above
        with _Suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == own:  # noqa: PTH116
                found += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return found


class ProcessMonitor:
    """Looks at the whole tree some thirty times a second."""

    def __init__(self, plan: Plan, child: int, stage: int) -> None:
        self._plan = plan
        self._child = child
        self._stage = stage
        self._began = monotonic()
        self._queue = QueueTime(self._began)
        self._paused_before = _paused_s(plan["pauses"])
        self._around = 2 if plan["isolation"] == "namespace" else 0  # bubblewrap's own two
        self._was_full = False
        self._next_count = 0.0
        self.peak_bytes, self.cpu_s = 0, 0.0  # the highest at any check

    def until_end(self, control: _socket.socket) -> tuple[str, str]:
        """Return the reason for the end: empty if the command ended by itself."""
        ended = os.pidfd_open(self._child)
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(control, select.POLLIN)
        while True:
            left = max(0.0, self._deadline() - monotonic())
            ready = {fd for fd, _ in poll.poll(math.ceil(min(left, _TICK_S) * 1000))}
            if ended in ready:
                return "", ""
            if control.fileno() in ready:
                return control.recv(64).decode() or "killed", "the client has exited"
            if verdict := self._verdict():
                return verdict

    def is_disk_full(self) -> bool:
        """Return True if the writable places are full, or were at a check."""
        if self._plan["isolation"] == "namespace":
            found = os.statvfs(self._stage)
            is_full = found.f_bavail * found.f_frsize < 1 << 16 or found.f_favail < 1
            self._was_full = self._was_full or is_full
        return self._was_full

    def is_disk_full_at_end(self) -> bool:
        """The same, counted where it has to be."""
        self._next_count = 0.0
        return self.is_disk_full() or self._disk_verdict() is not None

    def _deadline(self) -> float:
        plan = self._plan
        free_s = self._queue.seconds + _paused_s(plan["pauses"]) - self._paused_before
        lasts_s: float = min(plan["wall_s"] + free_s, plan["longest_s"])
        return self._began + lasts_s

    def _verdict(self) -> tuple[str, str] | None:
        plan, tree = self._plan, _Tree()
        self.cpu_s = max(self.cpu_s, tree.cpu_s)
        self._queue.add(monotonic(), self.cpu_s, is_runnable=tree.is_runnable)
        self.is_disk_full()
        if monotonic() >= self._deadline():
            return "timeout", f"after {plan['wall_s']:g} s{self._queue}"
        if tree.cpu_s > plan["cpu_s"]:
            return "timeout", f"{plan['cpu_s']:g} s of processor time"
        if (used := self._memory(tree)) > plan["memory_bytes"]:
            return "memory", f"{used // _MIB:,} MB"
        if tree.tasks - self._around > plan["processes"]:
            return "processes", f"{tree.tasks - self._around} processes at once"
        if _is_memory_low():
            return "memory", "the machine is running out of it"
        return self._disk_verdict()

    def _memory(self, tree: _Tree) -> int:
        is_much = tree.resident > self._plan["memory_bytes"]
        used = tree.proportional_bytes() if is_much else tree.resident
        self.peak_bytes = max(self.peak_bytes, used)
        return used

    def _disk_verdict(self) -> tuple[str, str] | None:
        """Measure the workspace from time to time, if it has no file system of its own."""
        if self._plan["isolation"] != "process" or monotonic() < self._next_count:
            return None
        began = monotonic()
        size, entries = _disk_usage(self._plan["watched"], self._plan["inodes"])
        self._next_count = monotonic() + max(0.3, 10 * (monotonic() - began))
        if size > self._plan["disk_bytes"] or entries > self._plan["inodes"]:
            return "disk", f"{size // _MIB:,} MB in {entries:,} entries"
        return None


def _paused_s(file: int) -> float:
    """The seconds of pauses so far, in a file that another process writes; see PausedTime."""
    past_s, began = map(float, os.pread(file, 64, 0).split() if file >= 0 else (0, 0))
    return past_s + (monotonic() - began if began else 0.0)


class QueueTime:
    """The time in which a command was ready to run, and other processes had the processors.

    At each check some thread of the command is ready or none is; the processor time that it got
    meanwhile is no time in the queue. Processor time is counted in hundredths of a second, so that
    the two are compared once a second.
    """

    def __init__(self, now: float) -> None:
        self.seconds = 0.0
        self._checked = self._opened = now
        self._ready_s = self._cpu_s = 0.0

    def __str__(self) -> str:
        queued = round(self.seconds)
        return f", not counting {queued} s in the queue for a processor" if queued else ""

    def add(self, now: float, cpu_s: float, *, is_runnable: bool) -> None:
        """Add the time since the last check; ``cpu_s`` is the processor time so far."""
        if is_runnable:
            self._ready_s += now - self._checked
        self._checked = now
        if now - self._opened >= _WINDOW_S:
            self.seconds += max(0.0, self._ready_s - (cpu_s - self._cpu_s))
            self._ready_s, self._cpu_s, self._opened = 0.0, cpu_s, now


class _Tree:
    """All descendants of the keeper: how many threads, how much memory and time."""

    def __init__(self) -> None:
        self.is_runnable = False
        """True if a thread runs or waits for a processor."""
        self.pids: list[int] = []
        self.tasks = self.resident = 0
        self.cpu_s = 0.0
        waiting = _children(os.getpid())  # orphans are among them
        while waiting:
            pid = waiting.pop()
            with _Suppress(OSError, IndexError):
                self._add(pid)
            self.pids.append(pid)
            waiting += _children(pid)

    def proportional_bytes(self) -> int:
        """The resident memory with shared pages counted once; dear, so only where it decides."""
        return sum(map(_proportional_bytes, self.pids))

    def _add(self, pid: int) -> None:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        tasks = int(fields[17])
        self.cpu_s += sum(map(int, fields[11:15])) / _HERTZ
        self.tasks += tasks
        if not self.is_runnable:
            self.is_runnable = fields[0] == b"R" or (tasks > 1 and _has_runnable_thread(pid))
        self.resident += _kilobytes(_read(f"/proc/{pid}/status"), b"RssAnon", b"RssShmem")


def _has_runnable_thread(pid: int) -> bool:
    for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  read often
        with _Suppress(OSError):
            found = _read(f"/proc/{pid}/task/{task}/stat")
            if found.rpartition(b")")[2].split(None, 1)[0] == b"R":
                return True
    return False


def _proportional_bytes(pid: int) -> int:
    try:
        return _kilobytes(_read(f"/proc/{pid}/smaps_rollup"), b"Pss_Anon", b"Pss_Shmem")
    except OSError:
        return 0


def _kilobytes(text: bytes, *names: bytes) -> int:
    lines = (line.partition(b":") for line in text.splitlines())
    return sum(int(rest.split()[0]) * 1024 for name, _, rest in lines if name in names)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with _Suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  read often
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


def _is_memory_low() -> bool:
    found = dict(line.split(b":", 1) for line in _read("/proc/meminfo").splitlines()[:3])
    total, available = (int(found[name].split()[0]) for name in (b"MemTotal", b"MemAvailable"))
    return available < total * _LOW_MEMORY


def _disk_usage(folder: str, most: int) -> tuple[int, int]:
    size, entries, waiting = 0, 0, [folder]
    while waiting and entries <= most:
        with _Suppress(OSError), os.scandir(waiting.pop()) as found:
            for entry in found:
                entries += 1
                with _Suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return size, entries


def _end_all(child: int) -> int:
    """Kill until nothing is left; the status of the first process."""
    status = 0
    while True:
        for pid in _Tree().pids:
            with _Suppress(ProcessLookupError, PermissionError):
                os.kill(pid, _SIGKILL)
        try:
            pid, found = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        if pid == child:
            status = found


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1 << 16)
    finally:
        os.close(fd)


def _read_all(fd: int) -> str:
    return b"".join(iter(lambda: os.read(fd, 1 << 16), b"")).decode("utf-8", "replace")


def _send_message(control: _socket.socket, **message: str | float) -> None:
    with _Suppress(OSError):
        control.send(_message(**message))


def _message(**fields: str | float) -> bytes:
    """The fields as a JSON object."""

    def text(it: str | float) -> str:
        return encode_basestring_ascii(it) if isinstance(it, str) else repr(it).lower()

    return ("{" + ", ".join(f'"{name}": {text(it)}' for name, it in fields.items()) + "}").encode()


class _Suppress:
    """As ``contextlib.suppress``."""

    def __init__(self, *kinds: type[Exception]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._kinds)


def _prctl(option: int, value: int) -> None:
    _check(_LIBC.prctl(option, value, 0, 0, 0), "prctl")


def _unshare(flags: int) -> None:
    _check(_LIBC.unshare(flags), "unshare")


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str = ""
) -> None:
    *texts, last = (os.fsencode(it) if it else None for it in (source, target, kind, options))
    _check(_LIBC.mount(*texts, ctypes.c_ulong(flags), last), f"mounting {target}")


def _check(result: int, what: str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)


if __name__ == "__main__":
    main()
