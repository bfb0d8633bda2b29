"""What the exit code of a command says."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The codes, the same for every command.

    A missed threshold goes before an undecided one, and both before a partial run: they are the
    question that was asked.
    """

    OK = 0
    THRESHOLD_MISSED = 1
    USAGE = 2
    PREREQUISITE = 3
    PARTIAL = 4
    UNDECIDED = 5
    UNEXPECTED = 70
    INTERRUPTED = 130
