"""Levels of isolation of untrusted code."""

from enum import StrEnum


class Isolation(StrEnum):
    """The levels, weakest first.

    ``none`` runs nothing: files are read. ``process`` is a process with limits in a copy of the
    workspace; it can read the machine and use its network. ``namespace`` sees neither.
    ``container`` is podman or docker, for tasks that bring an image.
    """

    NONE = "none"
    PROCESS = "process"
    NAMESPACE = "namespace"
    CONTAINER = "container"

    @property
    def rank(self) -> int:
        """Its place from 0, for comparing."""
        return list(Isolation).index(self)
