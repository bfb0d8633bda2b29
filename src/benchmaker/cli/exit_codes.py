"""The exit codes of commands."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The codes, the same for every command.

    A missed threshold takes precedence over an undecided one, and both over a partial run, since
    they answer the user's question.
    """

    OK = 0
    THRESHOLD_MISSED = 1
    USAGE = 2
    PREREQUISITE = 3
    PARTIAL = 4
    UNDECIDED = 5
    UNEXPECTED = 70
    INTERRUPTED = 130
