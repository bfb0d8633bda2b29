"""The view of a command inside a namespace, as options of bubblewrap."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmaker.errors import SandboxError
from benchmaker.sandbox.command import WORKSPACE, SandboxCommand
from benchmaker.sandbox.supervisor import STAGE

FILES = {
    "passwd": "user:x:1000:1000:user:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": "user:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
"""The generated files of ``/etc``, so that none of the host's accounts is visible."""

PATH = "/usr/local/bin:/usr/bin:/bin"
"""The search path for programs inside the sandbox."""

_MARK = "CAP_WAKE_ALARM"  # without meaning in a user namespace
_FIRST = ("/bin/sh", "-c", '"$@"; exit $?', "first")
_WITHOUT_MARK = ("setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--", "env", "-i")

_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types")
_ETC_WITH_NETWORK = ("resolv.conf", "ssl/certs", "ca-certificates")
_OWN = ("/proc", "/dev", WORKSPACE)


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the command's environment: minimal, and nothing of ours."""
    basic = {
        "PATH": PATH,
        "HOME": "/tmp",  # noqa: S108  of the sandbox
        "TMPDIR": "/tmp",  # noqa: S108  of the sandbox
        "LANG": "C.UTF-8",
    }
    return basic | dict(env)


def options(command: SandboxCommand, reads: Mapping[str, str]) -> list[str]:
    """The options before the command; ``reads`` maps host paths to inside paths, in order."""
    return [
        *_namespaces(command.network),
        *_system(),
        *_etc(network=command.network),
        *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
        *("--bind", f"{STAGE}/shm", "/dev/shm"),  # noqa: S108  of the sandbox
        *("--bind", f"{STAGE}/tmp", "/tmp"),  # noqa: S108  of the sandbox
        *("--bind" if command.writable else "--ro-bind", f"{STAGE}/workspace", WORKSPACE),
        *_places(command),
        *_reads(reads),
        *("--remount-ro", "/", "--chdir", working_folder(command)),
        *("--clearenv", "--setenv", "PATH", PATH),
    ]


def init_command(argv: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """Return the init process inside, which starts the command and forwards its status.

    It keeps a capability that the command lacks. Only this prevents the command, which has the same
    user, from rewriting it through ``/proc/1/mem`` and so from forging a status; see
    ``cap_ptrace_access_check`` in the kernel. The environment comes after it, so that no library
    named there is loaded into it.
    """
    return [*_FIRST, *_WITHOUT_MARK, *(f"{name}={value}" for name, value in env.items()), *argv]


def start_folder(cwd: str) -> str:
    """Return the command's working folder inside; it must not leave the workspace by name."""
    path = os.path.normpath(cwd)
    if path.startswith(("/", "..")):
        raise SandboxError(f"the folder {cwd!r} is not in the workspace.")
    return WORKSPACE if path == "." else f"{WORKSPACE}/{path}"


def working_folder(command: SandboxCommand) -> str:
    """The command's working folder, under the name that ``places`` gives it."""
    folder = start_folder(command.cwd)
    named = {start_folder(own): place for place, own in command.places.items()}
    return named.get(folder, folder)


def check_places(command: SandboxCommand) -> dict[str, str]:
    """Return the further paths inside with their folders below the workspace.

    Raises:
        SandboxError: a path would cover the system or the sandbox.
    """
    is_free = is_free_in_container if command.image else is_free_place
    found = {}
    for place, own in command.places.items():
        path = os.path.normpath(place)
        if not is_free(path):
            raise SandboxError(f"{place!r} is not a valid place for the workspace.")
        found[path] = start_folder(own).removeprefix(WORKSPACE).lstrip("/")
    return found


def is_free_place(path: str) -> bool:
    """True if an absolute path is free in the sandbox, so that a folder can be there."""
    taken = (*_OWN, "/etc", "/usr", "/tmp", "/run", "/benchmaker", *(f"/{it}" for it in _SYSTEM))  # noqa: S108  of the sandbox
    return path.startswith("/") and not any(_covers(path, own) for own in taken)


def is_free_in_container(path: str) -> bool:
    """True if a folder of the workspace can be at this path of an image.

    Folders below the image's own are covered by it; system folders themselves can't be.
    """
    system = (
        "/etc",
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/var",
        "/opt",
    )
    ours = (*_OWN, "/tmp", "/run", "/sys", "/benchmaker")  # noqa: S108  of the sandbox
    is_ours = any(_covers(path, own) for own in ours)
    return path.startswith("/") and not is_ours and path not in system


def check_reads(command: SandboxCommand) -> dict[str, str]:
    """Return the extra paths, absolute; paths that would cover others are refused."""
    reads = {}
    for host, inside in command.reads.items():
        path, place = os.path.abspath(host), os.path.normpath(inside)  # noqa: PTH100  links stay
        if not place.startswith("/") or any(_covers(place, own) for own in _OWN):
            raise SandboxError(f"{inside!r} is not a valid place for a read-only path.", where=path)
        if not os.path.exists(path):  # noqa: PTH110
            raise SandboxError("the read-only path does not exist.", where=path)
        reads[path] = place
    return reads


def _covers(place: str, own: str) -> bool:
    return place in ("/", own) or place.startswith(f"{own}/")


def _namespaces(network: bool) -> Iterator[str]:  # noqa: FBT001  one argument
    yield from ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts")
    yield "--unshare-cgroup-try"
    if not network:
        yield "--unshare-net"
    yield from ("--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1")
    yield from ("--cap-drop", "ALL", "--cap-add", _MARK)
    yield from ("--uid", "1000", "--gid", "1000", "--hostname", "sandbox")


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _etc(*, network: bool) -> Iterator[str]:
    for name in FILES:
        yield from ("--ro-bind", f"{STAGE}/files/{name}", f"/etc/{name}")
    for name in _ETC + (_ETC_WITH_NETWORK if network else ()):
        path = Path("/etc", name)
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o004:
            yield from ("--ro-bind", str(path.resolve()), str(path))


def _places(command: SandboxCommand) -> Iterator[str]:
    kind = "--bind" if command.writable else "--ro-bind"
    for place, own in check_places(command).items():
        yield from (kind, f"{STAGE}/workspace/{own}".rstrip("/"), place)


def _reads(reads: Mapping[str, str]) -> Iterator[str]:
    for at, inside in enumerate(reads.values()):
        yield from ("--ro-bind", f"{STAGE}/reads/{at}", inside)
