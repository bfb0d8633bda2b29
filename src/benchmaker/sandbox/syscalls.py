"""The filter of system calls, assembled by hand: classic BPF, as ``bwrap --seccomp`` reads it.

Denied are calls that no test or build needs and that would bypass the isolation: keys of the host,
tracing, mounting, clocks, kernel memory that belongs to no process (``memfd_create``, large System
V segments), io_uring, and the ioctls that type into a terminal. Numbers: the kernel's
``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h``; layout of the
data and codes: ``seccomp(2)``, ``linux/bpf_common.h``.
"""

import errno
import struct

SHARED_SEGMENT_BYTES = 1 << 16
"""The largest System V segment: they outlive the process that filled them."""

_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARGUMENT_1_LOW, _ARGUMENT_1_HIGH = 0, 4, 24, 28
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_X32 = 0x40000000

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FROM_424_ON = {  # the same on every machine
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "pidfd_getfd": 438, "mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447,
}  # fmt: skip
_X86_64 = {
    "shmget": 29, "ioctl": 16, "ptrace": 101, "syslog": 103,
    "pivot_root": 155, "adjtimex": 159, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173,
    "init_module": 175, "delete_module": 176, "quotactl": 179, "clock_settime": 227,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
    "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "finit_module": 313, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "shmget": 194, "ioctl": 29, "ptrace": 117, "syslog": 116,
    "pivot_root": 41, "adjtimex": 171, "acct": 89, "settimeofday": 170, "mount": 40,
    "umount2": 39, "swapon": 224, "swapoff": 225, "reboot": 142, "init_module": 105,
    "delete_module": 106, "quotactl": 60, "clock_settime": 112, "kexec_load": 104,
    "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97, "perf_event_open": 241,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273,
    "memfd_create": 279, "kexec_file_load": 294, "bpf": 280, "userfaultfd": 282,
}  # fmt: skip
_TABLES = {"x86_64": _X86_64, "aarch64": _AARCH64}
_BY_ARGUMENT = {"ioctl", "shmget"}
_UNKNOWN_TO_US = {"memfd_create", "memfd_secret"}  # programs go on without when told "no such call"


def is_known(machine: str) -> bool:
    """True if the calls of that machine (as named by ``os.uname``) are known."""
    return machine in _MACHINES


def denied_calls(machine: str) -> dict[str, int]:
    """The calls that are refused whatever their arguments, with their numbers."""
    table = _TABLES[machine] | _FROM_424_ON
    return {name: number for name, number in table.items() if name not in _BY_ARGUMENT}


def syscall_filter(machine: str) -> bytes:
    """The program for that machine: refusals are "not permitted", for new calls "no such call"."""
    return b"".join(
        [
            _op(_LOAD, _ARCH),
            _op(_JUMP_EQUAL, _MACHINES[machine], yes=1),
            _op(_RETURN, _KILL),
            _op(_LOAD, _NUMBER),
            *_x32(machine),
            *_arguments(machine),
            *_numbers(machine),
            _op(_RETURN, _ALLOW),
        ]
    )


def _x32(machine: str) -> list[bytes]:
    """The second set of numbers that the first machine has."""
    if machine != "x86_64":
        return []
    return [_op(_JUMP_BITS, _X32, no=1), _op(_RETURN, _ERRNO | errno.ENOSYS)]


def _arguments(machine: str) -> list[bytes]:
    """Refuse ioctls that type into a terminal, and large shared segments; A stays the number."""
    table = _TABLES[machine]
    return [
        _op(_JUMP_EQUAL, table["ioctl"], no=5),
        _op(_LOAD, _ARGUMENT_1_LOW),
        _op(_JUMP_EQUAL, _TIOCSTI, yes=2),
        _op(_JUMP_EQUAL, _TIOCLINUX, yes=1),
        _op(_RETURN, _ALLOW),
        _op(_RETURN, _ERRNO | errno.EPERM),
        _op(_JUMP_EQUAL, table["shmget"], no=6),
        _op(_LOAD, _ARGUMENT_1_HIGH),
        _op(_JUMP_ABOVE, 0, yes=3),
        _op(_LOAD, _ARGUMENT_1_LOW),
        _op(_JUMP_ABOVE, SHARED_SEGMENT_BYTES, yes=1),
        _op(_RETURN, _ALLOW),
        _op(_RETURN, _ERRNO | errno.ENOSPC),
    ]


def _numbers(machine: str) -> list[bytes]:
    program = []
    for name, number in denied_calls(machine).items():
        is_absent = name in _UNKNOWN_TO_US or name.startswith("io_uring")
        code = errno.ENOSYS if is_absent else errno.EPERM
        program += [_op(_JUMP_EQUAL, number, no=1), _op(_RETURN, _ERRNO | code)]
    return program


def _op(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
