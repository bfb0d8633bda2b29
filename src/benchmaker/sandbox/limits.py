"""Resource limits of a command."""

from dataclasses import dataclass, fields

from benchmaker.errors import SpecError

MIB = 1 << 20
_WALL_TIMES, _WALL_SPARE_S = 10, 10
_QUEUED_TIMES = 10


def wall_limit(timeout_s: float) -> float:
    """Return the wall time after which a command is stopped, whatever processor time it used.

    A time limit of tests and criteria is processor time, so that a busy machine makes nothing
    late; this one ends a command that waits.

    >>> wall_limit(2)
    30
    """
    return _WALL_TIMES * timeout_s + _WALL_SPARE_S


def longest_s(wall_s: float) -> float:
    """Return the seconds after which a command is stopped, however long it waited in a queue.

    >>> longest_s(2)
    20
    """
    return _QUEUED_TIMES * wall_s


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The limits of a command together with all its child processes.

    ``wall_s`` leaves out the time in which the command was ready to run and other processes had the
    processors, so that a busy machine fails none; with that, a command lasts :func:`longest_s` at
    most.
    ``memory_mb`` is resident memory of the whole tree, ``cpu_s`` its processor time, ``processes``
    counts threads, too. ``file_mb`` bounds one file, ``disk_mb`` and ``inodes`` everything the
    command can write (its workspace, ``/tmp`` and shared memory together, including the initial
    workspace). ``output_bytes`` is the kept tail of each stream; at 64 times as much the command is
    killed.

    >>> ResourceLimits(wall_s=5).memory_mb
    1024
    """

    wall_s: float = 60
    cpu_s: float = 60
    memory_mb: int = 1024
    processes: int = 64
    open_files: int = 256
    file_mb: int = 64
    disk_mb: int = 256
    inodes: int = 20_000
    output_bytes: int = MIB

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 < getattr(self, field.name) < float("inf"):
                raise SpecError(f"the limit {field.name} must be above 0 and finite.")
