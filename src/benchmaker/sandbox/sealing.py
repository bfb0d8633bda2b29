"""A runner whose verdict cannot be forged by other processes.

All processes in a sandbox have the same user, so code under test could write to the verdict pipe
through ``/proc/<runner>/fd``, change the runner's memory, or inherit the pipe. :func:`seal` closes
these ways; the runner's output is then as trustworthy as the runner itself, provided that it starts
the code under test as another process (never imports it) and seals itself before any of it has run.
Killing the runner remains possible, and leaves no verdict.

The module needs only the standard library, so that a runner inside can use it: pass the file by
``Command.reads`` and call it first.
"""

import ctypes
import os

_SET_DUMPABLE = 4


def seal(variable: str = "BENCHMAKER_VERDICT_FD") -> int:
    """Return the verdict pipe's number, from now on private to this process.

    It is removed from the environment and no longer inherited, and no other process of the same
    user can trace this one or open its files.
    """
    fd = int(os.environ.pop(variable))
    os.set_inheritable(fd, False)  # a function of os
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the process could not be sealed")
    return fd
