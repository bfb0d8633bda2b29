"""Runs untrusted code within limits."""

from benchmaker.sandbox.command import (
    GATEWAY_URL,
    LINK_FD,
    PROXY_URL,
    VERDICT_FD,
    WORKSPACE,
    CommandResult,
    SandboxCommand,
)
from benchmaker.sandbox.copying import Bounds, CopyReport, copy_tree
from benchmaker.sandbox.interpreter import interpreter_reads
from benchmaker.sandbox.isolation import Isolation
from benchmaker.sandbox.isolation_check import isolation_levels, require
from benchmaker.sandbox.limits import ResourceLimits, wall_limit
from benchmaker.sandbox.run import Outputs, arun_linked, arun_sandboxed, run_sandboxed
from benchmaker.sandbox.timed_worker import TimedWorker

__all__ = [
    "GATEWAY_URL",
    "LINK_FD",
    "PROXY_URL",
    "VERDICT_FD",
    "WORKSPACE",
    "Bounds",
    "CommandResult",
    "CopyReport",
    "Isolation",
    "Outputs",
    "ResourceLimits",
    "SandboxCommand",
    "TimedWorker",
    "arun_linked",
    "arun_sandboxed",
    "copy_tree",
    "interpreter_reads",
    "isolation_levels",
    "require",
    "run_sandboxed",
    "wall_limit",
]
