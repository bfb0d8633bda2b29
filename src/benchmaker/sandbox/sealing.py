"""A runner that only its own words speak for: how a verdict is kept from being forged.

Everything in a sandbox has the same user, so code under test could write to the verdict pipe
through ``/proc/<runner>/fd``, change the runner's memory, or inherit the pipe. :func:`seal` closes
these ways; what the runner then writes can be believed as far as the runner itself can, provided
that it starts the code under test as another process (never imports it) and before anything else
of it has run. Killing the runner stays possible, and leaves no verdict.

The module needs the standard library alone, so that a runner inside can use it: hand the file in
by ``Command.reads`` and call it first.
"""

import ctypes
import os

_SET_DUMPABLE = 4


def seal(variable: str = "BENCHMAKER_VERDICT_FD") -> int:
    """The verdict pipe's number, from now on this process's alone.

    It is taken out of the environment and not inherited any more, and no other process of the
    same user can trace this one or open its files.
    """
    fd = int(os.environ.pop(variable))
    os.set_inheritable(fd, False)  # a function of os
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the process could not be sealed")
    return fd
