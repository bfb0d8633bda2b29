"""Running what is not trusted, within limits."""

from benchmaker.sandbox.command import VERDICT_FD, WORKSPACE, Command, Ended
from benchmaker.sandbox.copying import Bounds, Copied, copy_tree
from benchmaker.sandbox.interpreter import interpreter_reads
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.isolation_check import available, require
from benchmaker.sandbox.limits import Limits
from benchmaker.sandbox.run import Outputs, arun, run
from benchmaker.sandbox.timed_worker import TimedWorker

__all__ = [
    "VERDICT_FD",
    "WORKSPACE",
    "Bounds",
    "Command",
    "Copied",
    "Ended",
    "Isolation",
    "Limits",
    "Outputs",
    "TimedWorker",
    "arun",
    "available",
    "copy_tree",
    "interpreter_reads",
    "require",
    "run",
]
