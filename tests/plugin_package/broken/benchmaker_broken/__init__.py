"""Can't be imported."""

from benchmaker.nowhere import nothing  # noqa: F401
