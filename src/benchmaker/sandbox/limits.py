"""How much a command may take."""

from dataclasses import dataclass, fields

from benchmaker.errors import SpecError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What a command and everything it starts may use together.

    ``memory_mb`` is resident memory of the whole tree, ``cpu_s`` its processor time, ``processes``
    counts threads, too. ``file_mb`` bounds one file, ``disk_mb`` and ``inodes`` everything the
    command can write (its workspace, ``/tmp`` and shared memory together; the workspace as it was
    given counts). ``output_bytes`` is kept of each stream, its tail; at 64 times as much the
    command is ended.

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
